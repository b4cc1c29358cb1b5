// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/settings_page.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/style.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>

namespace kf::ui {
namespace {

constexpr int page_width = 760, control_width = 260;

QLabel* heading(const QString& text) {
    auto* label = new QLabel(text);
    label->setFont(text_font(15, Weight::semibold));
    label->setContentsMargins(0, 18, 0, 2);
    return label;
}

QLabel* dim(const QString& text) {
    auto* label = new QLabel(text);
    label->setFont(text_font(12));
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace

SettingsPage::SettingsPage(Settings& settings, Actions& actions, QWidget* provider, QWidget* parent)
    : QWidget(parent), m_settings(settings), m_actions(actions), m_provider(provider), m_conflict(new QLabel) {
    setObjectName(QStringLiteral("settings"));
    setAccessibleName(QStringLiteral("Settings"));
    auto* content = new QWidget;
    content->setMaximumWidth(page_width);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(24, 20, 24, 32);
    column->setSpacing(10);
    auto* title_row = new QHBoxLayout;
    auto* title = new QLabel(QStringLiteral("Settings"));
    title->setFont(text_font(20, Weight::semibold));
    auto* done = new QPushButton(QStringLiteral("Done"));
    done->setObjectName(QStringLiteral("settings.done"));
    done->setAccessibleName(QStringLiteral("Done"));
    done->setToolTip(QStringLiteral("Back to where you were  (Esc)"));
    set_look(*done, ButtonLook::primary);
    connect(done, &QPushButton::clicked, this, &SettingsPage::done);
    title_row->addWidget(title, 1);
    title_row->addWidget(done);
    column->addLayout(title_row);
    column->addWidget(dim(QStringLiteral("Every change counts at once. Kept in %1").arg(settings.file())));
    add_settings(*column);
    add_shortcuts(*column);
    column->addStretch(1);

    auto* middle = new QWidget;
    kf::ui::set_surface(*middle, kf::ui::Surface::panel);
    auto* row = new QHBoxLayout(middle);
    row->setContentsMargins(0, 0, 0, 0);
    row->addStretch(1);
    row->addWidget(content, 1000);
    row->addStretch(1);
    auto* scroll = m_scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setAccessibleName(QStringLiteral("Settings"));
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(middle);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
}

void SettingsPage::show_model() {
    m_first_of_model->setFocus(Qt::OtherFocusReason);
    // All of the group, as far as it fits, its first row in any case; once the page has its places.
    QTimer::singleShot(0, this, [this] {
        if (m_provider)
            m_scroll->ensureWidgetVisible(m_provider, 0, 24);
        m_scroll->ensureWidgetVisible(m_first_of_model, 0, 48);
    });
}

void SettingsPage::add_settings(QVBoxLayout& column) {
    QString group;
    for (const SettingSpec& spec : Settings::table()) {
        if (spec.group != group) {
            if (group == QLatin1String("Model") && m_provider)
                column.addWidget(m_provider);
            group = spec.group;
            column.addWidget(heading(group));
        }
        auto* row = new QHBoxLayout;
        row->setSpacing(16);
        auto* texts = new QVBoxLayout;
        texts->setSpacing(2);
        auto* label = new QLabel(spec.label);
        QWidget* control = control_for(spec);
        label->setBuddy(control);
        texts->addWidget(label);
        texts->addWidget(dim(spec.help));
        row->addLayout(texts, 1);
        row->addWidget(control, 0, Qt::AlignTop);
        column.addLayout(row);
        if (!m_first)
            m_first = control;
        if (!m_first_of_model && group == QLatin1String("Model"))
            m_first_of_model = control;
    }
}

// Each control follows the setting too: a key or the palette may change it while the page is open.
QWidget* SettingsPage::control_for(const SettingSpec& spec) {
    QWidget* made = nullptr;
    std::function<void()> follow;
    const QString key = spec.key;
    switch (spec.kind) {
    case SettingKind::choice: {
        auto* box = new QComboBox;
        for (qsizetype i = 0; i < spec.choices.size(); ++i)
            box->addItem(spec.labels.value(i), spec.choices[i]);
        connect(box, &QComboBox::activated, this,
                [this, box, key](int index) { m_settings.set(key, box->itemData(index)); });
        follow = [this, box, key] { box->setCurrentIndex(box->findData(m_settings.text(key))); };
        made = box;
        break;
    }
    case SettingKind::number: {
        auto* box = new QSpinBox;
        box->setRange(static_cast<int>(spec.low), static_cast<int>(spec.high));
        box->setSingleStep(static_cast<int>(spec.step));
        box->setSuffix(spec.unit);
        box->setSpecialValueText(spec.least);
        box->setKeyboardTracking(false);
        connect(box, &QSpinBox::valueChanged, this, [this, key](int value) { m_settings.set(key, value); });
        follow = [this, box, key] {
            const QSignalBlocker quiet(box);
            box->setValue(static_cast<int>(m_settings.number(key)));
        };
        made = box;
        break;
    }
    case SettingKind::flag: {
        auto* box = new QCheckBox(QStringLiteral("On"));
        connect(box, &QCheckBox::toggled, this, [this, key](bool on) { m_settings.set(key, on); });
        follow = [this, box, key] {
            const QSignalBlocker quiet(box);
            box->setChecked(m_settings.flag(key));
        };
        made = box;
        break;
    }
    case SettingKind::text:
    case SettingKind::folder: {
        auto* field = new QLineEdit;
        field->setClearButtonEnabled(true);
        connect(field, &QLineEdit::editingFinished, this,
                [this, field, key] { m_settings.set(key, field->text().trimmed()); });
        follow = [this, field, key] {
            if (!field->hasFocus())
                field->setText(m_settings.text(key));
            if (key == QLatin1String("model/url"))
                field->setEchoMode(m_settings.flag(QStringLiteral("model/presenter")) ? QLineEdit::Password
                                                                                      : QLineEdit::Normal);
        };
        if (spec.kind == SettingKind::folder) {
            QAction* choose = field->addAction(icon(QStringLiteral("folder")), QLineEdit::TrailingPosition);
            choose->setText(QStringLiteral("Choose a folder"));
            choose->setToolTip(choose->text());
            connect(choose, &QAction::triggered, this, [this, key, field] {
                auto* dialog = new QFileDialog(window(), QStringLiteral("Folder of runs"), field->text());
                dialog->setAttribute(Qt::WA_DeleteOnClose);
                dialog->setFileMode(QFileDialog::Directory);
                connect(dialog, &QFileDialog::fileSelected, this, [this, key, field](const QString& folder) {
                    field->setText(folder);
                    m_settings.set(key, folder);
                });
                dialog->open();
            });
        }
        made = field;
        break;
    }
    }
    made->setObjectName(QStringLiteral("setting.") + key);
    made->setAccessibleName(spec.label);
    made->setAccessibleDescription(spec.help);
    made->setFixedWidth(control_width);
    made->setMinimumHeight(28);
    follow();
    connect(&m_settings, &Settings::changed, made, [key, follow](const QString& changed) {
        if (changed == key || (changed == QLatin1String("model/presenter") && key == QLatin1String("model/url")))
            follow();
    });
    return made;
}

void SettingsPage::add_shortcuts(QVBoxLayout& column) {
    column.addWidget(heading(QStringLiteral("Shortcuts")));
    auto* filter = new SearchField(QStringLiteral("Find an action or a key"));
    filter->setObjectName(QStringLiteral("settings.filter"));
    filter->setAccessibleName(QStringLiteral("Find an action or a key"));
    connect(filter, &SearchField::textChanged, this, &SettingsPage::filter_shortcuts);
    column.addWidget(filter);
    m_conflict->setObjectName(QStringLiteral("settings.conflict"));
    m_conflict->setWordWrap(true);
    m_conflict->hide();
    column.addWidget(m_conflict);
    for (const Actions::Entry& one : m_actions.entries()) {
        auto* row = new QWidget;
        auto* layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(8);
        auto* label = new QLabel(one.spec.group + QStringLiteral(": ") + one.spec.text);
        auto* edit = new QKeySequenceEdit;
        edit->setObjectName(QStringLiteral("keys.") + one.spec.id);
        edit->setAccessibleName(QStringLiteral("Keys for %1").arg(one.spec.text));
        // The line that really takes the keyboard.
        if (auto* line = edit->findChild<QLineEdit*>())
            line->setAccessibleName(edit->accessibleName());
        edit->setToolTip(QStringLiteral("Press the new keys; Backspace takes them away"));
        edit->setFixedWidth(control_width - 36);
        edit->setMinimumHeight(28);
        auto* reset = new IconButton(QStringLiteral("undo"), QStringLiteral("Back to the built-in keys"));
        layout->addWidget(label, 1);
        layout->addWidget(edit);
        layout->addWidget(reset);
        column.addWidget(row);
        const QString id = one.spec.id;
        m_rows.push_back({id, row, edit, reset});
        connect(edit, &QKeySequenceEdit::editingFinished, this, [this, id] { keys_typed(id); });
        connect(reset, &QToolButton::clicked, this, [this, id] { m_actions.reset_keys(id); });
        refresh_row(m_rows.back());
    }
    connect(&m_actions, &Actions::keys_changed, this, [this](const QString& id) {
        for (const KeyRow& row : m_rows)
            if (row.id == id)
                refresh_row(row);
        m_settings.set_shortcuts(m_actions.custom_keys());
    });
}

void SettingsPage::refresh_row(const KeyRow& row) {
    const QSignalBlocker quiet(row.edit);
    row.edit->setKeySequence(m_actions.find(row.id)->shortcut());
    row.reset->setEnabled(!m_actions.is_default(row.id));
}

void SettingsPage::keys_typed(const QString& id) {
    for (const KeyRow& row : m_rows) {
        if (row.id != id)
            continue;
        const QKeySequence keys = row.edit->keySequence();
        if (keys == m_actions.find(id)->shortcut())
            return;
        const QString taken = keys.isEmpty() ? QString() : m_actions.taken_by(id, keys);
        m_conflict->setVisible(!taken.isEmpty());
        if (!taken.isEmpty()) {
            m_conflict->setText(QStringLiteral("%1 belongs to %2; the keys were left as they were.")
                                    .arg(keys.toString(QKeySequence::NativeText), taken));
            refresh_row(row);
            return;
        }
        m_actions.set_keys(id, keys.isEmpty() ? QList<QKeySequence>{} : QList<QKeySequence>{keys});
        return;
    }
}

void SettingsPage::filter_shortcuts(const QString& words) {
    for (const KeyRow& row : m_rows) {
        const QAction* action = m_actions.find(row.id);
        const QString text = action->text() + QLatin1Char(' ') + row.id + QLatin1Char(' ') +
                             action->shortcut().toString(QKeySequence::NativeText);
        row.row->setVisible(text.contains(words.trimmed(), Qt::CaseInsensitive));
    }
}

void SettingsPage::focus_first() {
    if (m_first)
        m_first->setFocus(Qt::OtherFocusReason);
}

void SettingsPage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        Q_EMIT done();
    else
        QWidget::keyPressEvent(event);
}

} // namespace kf::ui
