// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include "ui/theme/resources.h"
#include "ui/theme/theme.h"

#include <QDir>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

QString path_of(const QString& name) {
    return QStringLiteral(":/kf/icons/%1.svg").arg(name);
}

// `side` in device pixels.
QPixmap drawn(const QString& name, int side, const QColor& colour) {
    const QString key = QStringLiteral("kf/%1/%2/%3").arg(name).arg(side).arg(colour.rgba(), 8, 16);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    pixmap = QPixmap(side, side);
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(path_of(name));
    QPainter painter(&pixmap);
    renderer.render(&painter, QRectF(0, 0, side, side));
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(pixmap.rect(), colour);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

// Reads the theme when it draws, so that icons made once follow a change of theme.
class ThemedEngine final : public QIconEngine {
public:
    explicit ThemedEngine(QString name) : m_name(std::move(name)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const double ratio = painter->device() ? painter->device()->devicePixelRatio() : 1.0;
        const int side = std::min(rect.width(), rect.height());
        const QPixmap pixmap = drawn(m_name, std::max(1, static_cast<int>(std::lround(side * ratio))), colour(mode));
        QRect target(0, 0, side, side);
        target.moveCenter(rect.center());
        painter->drawPixmap(target, pixmap);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override {
        return drawn(m_name, std::max(1, std::min(size.width(), size.height())), colour(mode));
    }
    QString key() const override { return QStringLiteral("kf"); }
    QString iconName() override { return m_name; }
    QIconEngine* clone() const override { return new ThemedEngine(m_name); }

private:
    static QColor colour(QIcon::Mode mode) {
        const Theme& theme = Theme::current();
        return mode == QIcon::Disabled ? blend(theme.panel, theme.dim, 0.6) : theme.text;
    }
    QString m_name;
};

bool known(const QString& name) {
    load_resources();
    return QFile::exists(path_of(name));
}

} // namespace

QIcon icon(const QString& name) {
    const bool found = known(name);
    Q_ASSERT_X(found, "kf::ui::icon", qPrintable(name));
    return found ? QIcon(new ThemedEngine(name)) : QIcon();
}

QPixmap icon_pixmap(const QString& name, int pixels, const QColor& colour, double device_ratio) {
    const bool found = known(name);
    Q_ASSERT_X(found, "kf::ui::icon_pixmap", qPrintable(name));
    if (!found)
        return {};
    QPixmap pixmap = drawn(name, std::max(1, static_cast<int>(std::lround(pixels * device_ratio))), colour);
    pixmap.setDevicePixelRatio(device_ratio);
    return pixmap;
}

QStringList icon_names() {
    load_resources();
    QStringList names = QDir(QStringLiteral(":/kf/icons")).entryList({QStringLiteral("*.svg")}, QDir::Files);
    for (QString& name : names)
        name.chop(4);
    names.sort();
    return names;
}

} // namespace kf::ui
