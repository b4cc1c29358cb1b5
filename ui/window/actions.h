// SPDX-License-Identifier: GPL-3.0-or-later
// Everything the window can be told to do, in one registry: menu, palette, toolbar, shortcut sheet and settings page
// read it. An action is a value with a functor; nobody else makes QActions for the window.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QVariantMap>

#include <functional>
#include <vector>

namespace kf::ui {

struct ActionSpec {
    QString id;    // stable: "run.start"
    QString group; // heading in menu and sheet: "Run"
    QString text, tip, icon;
    QList<QKeySequence> keys = {};
    bool checkable = false;
    // The keys mean the same in the editor, which does it itself while it has the keyboard (Ctrl+C).
    bool editor_does_the_same = false;
};

struct KeyConflict {
    QString first, second; // ids; second is "editor" for a key of the editor's own
    QKeySequence keys;
};

class Actions : public QObject {
    Q_OBJECT
public:
    struct Entry {
        ActionSpec spec;
        QAction* action = nullptr;
    };

    // The actions count in `window`.
    explicit Actions(QWidget* window);

    // With a `pane` the keys count only while that has the keyboard.
    QAction* add(const ActionSpec& spec, std::function<void()> perform, QWidget* pane = nullptr);
    // Null when there is none.
    QAction* find(const QString& id) const;
    // Why it cannot be done now, in place of its tip; "": the tip again.
    void set_reason(const QString& id, const QString& reason);
    const std::vector<Entry>& entries() const { return m_entries; }
    QStringList groups() const; // in order of first use

    // Keys the editor itself answers to, as portable text.
    void set_editor_keys(const QStringList& keys) { m_editor_keys = keys; }
    // Of the present keys; empty is right.
    std::vector<KeyConflict> conflicts() const;
    // What would be in the way of these keys for this action; "" when nothing.
    QString taken_by(const QString& id, const QKeySequence& keys) const;

    void set_keys(const QString& id, const QList<QKeySequence>& keys);
    void reset_keys(const QString& id);
    bool is_default(const QString& id) const;
    // Only what differs from the built-in keys: id → portable texts. Unknown ids and unreadable keys are skipped.
    QVariantMap custom_keys() const;
    void apply_custom_keys(const QVariantMap& keys);

    // Ids, the last used first.
    const QStringList& recent() const { return m_recent; }
    void set_recent(const QStringList& ids) { m_recent = ids; }

Q_SIGNALS:
    void keys_changed(const QString& id);

private:
    const Entry* entry(const QString& id) const;
    void refresh_tip(const Entry& entry);
    QWidget* m_window;
    std::vector<Entry> m_entries;
    QStringList m_editor_keys, m_recent;
};

} // namespace kf::ui
