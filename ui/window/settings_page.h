// SPDX-License-Identifier: GPL-3.0-or-later
// The settings as a page of the window: one row a setting, made from Settings::table(); the shortcuts below. Everything
// counts at once; there is nothing to apply.
#pragma once

#include "ui/window/actions.h"
#include "ui/window/settings.h"

#include <QWidget>

class QLabel;
class QScrollArea;
class QKeySequenceEdit;
class QVBoxLayout;

namespace kf::ui {

class SearchField;

class SettingsPage : public QWidget {
    Q_OBJECT
public:
    // `provider`: stands behind the group "Model"; may be null.
    SettingsPage(Settings& settings, Actions& actions, QWidget* provider, QWidget* parent = nullptr);
    void focus_first();
    // The group "Model", with the key.
    void show_model();

Q_SIGNALS:
    void done();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void add_settings(QVBoxLayout& column);
    void add_shortcuts(QVBoxLayout& column);
    QWidget* control_for(const SettingSpec& spec);
    void keys_typed(const QString& id);
    void filter_shortcuts(const QString& words);
    struct KeyRow {
        QString id;
        QWidget* row;
        QKeySequenceEdit* edit;
        QWidget* reset;
    };
    void refresh_row(const KeyRow& row);
    Settings& m_settings;
    Actions& m_actions;
    QWidget* m_provider;
    QLabel* m_conflict;
    std::vector<KeyRow> m_rows;
    QWidget *m_first = nullptr, *m_first_of_model = nullptr;
    QScrollArea* m_scroll = nullptr;
};

} // namespace kf::ui
