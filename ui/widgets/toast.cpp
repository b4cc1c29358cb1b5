// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/toast.h"

#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/style.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <algorithm>

namespace kf::ui {

class Toast final : public QWidget {
    Q_OBJECT
public:
    Toast(const QString& text, const QString& action, std::function<void()> act, int duration, QWidget* parent)
        : QWidget(parent), m_text(text) {
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(14, 6, action.isEmpty() ? 14 : 6, 6);
        row->setSpacing(10);
        auto* label = new QLabel(text, this);
        label->setTextFormat(Qt::PlainText);
        label->setFont(text_font(13));
        label->setMinimumHeight(metrics::control_height - 2);
        row->addWidget(label, 1);
        const int longest = std::max(160, parent->parentWidget()->width() - 80);
        if (label->sizeHint().width() > longest) {
            label->setWordWrap(true);
            label->setFixedWidth(longest);
        }
        if (!action.isEmpty()) {
            auto* button = new QPushButton(action, this);
            set_look(*button, ButtonLook::link);
            row->addWidget(button);
            connect(button, &QPushButton::clicked, this, [this, act = std::move(act)] {
                if (act)
                    act();
                Q_EMIT done(this);
            });
        }
        m_timer.setSingleShot(true);
        m_timer.setInterval(duration);
        connect(&m_timer, &QTimer::timeout, this, [this] { Q_EMIT done(this); });
        m_timer.start();
        setAccessibleName(text);
    }
    const QString& text() const { return m_text; }

Q_SIGNALS:
    void done(kf::ui::Toast* toast);

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = Theme::current();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(theme.raised);
        painter.setPen(QPen(theme.outline, 1));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
    void enterEvent(QEnterEvent*) override { m_timer.stop(); }
    void leaveEvent(QEvent*) override { m_timer.start(); }
    void mousePressEvent(QMouseEvent*) override { Q_EMIT done(this); }

private:
    QString m_text;
    QTimer m_timer;
};

ToastStack::ToastStack(QWidget* host) : QWidget(host) {
    setAttribute(Qt::WA_TransparentForMouseEvents, false);
    setFocusPolicy(Qt::NoFocus);
    host->installEventFilter(this);
    setAccessibleName(tr("Short messages"));
    hide();
}

void ToastStack::post(const QString& text, const QString& action, std::function<void()> act) {
    // The same again only begins anew.
    const auto same =
        std::find_if(m_toasts.begin(), m_toasts.end(), [&](auto* toast) { return toast->text() == text; });
    if (same != m_toasts.end())
        drop(*same);
    if (m_toasts.size() >= 3)
        drop(m_toasts.front());
    auto* toast = new Toast(text, action, std::move(act), m_duration, this);
    connect(toast, &Toast::done, this, &ToastStack::drop);
    m_toasts.push_back(toast);
    arrange();
    QAccessibleEvent event(toast, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

QStringList ToastStack::texts() const {
    QStringList all;
    for (const Toast* toast : m_toasts)
        all << toast->text();
    return all;
}

void ToastStack::drop(Toast* toast) {
    const auto place = std::find(m_toasts.begin(), m_toasts.end(), toast);
    if (place == m_toasts.end())
        return;
    m_toasts.erase(place);
    toast->hide();
    toast->deleteLater();
    arrange();
}

void ToastStack::arrange() {
    if (m_toasts.empty()) {
        hide();
        return;
    }
    constexpr int gap = 8;
    constexpr int margin = 16;
    int width = 0;
    int height = -gap;
    for (Toast* toast : m_toasts) {
        const QSize size = toast->sizeHint();
        width = std::max(width, size.width());
        height += size.height() + gap;
    }
    const QWidget* host = parentWidget();
    // Above the status strip.
    setGeometry(host->width() - width - margin, host->height() - height - margin - 26, width, height);
    int y = 0;
    for (Toast* toast : m_toasts) {
        const QSize size = toast->sizeHint();
        toast->setGeometry(width - size.width(), y, size.width(), size.height());
        toast->show();
        y += size.height() + gap;
    }
    show();
    raise();
}

bool ToastStack::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize)
        arrange();
    return QWidget::eventFilter(watched, event);
}

} // namespace kf::ui

#include "toast.moc"
