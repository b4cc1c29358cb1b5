// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/style_draw.h"

#include "ui/widgets/key_cap.h"

#include <QFontMetrics>
#include <QIcon>
#include <QStyleOption>
#include <QWidget>
#include <algorithm>
#include <cmath>

namespace kf::ui::draw {
namespace {

constexpr int icon_gap = 6;
constexpr int part_gap = 8;
constexpr int arrow_width = 10;

int text_width(const QFontMetrics& font, const QString& text) {
    return text.isEmpty() ? 0 : font.size(Qt::TextShowMnemonic | Qt::TextSingleLine, text).width();
}

} // namespace

QColor disabled_text(const Theme& theme) {
    return blend(theme.panel, theme.dim, 0.6);
}

QColor field(const Theme& theme) {
    return theme.name == ThemeName::light ? theme.panel : theme.raised;
}

QColor hovered(const Theme& theme, const QColor& surface) {
    return blend(surface, theme.text, theme.name == ThemeName::contrast ? 0.16 : 0.06);
}

QColor pressed(const Theme& theme, const QColor& surface) {
    return blend(surface, theme.text, theme.name == ThemeName::contrast ? 0.24 : 0.12);
}

void box(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& line, double radius, double width) {
    const Saved saved(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    double inset = 0;
    if (line.isValid()) {
        painter.setPen(QPen(line, width));
        inset = width / 2;
    } else {
        painter.setPen(Qt::NoPen);
    }
    painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), radius, radius);
}

void focus_ring(QPainter& painter, const QRect& rect, double radius) {
    box(painter, rect, {}, Theme::current().accent, radius, 2);
}

void focus_ring_on_accent(QPainter& painter, const QRect& rect) {
    const Theme& theme = Theme::current();
    box(painter, rect, {}, theme.accent, metrics::radius, 2);
    box(painter, rect.adjusted(2, 2, -2, -2), {}, theme.on_accent, metrics::radius - 2, 1.5);
}

bool keyboard_focus(const QStyleOption& option) {
    // Buttons do not take the focus when they are clicked (WorkbenchStyle::polish), so that it is the keyboard's.
    return option.state.testFlag(QStyle::State_HasFocus) && option.state.testFlag(QStyle::State_Enabled);
}

void chevron(QPainter& painter, const QRectF& area, Direction direction, const QColor& colour, double size) {
    const Saved saved(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(area.center());
    switch (direction) {
    case Direction::down:
        break;
    case Direction::up:
        painter.rotate(180);
        break;
    case Direction::left:
        painter.rotate(90);
        break;
    case Direction::right:
        painter.rotate(-90);
        break;
    }
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const double h = size / 2;
    painter.drawPolyline(QPolygonF({{-h, -h / 2}, {0, h / 2}, {h, -h / 2}}));
}

void check(QPainter& painter, const QRectF& area, const QColor& colour) {
    const Saved saved(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(area.center());
    const double h = std::min(area.width(), area.height()) / 2;
    painter.setPen(QPen(colour, std::max(1.5, h * 0.24), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(QPolygonF({{-h * 0.55, 0.0}, {-h * 0.15, h * 0.42}, {h * 0.58, -h * 0.4}}));
}

QPixmap tinted(const QPixmap& pixmap, const QColor& colour) {
    QPixmap copy = pixmap;
    QPainter painter(&copy);
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(QRectF(QPointF(0, 0), copy.deviceIndependentSize()), colour);
    return copy;
}

ButtonLook look(const QWidget* widget, bool auto_raise) {
    if (widget && widget->property("kf_look").isValid())
        return look_of(widget);
    return auto_raise ? ButtonLook::flat : ButtonLook::normal;
}

QString detail(const QWidget* widget) {
    return widget ? widget->property("kf_detail").toString() : QString();
}

QString key_hint(const QWidget* widget) {
    return widget ? widget->property("kf_key").toString() : QString();
}

QColor button_surface(QPainter& painter, const QRect& rect, QStyle::State state, ButtonLook look, bool is_default) {
    const Theme& theme = Theme::current();
    const bool enabled = state.testFlag(QStyle::State_Enabled);
    const bool down = enabled && state.testFlag(QStyle::State_Sunken);
    const bool over = enabled && state.testFlag(QStyle::State_MouseOver);
    const bool on = state.testFlag(QStyle::State_On);
    const auto surface = [&](const QColor& calm) {
        return down ? pressed(theme, calm) : over ? hovered(theme, calm) : calm;
    };
    const bool strong = theme.name == ThemeName::contrast;
    switch (look) {
    case ButtonLook::primary:
        if (!enabled) {
            box(painter, rect, theme.raised, theme.line);
            return disabled_text(theme);
        }
        box(painter, rect,
            down   ? blend(theme.accent, theme.text, 0.22)
            : over ? blend(theme.accent, theme.text, 0.12)
                   : theme.accent,
            {});
        return theme.on_accent;
    case ButtonLook::danger:
        if (down) {
            box(painter, rect, theme.error, {});
            return theme.panel;
        }
        box(painter, rect, over ? blend(theme.raised, theme.error, 0.06) : theme.raised,
            enabled ? theme.error : theme.line);
        return enabled ? theme.error : disabled_text(theme);
    case ButtonLook::flat:
    case ButtonLook::link: {
        const double strength = look == ButtonLook::link ? 0.5 : 1;
        const QColor back = blend(theme.panel, theme.text, strength * (down ? 0.16 : 0.09));
        if (on)
            box(painter, rect, theme.selection, strong ? theme.accent : QColor());
        else if (over || down)
            box(painter, rect, back, strong ? theme.outline : QColor());
        if (!enabled)
            return disabled_text(theme);
        return look == ButtonLook::link ? theme.accent : theme.text;
    }
    case ButtonLook::segment: {
        const QRect pill = rect.adjusted(2, 2, -2, -2);
        if (on)
            box(painter, pill, theme.selection, enabled ? theme.accent : theme.line, metrics::radius - 1);
        else if (over || down)
            box(painter, pill, blend(theme.panel, theme.text, down ? 0.14 : 0.08), {}, metrics::radius - 1);
        return enabled ? (on || over ? theme.text : theme.dim) : disabled_text(theme);
    }
    case ButtonLook::normal:
        break;
    }
    if (!enabled) {
        box(painter, rect, theme.raised, theme.line);
        return disabled_text(theme);
    }
    box(painter, rect, surface(on ? theme.selection : theme.raised), on || is_default ? theme.accent : theme.outline);
    return theme.text;
}

QSize content_size(const Content& content, const QFont& font) {
    const QFontMetrics font_metrics(font);
    const bool icon = !content.icon.isNull();
    const int text = text_width(font_metrics, content.text);
    if (content.icon_above)
        return {std::max(text, icon ? content.icon_size.width() : 0),
                font_metrics.height() + (icon ? content.icon_size.height() + 4 : 0)};
    int width = text;
    int height = font_metrics.height();
    if (icon) {
        width += content.icon_size.width() + (content.text.isEmpty() ? 0 : icon_gap);
        height = std::max(height, content.icon_size.height());
    }
    if (!content.detail.isEmpty())
        width += part_gap + text_width(font_metrics, content.detail);
    if (!content.key.isEmpty())
        width += part_gap + static_cast<int>(std::ceil(key_cap_width(content.key)));
    if (content.arrow)
        width += (width > 0 ? part_gap : 0) + arrow_width;
    return {width, height};
}

void draw_content(QPainter& painter, const QRect& area, const Content& content, const QColor& colour, bool enabled,
                  bool on_accent, bool show_mnemonic, const QStyle& style) {
    const Theme& theme = Theme::current();
    const Saved saved(painter);
    const QFontMetrics font_metrics(painter.font());
    const int flags =
        Qt::AlignVCenter | Qt::TextSingleLine | (show_mnemonic ? Qt::TextShowMnemonic : Qt::TextHideMnemonic);
    const double ratio = painter.device() ? painter.device()->devicePixelRatio() : 1.0;
    const auto picture = [&] {
        QPixmap pixmap = content.icon.pixmap(content.icon_size, ratio, enabled ? QIcon::Normal : QIcon::Disabled);
        return on_accent || colour != theme.text ? tinted(pixmap, colour) : pixmap;
    };
    painter.setPen(colour);
    if (content.icon_above) {
        const QSize size = content_size(content, painter.font());
        QRect column(QPoint(0, 0), size.boundedTo(area.size()));
        column.moveCenter(area.center());
        if (!content.icon.isNull())
            style.drawItemPixmap(&painter, column, Qt::AlignHCenter | Qt::AlignTop, picture());
        painter.drawText(area.adjusted(0, 0, 0, column.bottom() - area.bottom()),
                         (flags & ~Qt::AlignVCenter) | Qt::AlignHCenter | Qt::AlignBottom, content.text);
        return;
    }
    const QSize size = content_size(content, painter.font());
    // What opens something has its arrow at the right edge; the rest is centred.
    int x = content.arrow && !content.text.isEmpty() ? area.left()
                                                     : area.left() + std::max(0, (area.width() - size.width()) / 2);
    int right = area.right() + 1;
    if (content.arrow) {
        const int left = content.text.isEmpty() ? x + size.width() - arrow_width : right - arrow_width;
        chevron(painter, QRectF(left, area.top(), arrow_width, area.height()), Direction::down,
                enabled && !on_accent ? theme.dim : colour, 7);
        right = left - (content.text.isEmpty() ? 0 : part_gap);
    }
    if (!content.key.isEmpty()) {
        const double cap = key_cap_width(content.key);
        const double end = content.arrow ? right : std::min<double>(right, x + size.width());
        draw_key_cap(painter, QRectF(end - cap, area.top(), cap, area.height()), content.key,
                     on_accent || !enabled ? colour : theme.dim, on_accent ? colour : theme.outline);
        right = static_cast<int>(end - cap) - part_gap;
    }
    if (!content.icon.isNull()) {
        style.drawItemPixmap(&painter, QRect(x, area.top(), content.icon_size.width(), area.height()), Qt::AlignCenter,
                             picture());
        x += content.icon_size.width() + icon_gap;
    }
    const int text = text_width(font_metrics, content.text);
    const int room = std::max(0, right - x);
    const QString shown =
        text > room ? font_metrics.elidedText(content.text, Qt::ElideMiddle, room, Qt::TextShowMnemonic) : content.text;
    painter.drawText(QRect(x, area.top(), room + 1, area.height()), flags | Qt::AlignLeft, shown);
    x += std::min(text, room) + part_gap;
    if (!content.detail.isEmpty() && right - x > 16) {
        painter.setPen(enabled && !on_accent ? theme.dim : colour);
        painter.drawText(QRect(x, area.top(), right - x + 1, area.height()), Qt::AlignVCenter | Qt::AlignLeft,
                         font_metrics.elidedText(content.detail, Qt::ElideMiddle, right - x));
    }
}

} // namespace kf::ui::draw
