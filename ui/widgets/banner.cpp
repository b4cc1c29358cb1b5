// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/banner.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/style.h"

#include <QAccessible>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace kf::ui {
namespace {

constexpr int shown_at_once = 2;

QString word_of(Severity severity) {
    switch (severity) {
    case Severity::info:
        return BannerStack::tr("Note");
    case Severity::warning:
        return BannerStack::tr("Warning");
    case Severity::error:
        return BannerStack::tr("Error");
    }
    return {};
}

QString icon_of(Severity severity) {
    switch (severity) {
    case Severity::info:
        return QStringLiteral("info");
    case Severity::warning:
        return QStringLiteral("warning");
    case Severity::error:
        return QStringLiteral("error");
    }
    return {};
}

QColor colour_of(Severity severity) {
    const Theme& theme = Theme::current();
    switch (severity) {
    case Severity::info:
        return theme.accent;
    case Severity::warning:
        return theme.stale;
    case Severity::error:
        return theme.error;
    }
    return theme.text;
}

} // namespace

class BannerCard final : public QWidget {
    Q_OBJECT
public:
    BannerCard(Banner banner, QWidget* parent) : QWidget(parent), m_banner(std::move(banner)) {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(14, 5, 8, 5);
        row->setSpacing(8);
        m_icon = new QLabel(this);
        row->addWidget(m_icon, 0, Qt::AlignTop);
        m_label = new QLabel(this);
        m_label->setWordWrap(true);
        m_label->setTextFormat(Qt::RichText);
        m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_label->setMinimumHeight(24);
        const QString cause = m_banner.cause.toHtmlEscaped();
        const QString remedy = m_banner.remedy.toHtmlEscaped();
        m_label->setText(remedy.isEmpty()
                             ? QStringLiteral("<b style=\"font-weight:600\">%1</b>").arg(cause)
                             : QStringLiteral("<b style=\"font-weight:600\">%1</b> %2").arg(cause, remedy));
        row->addWidget(m_label, 1);
        if (!m_banner.action.isEmpty()) {
            auto* action = new QPushButton(m_banner.action, this);
            row->addWidget(action, 0, Qt::AlignTop);
            connect(action, &QPushButton::clicked, this, [this] {
                if (m_banner.act)
                    m_banner.act();
            });
        }
        auto* details = new QPushButton(tr("Copy details"), this);
        set_look(*details, ButtonLook::flat);
        row->addWidget(details, 0, Qt::AlignTop);
        connect(details, &QPushButton::clicked, this,
                [this] { QGuiApplication::clipboard()->setText(details_text()); });
        auto* close = new IconButton(QStringLiteral("close"), tr("Close this message"), this);
        row->addWidget(close, 0, Qt::AlignTop);
        connect(close, &QToolButton::clicked, this, [this] { Q_EMIT close_asked(m_banner.key); });
        setAccessibleName(text());
        restyle();
    }

    const QString& key() const { return m_banner.key; }
    QString text() const {
        QString text = word_of(m_banner.severity) + QStringLiteral(": ") + m_banner.cause;
        if (!m_banner.remedy.isEmpty())
            text += u' ' + m_banner.remedy;
        return text;
    }
    QString details_text() const {
        QStringList lines{text()};
        if (!m_banner.details.isEmpty())
            lines << m_banner.details;
        return lines.join(u'\n');
    }

Q_SIGNALS:
    void close_asked(const QString& key);

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = Theme::current();
        const QColor tint = colour_of(m_banner.severity);
        QPainter painter(this);
        painter.fillRect(rect(), blend(theme.raised, tint, theme.name == ThemeName::contrast ? 0 : 0.09));
        painter.fillRect(QRect(0, 0, 3, height()), tint);
        painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
    }
    void changeEvent(QEvent* event) override {
        if (event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange ||
            event->type() == QEvent::PaletteChange)
            restyle();
        QWidget::changeEvent(event);
    }

private:
    void restyle() {
        m_icon->setPixmap(
            icon_pixmap(icon_of(m_banner.severity), 16, colour_of(m_banner.severity), devicePixelRatioF()));
        m_icon->setFixedHeight(metrics::control_height);
        m_label->setMinimumHeight(metrics::control_height);
        m_label->setFont(text_font(13));
    }

    Banner m_banner;
    QLabel* m_icon;
    QLabel* m_label;
};

Banner banner_of(const QString& key, const kf::Error& error) {
    Banner banner;
    banner.key = key;
    const auto sentence = [](const std::string& text) {
        QString line = QString::fromStdString(text).simplified();
        if (!line.isEmpty())
            line[0] = line[0].toUpper();
        if (!line.isEmpty() && line.back().isLetterOrNumber())
            line += u'.';
        return line;
    };
    banner.cause = sentence(error.message);
    banner.remedy = sentence(error.remedy);
    banner.details = QString::fromStdString(error.code + ": " + kf::to_string(error));
    return banner;
}

BannerStack::BannerStack(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this)) {
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_more = new QPushButton(this);
    set_look(*m_more, ButtonLook::flat);
    m_more->hide();
    m_column->addWidget(m_more);
    connect(m_more, &QPushButton::clicked, this, [this] {
        m_all = !m_all;
        arrange();
    });
    setAccessibleName(tr("Messages"));
    // Never less than its lines need at this width.
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    hide();
}

void BannerStack::post(Banner banner) {
    const QString key = banner.key;
    const auto same = std::find_if(m_cards.begin(), m_cards.end(), [&](auto* card) { return card->key() == key; });
    if (same != m_cards.end()) {
        (*same)->hide();
        (*same)->deleteLater();
        m_cards.erase(same);
    }
    auto* card = new BannerCard(std::move(banner), this);
    connect(card, &BannerCard::close_asked, this, [this](const QString& asked) {
        const QString closed_key = asked;
        remove(closed_key);
        Q_EMIT closed(closed_key);
    });
    m_cards.insert(m_cards.begin(), card);
    m_column->insertWidget(0, card);
    arrange();
    QAccessibleEvent event(card, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void BannerStack::post(const QString& key, const kf::Error& error) {
    post(banner_of(key, error));
}

void BannerStack::clear(const QString& key) {
    remove(key);
}

void BannerStack::remove(const QString& key) {
    const auto same = std::find_if(m_cards.begin(), m_cards.end(), [&](auto* card) { return card->key() == key; });
    if (same == m_cards.end())
        return;
    (*same)->hide();
    (*same)->deleteLater();
    m_cards.erase(same);
    arrange();
}

void BannerStack::clear_all() {
    for (BannerCard* card : m_cards) {
        card->hide();
        card->deleteLater();
    }
    m_cards.clear();
    arrange();
}

int BannerStack::count() const {
    return static_cast<int>(m_cards.size());
}

QStringList BannerStack::texts() const {
    QStringList all;
    for (const BannerCard* card : m_cards)
        all << card->text();
    return all;
}

void BannerStack::arrange() {
    const int hidden = count() - shown_at_once;
    if (hidden <= 0)
        m_all = false;
    for (int i = 0; i < count(); ++i)
        m_cards[static_cast<std::size_t>(i)]->setVisible(m_all || i < shown_at_once);
    m_more->setVisible(hidden > 0);
    m_more->setText(m_all         ? tr("Show fewer messages")
                    : hidden == 1 ? tr("Show one more message")
                                  : tr("Show %1 more messages").arg(hidden));
    setVisible(!m_cards.empty());
    Q_EMIT count_changed(count());
}

} // namespace kf::ui

#include "banner.moc"
