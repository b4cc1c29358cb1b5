// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/provider_page.h"

#include "core/net/model_client.h"
#include "ui/models/background.h"
#include "ui/models/texts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/style.h"
#include "ui/window/settings.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include <memory>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int most_listed = 60; // models of a menu; more are found by name at the provider

QString words(const Error& error) {
    return plain(error.message) + (error.remedy.empty() ? QString() : u". "_s + plain(error.remedy));
}

} // namespace

Result<Provider> chosen_provider(const Settings& settings) {
    auto list = load_providers();
    if (!list)
        return list.error();
    const QString url = settings.text(u"model/url"_s).trimmed();
    const QString wanted = url.isEmpty() ? settings.text(u"model/provider"_s) : url;
    return choose_provider(*list, wanted.isEmpty() ? list->default_id : wanted.toStdString());
}

ModelChoice model_choice(const Settings& settings) {
    ModelChoice choice;
    const QString url = settings.text(u"model/url"_s).trimmed();
    choice.provider = url.isEmpty() ? settings.text(u"model/provider"_s) : url;
    choice.model = settings.text(u"model/name"_s).trimmed();
    choice.reasoning = settings.text(u"model/reasoning"_s);
    bool ok = false;
    if (const double temperature = settings.text(u"model/temperature"_s).toDouble(&ok);
        ok && temperature >= 0 && temperature <= 2)
        choice.temperature = temperature;
    choice.max_tokens = static_cast<int>(settings.number(u"model/max_tokens"_s));
    choice.search = settings.text(u"model/search"_s);
    if (choice.search == u"beam"_s)
        choice.width = static_cast<int>(settings.number(u"model/width"_s));
    if (choice.search != u"serial"_s)
        choice.children = static_cast<int>(settings.number(u"model/children"_s));
    choice.feedback = settings.flag(u"model/feedback"_s);
    return choice;
}

ModelReadiness model_readiness(const Settings& settings, net::Keys& keys) {
    ModelReadiness made;
    const auto provider = chosen_provider(settings);
    if (!provider) {
        made.trouble = words(provider.error());
        return made;
    }
    QString model = settings.text(u"model/name"_s).trimmed();
    if (model.isEmpty())
        model = QString::fromStdString(provider->default_model);
    const QString name = QString::fromStdString(provider->name.empty() ? provider->id : provider->name);
    made.model = model.isEmpty() ? name : u"%1 at %2"_s.arg(model, name);
    const net::FoundKey found = keys.find(*provider, false);
    made.key = QString::fromStdString(to_string(found));
    if (model.isEmpty())
        made.trouble = u"no model: name one in the settings"_s;
    else if (!found.problem.empty())
        made.trouble = u"no usable key: %1"_s.arg(plain(found.problem));
    else if (found.key.present() && !found.agreed)
        made.trouble = u"the key in %1 was found; agree to its use in the settings"_s.arg(plain(found.variable));
    else if (!found.key.present() && provider->needs_key)
        made.trouble = provider->key_variables.empty() ? u"no key: add one in the settings"_s
                                                       : u"no key: set %1, or add one in the settings"_s.arg(
                                                             QString::fromStdString(provider->key_variables.front()));
    return made;
}

ProviderPage::ProviderPage(Settings& settings, net::Keys& keys, QWidget* parent)
    : QWidget(parent), m_settings(settings), m_keys(keys), m_state(new QLabel), m_said(new QLabel),
      m_key(new QLineEdit), m_reveal(new IconButton(u"zoom"_s, u"Hold to see the key"_s)),
      m_session(new QPushButton(u"Keep for this session"_s)), m_store(new QPushButton(u"Keep in the keyring"_s)),
      m_agree(new QPushButton), m_forget(new QPushButton(u"Forget the key"_s)),
      m_list(new QPushButton(icon(u"refresh"_s), u"List the models…"_s)) {
    setObjectName(u"provider"_s);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 4, 0, 4);
    column->setSpacing(8);
    m_state->setWordWrap(true);
    m_state->setObjectName(u"provider.state"_s);
    m_said->setWordWrap(true);
    m_said->setObjectName(u"provider.said"_s);
    m_said->hide();
    m_key->setEchoMode(QLineEdit::Password);
    m_key->setObjectName(u"provider.key"_s);
    m_key->setAccessibleName(u"Key of the provider"_s);
    m_key->setPlaceholderText(u"Paste a key"_s);
    m_key->setMinimumHeight(28);
    // Neither kept by an input method nor offered again.
    m_key->setInputMethodHints(Qt::ImhSensitiveData | Qt::ImhNoPredictiveText | Qt::ImhNoAutoUppercase);
    m_key->setContextMenuPolicy(Qt::NoContextMenu);
    m_reveal->installEventFilter(this);
    auto* line = new QHBoxLayout;
    line->setSpacing(8);
    line->addWidget(m_key, 1);
    line->addWidget(m_reveal);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    for (QPushButton* button : {m_store, m_session, m_agree, m_forget}) {
        button->setAccessibleName(button->text());
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    buttons->addWidget(m_list);
    m_list->setAccessibleName(u"List the models"_s);
    m_store->setObjectName(u"provider.store"_s);
    m_session->setObjectName(u"provider.session"_s);
    m_agree->setObjectName(u"provider.agree"_s);
    m_list->setObjectName(u"provider.list"_s);
    m_store->setToolTip(u"In the desktop's keyring; where there is none, it is kept for this session"_s);
    m_session->setToolTip(u"Until this window is closed"_s);
    m_forget->setToolTip(u"In this session and in the keyring"_s);
    m_list->setToolTip(u"Ask the provider which models it has"_s);
    column->addWidget(m_state);
    column->addLayout(line);
    column->addLayout(buttons);
    column->addWidget(m_said);
    connect(m_key, &QLineEdit::textChanged, this, &ProviderPage::refresh);
    connect(m_key, &QLineEdit::returnPressed, this, [this] { keep(false); });
    connect(m_session, &QPushButton::clicked, this, [this] { keep(false); });
    connect(m_store, &QPushButton::clicked, this, [this] { keep(true); });
    connect(m_agree, &QPushButton::clicked, this, [this] {
        if (const auto provider = chosen_provider(m_settings))
            if (const Status agreed = m_keys.agree(*provider, m_variable.toStdString()); !agreed)
                say(words(agreed.error()), true);
        refresh();
        Q_EMIT key_changed();
    });
    connect(m_forget, &QPushButton::clicked, this, [this] {
        if (const auto provider = chosen_provider(m_settings))
            if (const Status gone = m_keys.forget(*provider); !gone && gone.error().code != "no-keyring")
                say(words(gone.error()), true);
        refresh();
        Q_EMIT key_changed();
    });
    connect(m_list, &QPushButton::clicked, this, &ProviderPage::list_models);
    connect(&settings, &Settings::changed, this, [this](const QString& key) {
        if (key.startsWith(u"model/"_s)) {
            m_said->hide();
            refresh();
        }
    });
    refresh();
}

QString ProviderPage::state_text() const {
    return m_state->text();
}

void ProviderPage::refresh() {
    const auto provider = chosen_provider(m_settings);
    const bool typed = !m_key->text().trimmed().isEmpty();
    m_session->setEnabled(typed && bool(provider));
    m_store->setEnabled(typed && bool(provider));
    m_reveal->setEnabled(typed);
    m_list->setEnabled(bool(provider) && !m_listing);
    m_variable.clear();
    if (!provider) {
        m_state->setText(words(provider.error()));
        m_agree->hide();
        m_forget->hide();
        return;
    }
    const QString name = QString::fromStdString(provider->name.empty() ? provider->id : provider->name);
    const net::FoundKey found = m_keys.find(*provider, false);
    QString text;
    if (!found.problem.empty()) {
        text = u"The key for %1 cannot be used: %2."_s.arg(name, plain(found.problem));
    } else if (found.key.present() && !found.agreed) {
        m_variable = QString::fromStdString(found.variable);
        text = u"A key for %1 is in %2 of the environment. It is used once you agree."_s.arg(name, m_variable);
    } else if (found.key.present()) {
        text = u"Key for %1: %2."_s.arg(name, QString::fromStdString(to_string(found)));
    } else if (provider->needs_key) {
        text = provider->key_variables.empty()
                   ? u"No key for %1 in the environment. Paste one; the keyring is asked when a run starts."_s.arg(name)
                   : u"No key for %1 in %2. Paste one; the keyring is asked when a run starts."_s.arg(
                         name, QString::fromStdString(provider->key_variables.front()));
    } else {
        text = u"%1 needs no key."_s.arg(name);
    }
    m_state->setText(text);
    m_agree->setVisible(!m_variable.isEmpty());
    m_agree->setText(u"Use %1"_s.arg(m_variable));
    m_agree->setAccessibleName(m_agree->text());
    m_forget->setVisible(found.origin == net::KeyOrigin::session || found.origin == net::KeyOrigin::keyring);
}

void ProviderPage::say(const QString& text, bool trouble) {
    m_said->setText(text);
    m_said->setForegroundRole(trouble ? QPalette::WindowText : QPalette::PlaceholderText);
    m_said->setVisible(!text.isEmpty());
}

void ProviderPage::keep(bool in_keyring) {
    const auto provider = chosen_provider(m_settings);
    if (!provider)
        return;
    auto key = ApiKey::make(m_key->text().toStdString());
    if (!key) {
        say(words(key.error()), true);
        return;
    }
    m_key->clear();
    if (in_keyring) {
        const Status stored = m_keys.store(*provider, std::move(*key));
        say(stored ? u"The keyring has it."_s : words(stored.error()), !stored);
    } else {
        m_keys.use_for_session(*provider, std::move(*key));
        say(u"Kept until this window is closed."_s, false);
    }
    refresh();
    Q_EMIT key_changed();
}

void ProviderPage::list_models() {
    const auto provider = chosen_provider(m_settings);
    if (!provider || m_listing)
        return;
    const net::FoundKey found = m_keys.find(*provider, false);
    if (found.key.present() && !found.agreed) {
        say(u"Agree to the key first, or paste another one."_s, true);
        return;
    }
    m_listing = true;
    refresh();
    say(u"Asking %1 …"_s.arg(QString::fromStdString(provider->name)), false);
    using Answer = std::variant<std::vector<std::string>, ModelError>;
    in_background(
        this,
        [provider = *provider, key = found.key] {
            net::ClientOptions options;
            options.connect_s = 10;
            options.first_token_s = 20;
            options.stall_s = 20;
            return std::make_shared<Answer>(net::ModelClient(provider, key, options).list_models());
        },
        [this](const std::shared_ptr<Answer>& answer) {
            m_listing = false;
            refresh();
            if (const auto* error = std::get_if<ModelError>(answer.get())) {
                say(plain(error->message) + (error->remedy.empty() ? QString() : u". "_s + plain(error->remedy)), true);
                return;
            }
            QStringList names;
            for (const std::string& id : std::get<std::vector<std::string>>(*answer))
                names << plain(id);
            show_models(names);
        });
}

void ProviderPage::show_models(const QStringList& models) {
    if (models.isEmpty()) {
        say(u"The provider names no model. Enter the name by hand."_s, true);
        return;
    }
    say(models.size() > most_listed ? u"%1 models; the first %2 are in the menu."_s.arg(models.size()).arg(most_listed)
                                    : u"%1 models."_s.arg(models.size()),
        false);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const QString& model : models.mid(0, most_listed)) {
        QString shown = model;
        menu->addAction(shown.replace(u'&', u"&&"_s), this, [this, model] { m_settings.set(u"model/name"_s, model); });
    }
    menu->popup(m_list->mapToGlobal(QPoint(0, m_list->height())));
}

// Seen only while it is held: by the mouse or by the space bar.
bool ProviderPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_reveal) {
        const auto is_space = [&] {
            const auto* key = static_cast<QKeyEvent*>(event);
            return key->key() == Qt::Key_Space && !key->isAutoRepeat();
        };
        if (event->type() == QEvent::MouseButtonPress || (event->type() == QEvent::KeyPress && is_space()))
            m_key->setEchoMode(QLineEdit::Normal);
        else if (event->type() == QEvent::MouseButtonRelease || event->type() == QEvent::FocusOut ||
                 event->type() == QEvent::Leave || event->type() == QEvent::Hide ||
                 (event->type() == QEvent::KeyRelease && is_space()))
            m_key->setEchoMode(QLineEdit::Password);
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace kf::ui
