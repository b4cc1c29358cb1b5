// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include "ui/theme/resources.h"

#include <QFile>
#include <QGuiApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <array>
#include <cmath>
#include <utility>

namespace kf::ui {
namespace {

using Slot = std::pair<const char*, QColor Theme::*>;
constexpr std::array<Slot, 31> slots_of_theme{{
    {"window", &Theme::window},
    {"panel", &Theme::panel},
    {"raised", &Theme::raised},
    {"line", &Theme::line},
    {"selection", &Theme::selection},
    {"outline", &Theme::outline},
    {"text", &Theme::text},
    {"dim", &Theme::dim},
    {"faint", &Theme::faint},
    {"on_accent", &Theme::on_accent},
    {"accent", &Theme::accent},
    {"faster", &Theme::faster},
    {"slower", &Theme::slower},
    {"equivalent", &Theme::equivalent},
    {"inconclusive", &Theme::inconclusive},
    {"wrong", &Theme::wrong},
    {"error", &Theme::error},
    {"timeout", &Theme::timeout},
    {"suspect", &Theme::suspect},
    {"infrastructure", &Theme::infrastructure},
    {"human", &Theme::human},
    {"pending", &Theme::pending},
    {"stale", &Theme::stale},
    {"bound", &Theme::bound},
    {"keyword", &Theme::keyword},
    {"string", &Theme::string},
    {"comment", &Theme::comment},
    {"number", &Theme::number},
    {"plan", &Theme::plan},
    {"added", &Theme::added},
    {"removed", &Theme::removed},
}};

Theme read(const QJsonObject& file, ThemeName name) {
    Theme theme;
    theme.name = name;
    const QJsonObject colours = file.value(to_string(name)).toObject();
    for (const auto& [key, member] : slots_of_theme) {
        const QColor colour(colours.value(QLatin1String(key)).toString());
        Q_ASSERT_X(colour.isValid(), "theme.json", key);
        theme.*member = colour;
    }
    return theme;
}

const std::array<Theme, 3>& themes() {
    static const std::array<Theme, 3> all = [] {
        load_resources();
        QFile file(QStringLiteral(":/kf/theme.json"));
        const bool opened = file.open(QIODevice::ReadOnly);
        Q_ASSERT(opened);
        const QJsonObject content = opened ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
        return std::array<Theme, 3>{read(content, ThemeName::dark), read(content, ThemeName::light),
                                    read(content, ThemeName::contrast)};
    }();
    return all;
}

ThemeName& current_name() {
    static ThemeName name = ThemeName::dark;
    return name;
}

// Relative luminance of WCAG 2.
double luminance(const QColor& colour) {
    const auto linear = [](double channel) {
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

} // namespace

QString to_string(ThemeName name) {
    switch (name) {
    case ThemeName::dark:
        return QStringLiteral("dark");
    case ThemeName::light:
        return QStringLiteral("light");
    case ThemeName::contrast:
        return QStringLiteral("contrast");
    }
    return QStringLiteral("dark");
}

std::optional<ThemeName> parse_theme(const QString& name) {
    for (const ThemeName theme : {ThemeName::dark, ThemeName::light, ThemeName::contrast})
        if (name == to_string(theme))
            return theme;
    return std::nullopt;
}

QColor Theme::of(VerdictKind kind) const {
    switch (kind) {
    case VerdictKind::faster:
    case VerdictKind::correct:
        return faster;
    case VerdictKind::slower:
        return slower;
    case VerdictKind::equivalent:
        return equivalent;
    case VerdictKind::inconclusive:
        return inconclusive;
    case VerdictKind::wrong:
        return wrong;
    case VerdictKind::error:
        return error;
    case VerdictKind::timeout:
        return timeout;
    case VerdictKind::suspect:
        return suspect;
    case VerdictKind::infrastructure:
        return infrastructure;
    case VerdictKind::cancelled:
    case VerdictKind::duplicate:
    case VerdictKind::none:
        return pending;
    case VerdictKind::start:
        return equivalent;
    }
    return pending;
}

QPalette Theme::palette() const {
    QPalette palette;
    const auto set = [&](QPalette::ColorRole role, const QColor& colour) { palette.setColor(role, colour); };
    // The back of a window is a panel: tool bars, tab bars, dock titles and the status strip paint `window` themselves.
    set(QPalette::Window, panel);
    set(QPalette::WindowText, text);
    set(QPalette::Base, panel);
    set(QPalette::AlternateBase, raised);
    set(QPalette::Text, text);
    set(QPalette::PlaceholderText, faint);
    set(QPalette::Button, raised);
    set(QPalette::ButtonText, text);
    set(QPalette::BrightText, error);
    set(QPalette::ToolTipBase, raised);
    set(QPalette::ToolTipText, text);
    set(QPalette::Link, accent);
    set(QPalette::LinkVisited, accent);
    // Selected text has to stand out of any surface; selected rows are painted with `selection` and an edge.
    set(QPalette::Highlight, name == ThemeName::contrast ? selection : blend(selection, accent, 0.25));
    set(QPalette::HighlightedText, text);
    set(QPalette::Light, raised);
    set(QPalette::Midlight, line);
    set(QPalette::Mid, line);
    set(QPalette::Dark, outline);
    set(QPalette::Shadow, window);
    const QColor off = blend(panel, dim, 0.6);
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText, QPalette::Link})
        palette.setColor(QPalette::Disabled, role, off);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, raised);
    return palette;
}

const Theme& Theme::current() {
    return get(current_name());
}

const Theme& Theme::get(ThemeName name) {
    return themes()[static_cast<std::size_t>(name)];
}

void set_current_theme(ThemeName name) {
    current_name() = name;
    if (qGuiApp)
        QGuiApplication::setPalette(Theme::get(name).palette());
}

double contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor blend(const QColor& under, const QColor& over, double opacity) {
    const auto mix = [opacity](float a, float b) { return a + (b - a) * static_cast<float>(opacity); };
    return QColor::fromRgbF(mix(under.redF(), over.redF()), mix(under.greenF(), over.greenF()),
                            mix(under.blueF(), over.blueF()));
}

} // namespace kf::ui
