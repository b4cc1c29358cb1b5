// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions.h"

#include "ui/theme/icons.h"

#include <QWidget>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr qsizetype recent_kept = 12;

} // namespace

Actions::Actions(QWidget* window) : QObject(window), m_window(window) {}

QAction* Actions::add(const ActionSpec& spec, std::function<void()> perform, QWidget* pane) {
    Q_ASSERT_X(!find(spec.id), "Actions::add", qPrintable(spec.id));
    auto* action = new QAction(icon(spec.icon), spec.text, this);
    action->setObjectName(spec.id);
    action->setShortcuts(spec.keys);
    action->setShortcutContext(pane ? Qt::WidgetWithChildrenShortcut : Qt::WindowShortcut);
    action->setCheckable(spec.checkable);
    action->setAutoRepeat(spec.id.startsWith(QLatin1String("go.")));
    (pane ? pane : m_window)->addAction(action);
    connect(action, &QAction::triggered, this, [this, id = spec.id, perform = std::move(perform)] {
        // What only opens the palette, or walks, would crowd out what was done.
        if (!id.startsWith(QLatin1String("go."))) {
            m_recent.removeAll(id);
            m_recent.prepend(id);
        }
        if (m_recent.size() > recent_kept)
            m_recent.removeLast();
        perform();
    });
    m_entries.push_back({spec, action});
    refresh_tip(m_entries.back());
    return action;
}

void Actions::refresh_tip(const Entry& entry) {
    const QString keys = entry.action->shortcut().toString(QKeySequence::NativeText);
    entry.action->setToolTip(keys.isEmpty() ? entry.spec.tip : entry.spec.tip + QStringLiteral("  (%1)").arg(keys));
    entry.action->setStatusTip(entry.spec.tip);
}

void Actions::set_reason(const QString& id, const QString& reason) {
    const Entry* found = entry(id);
    if (!found)
        return;
    refresh_tip(*found);
    if (!reason.isEmpty()) {
        found->action->setToolTip(reason);
        found->action->setStatusTip(reason);
    }
}

const Actions::Entry* Actions::entry(const QString& id) const {
    const auto found = std::ranges::find_if(m_entries, [&id](const Entry& one) { return one.spec.id == id; });
    return found == m_entries.end() ? nullptr : &*found;
}

QAction* Actions::find(const QString& id) const {
    const Entry* found = entry(id);
    return found ? found->action : nullptr;
}

QStringList Actions::groups() const {
    QStringList all;
    for (const Entry& one : m_entries)
        if (!all.contains(one.spec.group))
            all << one.spec.group;
    return all;
}

std::vector<KeyConflict> Actions::conflicts() const {
    std::vector<KeyConflict> all;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        for (const QKeySequence& keys : m_entries[i].action->shortcuts()) {
            if (!m_entries[i].spec.editor_does_the_same &&
                m_editor_keys.contains(keys.toString(QKeySequence::PortableText)))
                all.push_back({m_entries[i].spec.id, QStringLiteral("editor"), keys});
            for (std::size_t j = i + 1; j < m_entries.size(); ++j)
                if (m_entries[j].action->shortcuts().contains(keys))
                    all.push_back({m_entries[i].spec.id, m_entries[j].spec.id, keys});
        }
    }
    return all;
}

QString Actions::taken_by(const QString& id, const QKeySequence& keys) const {
    for (const Entry& one : m_entries)
        if (one.spec.id != id && one.action->shortcuts().contains(keys))
            return QStringLiteral("“%1”").arg(one.spec.text);
    const Entry* own = entry(id);
    if (own && !own->spec.editor_does_the_same && m_editor_keys.contains(keys.toString(QKeySequence::PortableText)))
        return QStringLiteral("the editor");
    return {};
}

void Actions::set_keys(const QString& id, const QList<QKeySequence>& keys) {
    const Entry* found = entry(id);
    if (!found || found->action->shortcuts() == keys)
        return;
    found->action->setShortcuts(keys);
    refresh_tip(*found);
    Q_EMIT keys_changed(id);
}

void Actions::reset_keys(const QString& id) {
    if (const Entry* found = entry(id))
        set_keys(id, found->spec.keys);
}

bool Actions::is_default(const QString& id) const {
    const Entry* found = entry(id);
    return !found || found->action->shortcuts() == found->spec.keys;
}

QVariantMap Actions::custom_keys() const {
    QVariantMap all;
    for (const Entry& one : m_entries) {
        if (one.action->shortcuts() == one.spec.keys)
            continue;
        QStringList texts;
        for (const QKeySequence& keys : one.action->shortcuts())
            texts << keys.toString(QKeySequence::PortableText);
        all.insert(one.spec.id, texts);
    }
    return all;
}

void Actions::apply_custom_keys(const QVariantMap& keys) {
    for (auto one = keys.begin(); one != keys.end(); ++one) {
        QList<QKeySequence> sequences;
        for (const QString& text : one.value().toStringList()) {
            const QKeySequence sequence(text, QKeySequence::PortableText);
            if (!sequence.isEmpty() && sequence[0].key() != Qt::Key_unknown)
                sequences << sequence;
        }
        set_keys(one.key(), sequences);
    }
}

} // namespace kf::ui
