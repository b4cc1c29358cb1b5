// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/fonts.h"

#include "ui/theme/resources.h"

#include <QDir>
#include <QFontDatabase>
#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

double scale_of_text = 1.0;
int pixels_of_source = 13;

QFont::Weight qt_weight(Weight weight) {
    switch (weight) {
    case Weight::regular:
        return QFont::Normal;
    case Weight::medium:
        return QFont::Medium;
    case Weight::semibold:
        return QFont::DemiBold;
    case Weight::bold:
        return QFont::Bold;
    }
    return QFont::Normal;
}

QFont make_font(const QStringList& families, int pixels, Weight weight) {
    QFont font(families);
    font.setPixelSize(std::max(6, static_cast<int>(std::lround(pixels * scale_of_text))));
    font.setWeight(qt_weight(weight));
    return font;
}

} // namespace

void load_fonts() {
    static bool loaded = false;
    if (loaded)
        return;
    loaded = true;
    load_resources();
    const QDir folder(QStringLiteral(":/kf/fonts"));
    for (const QString& file : folder.entryList(QDir::Files))
        QFontDatabase::addApplicationFont(folder.filePath(file));
}

QFont text_font(int pixels, Weight weight) {
    return make_font({QStringLiteral("Inter"), QStringLiteral("DejaVu Sans")}, pixels, weight);
}

QFont mono_font(int pixels, Weight weight) {
    QFont font = make_font({QStringLiteral("JetBrains Mono"), QStringLiteral("DejaVu Sans Mono")}, pixels, weight);
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    return font;
}

QFont source_font() {
    return mono_font(pixels_of_source);
}

void set_source_pixels(int pixels) {
    pixels_of_source = std::clamp(pixels, 6, 64);
}

void set_text_scale(double scale) {
    scale_of_text = std::clamp(std::isfinite(scale) ? scale : 1.0, 0.5, 4.0);
}

double text_scale() {
    return scale_of_text;
}

} // namespace kf::ui
