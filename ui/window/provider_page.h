// SPDX-License-Identifier: GPL-3.0-or-later
// Who writes kernels when a model does: the part of the settings about its provider's key, and what a run is started
// with. A key is typed into a field that shows it only while the eye is held down; it goes to the keyring, or stays in
// this process. It is never written to a file, never shown again.
#pragma once

#include "core/llm/provider.h"
#include "core/net/keys.h"
#include "ui/control/run_controller.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace kf::ui {

class IconButton;
class Settings;

// As the settings have it, without any key.
ModelChoice model_choice(const Settings& settings);
// Errors: those of the provider's list, "provider-unknown", "provider-url".
Result<Provider> chosen_provider(const Settings& settings);

// What a person has to know before a run with a model can be started.
struct ModelReadiness {
    QString model;   // "nvidia/nemotron-3-super-120b-a12b at Nebius Token Factory"
    QString key;     // where its key is from; never the key
    QString trouble; // "no key: set NEBIUS_API_KEY, or add one in the settings"; "": it can be started
};
// Asks no keyring: that may open a dialogue.
ModelReadiness model_readiness(const Settings& settings, net::Keys& keys);

class ProviderPage : public QWidget {
    Q_OBJECT
public:
    ProviderPage(Settings& settings, net::Keys& keys, QWidget* parent = nullptr);
    QString state_text() const; // where the key comes from

Q_SIGNALS:
    void key_changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void keep(bool in_keyring);
    void list_models();
    void show_models(const QStringList& models);
    void say(const QString& text, bool trouble);

    Settings& m_settings;
    net::Keys& m_keys;
    QLabel *m_state, *m_said;
    QLineEdit* m_key;
    IconButton* m_reveal;
    QPushButton *m_session, *m_store, *m_agree, *m_forget, *m_list;
    QString m_variable; // that was found, and nobody agreed to yet
    bool m_listing = false;
};

} // namespace kf::ui
