// SPDX-License-Identifier: GPL-3.0-or-later
// Colours that can be told apart, shapes that can be told apart without them, fonts and icons that are really there.
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/marks.h"
#include "ui/theme/theme.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFontInfo>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QImage>
#include <QRawFont>
#include <QRegularExpression>
#include <gtest/gtest.h>
#include <map>

namespace kf::ui {
namespace {

constexpr ThemeName all_themes[] = {ThemeName::dark, ThemeName::light, ThemeName::contrast};

std::string told(ThemeName theme, const char* what, const QColor& a, const QColor& b) {
    return (to_string(theme) + QStringLiteral(" %1: %2 on %3").arg(QLatin1String(what), a.name(), b.name()))
        .toStdString();
}

// Every text colour on every surface it may lie on.
TEST(Theme, TextCanBeReadOnEverySurface) {
    for (const ThemeName name : all_themes) {
        const Theme& theme = Theme::get(name);
        const std::map<const char*, QColor> texts{
            {"text", theme.text},
            {"dim", theme.dim},
            {"faint", theme.faint},
            {"accent", theme.accent},
            {"faster", theme.faster},
            {"slower", theme.slower},
            {"equivalent", theme.equivalent},
            {"inconclusive", theme.inconclusive},
            {"wrong", theme.wrong},
            {"error", theme.error},
            {"timeout", theme.timeout},
            {"suspect", theme.suspect},
            {"infrastructure", theme.infrastructure},
            {"human", theme.human},
            {"pending", theme.pending},
            {"stale", theme.stale},
            {"bound", theme.bound},
            {"keyword", theme.keyword},
            {"string", theme.string},
            {"comment", theme.comment},
            {"number", theme.number},
            {"plan", theme.plan},
            {"added", theme.added},
            {"removed", theme.removed},
        };
        for (const auto& [what, colour] : texts)
            for (const QColor& surface : {theme.window, theme.panel, theme.raised, theme.selection})
                EXPECT_GE(contrast(colour, surface), 4.5) << told(name, what, colour, surface);
        EXPECT_GE(contrast(theme.on_accent, theme.accent), 4.5)
            << told(name, "on_accent", theme.on_accent, theme.accent);
        // Buttons that are pointed at or held down.
        for (const double share : {0.12, 0.22}) {
            const QColor hovered = blend(theme.accent, theme.text, share);
            EXPECT_GE(contrast(theme.on_accent, hovered), 4.5)
                << told(name, "on accent, held", theme.on_accent, hovered);
        }
        const QPalette palette = theme.palette();
        EXPECT_GE(contrast(palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight)), 4.5)
            << to_string(name).toStdString();
    }
}

TEST(Theme, OutlinesAndTheFocusRingCanBeSeen) {
    for (const ThemeName name : all_themes) {
        const Theme& theme = Theme::get(name);
        for (const QColor& surface : {theme.window, theme.panel, theme.raised, theme.selection}) {
            EXPECT_GE(contrast(theme.outline, surface), 3.0) << told(name, "outline", theme.outline, surface);
            EXPECT_GE(contrast(theme.accent, surface), 3.0) << told(name, "accent", theme.accent, surface);
        }
    }
}

TEST(Theme, NamesGoBothWaysAndTheCurrentOneSetsThePalette) {
    for (const ThemeName name : all_themes) {
        EXPECT_EQ(parse_theme(to_string(name)), name);
        set_current_theme(name);
        EXPECT_EQ(Theme::current().name, name);
        EXPECT_EQ(QGuiApplication::palette().color(QPalette::WindowText), Theme::get(name).text);
    }
    EXPECT_FALSE(parse_theme(QStringLiteral("sepia")));
    set_current_theme(ThemeName::dark);
    EXPECT_DOUBLE_EQ(contrast(QColor(0, 0, 0), QColor(255, 255, 255)), 21.0);
}

TEST(Fonts, TheBundledOnesAreUsed) {
    load_fonts();
    for (const Weight weight : {Weight::regular, Weight::medium, Weight::semibold, Weight::bold}) {
        EXPECT_EQ(QFontInfo(text_font(13, weight)).family(), QStringLiteral("Inter"));
        EXPECT_EQ(QFontInfo(mono_font(12, weight)).family(), QStringLiteral("JetBrains Mono"));
    }
    EXPECT_EQ(QRawFont::fromFont(text_font(13, Weight::semibold)).weight(), 600);
    EXPECT_EQ(QRawFont::fromFont(text_font(13)).weight(), 400);
    // Figures in a column: every digit, sign and blank as wide as the next.
    const QFontMetricsF figures(mono_font(12));
    for (const QChar c : QStringLiteral("0123456789.−+±%× "))
        EXPECT_DOUBLE_EQ(figures.horizontalAdvance(c), figures.horizontalAdvance(u'0')) << QString(c).toStdString();
    set_text_scale(2);
    EXPECT_EQ(text_font(13).pixelSize(), 26);
    set_text_scale(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(text_scale(), 1.0);
}

QImage painted(const std::function<void(QPainter&)>& draw, int side = 40) {
    QImage image(side, side, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    draw(painter);
    painter.end();
    return image;
}

// Only where there is ink, whatever its colour.
std::vector<int> ink(const QImage& image) {
    std::vector<int> alpha;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            alpha.push_back(qAlpha(image.pixel(x, y)));
    return alpha;
}

double difference(const std::vector<int>& a, const std::vector<int>& b) {
    double apart = 0;
    double all = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        apart += std::abs(a[i] - b[i]);
        all += std::max(a[i], b[i]);
    }
    return all > 0 ? apart / all : 0;
}

TEST(Marks, NoTwoShareAShape) {
    for (const double size : {10.0, 16.0}) {
        std::map<QString, std::vector<int>> shapes;
        for (int kind = 0; kind <= static_cast<int>(VerdictKind::none); ++kind)
            for (const bool ringed : {false, true}) {
                const auto verdict = static_cast<VerdictKind>(kind);
                const QString name = mark_word(verdict) + (ringed ? QStringLiteral(", a human's") : QString());
                shapes[name] = ink(painted([&](QPainter& painter) {
                    draw_mark(painter, verdict, {20, 20}, ringed ? size * 1.7 : size, ringed);
                }));
            }
        for (const Level level : {Level::screen, Level::duel, Level::certify, Level::promote})
            shapes[evidence_word(level)] = ink(painted([&](QPainter& painter) {
                draw_evidence(painter, level, {20, 20}, size);
            }));
        shapes[QStringLiteral("star")] = ink(painted([&](QPainter& painter) {
            draw_star(painter, {20, 20}, size, Theme::current().text);
        }));
        ASSERT_EQ(shapes.size(), 14U * 2 + 4 + 1);
        for (auto a = shapes.begin(); a != shapes.end(); ++a) {
            EXPECT_GT(std::count_if(a->second.begin(), a->second.end(), [](int alpha) { return alpha > 128; }), 4)
                << a->first.toStdString() << " is empty";
            for (auto b = std::next(a); b != shapes.end(); ++b)
                // The ring of a human's turn is much of the ink of both.
                EXPECT_GT(difference(a->second, b->second), 0.1)
                    << a->first.toStdString() << " looks like " << b->first.toStdString() << " at " << size;
        }
    }
}

TEST(Marks, TheDiscFillsByQuarters) {
    double last = 0;
    for (const Level level : {Level::screen, Level::duel, Level::certify, Level::promote}) {
        const std::vector<int> shape = ink(painted([&](QPainter& painter) {
            draw_evidence(painter, level, {20, 20}, 32);
        }));
        const double filled = std::accumulate(shape.begin(), shape.end(), 0.0);
        EXPECT_GT(filled, last * 1.15);
        last = filled;
    }
}

TEST(Icons, EveryOneIsDrawnInEveryTheme) {
    const QStringList names = icon_names();
    EXPECT_GE(names.size(), 50);
    std::map<QString, std::vector<int>> shapes;
    for (const ThemeName theme : all_themes) {
        set_current_theme(theme);
        for (const QString& name : names) {
            const QImage image = icon(name).pixmap(QSize(16, 16), 2.0).toImage();
            ASSERT_EQ(image.size(), QSize(32, 32)) << name.toStdString();
            int strong = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (qAlpha(image.pixel(x, y)) == 255) {
                        ++strong;
                        EXPECT_EQ(QColor(image.pixel(x, y)), Theme::get(theme).text) << name.toStdString();
                    }
            EXPECT_GT(strong, 12) << name.toStdString() << " is empty";
            // Nothing is cut off at the edge of the grid.
            for (int i = 0; i < 32; ++i)
                EXPECT_LT(qAlpha(image.pixel(i, 0)) + qAlpha(image.pixel(i, 31)) + qAlpha(image.pixel(0, i)) +
                              qAlpha(image.pixel(31, i)),
                          200)
                    << name.toStdString();
            shapes[name] = ink(image);
        }
    }
    for (auto a = shapes.begin(); a != shapes.end(); ++a)
        for (auto b = std::next(a); b != shapes.end(); ++b)
            EXPECT_GT(difference(a->second, b->second), 0.05)
                << a->first.toStdString() << " looks like " << b->first.toStdString();
    set_current_theme(ThemeName::dark);
}

// Colours stand in ui/theme and nowhere else.
TEST(Sources, NoColourLiteralOutsideTheTheme) {
    const QRegularExpression literal(QStringLiteral(
        "QColor\\s*\\(\\s*[0-9\"uQ]|qRgba?\\s*\\(|Qt::(white|black|red|green|blue|cyan|magenta|yellow|gray|"
        "darkGray|lightGray|darkRed|darkGreen|darkBlue)\\b|\"#[0-9a-fA-F]{3,8}\"|setStyleSheet"));
    const QString root = QStringLiteral(KF_SOURCE_DIR "/ui");
    int files = 0;
    QDirIterator all(root, {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files, QDirIterator::Subdirectories);
    while (all.hasNext()) {
        const QString path = all.next();
        if (path.startsWith(root + QStringLiteral("/theme/")))
            continue;
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        ++files;
        int number = 0;
        for (const QByteArray& line : file.readAll().split('\n')) {
            ++number;
            EXPECT_FALSE(literal.match(QString::fromUtf8(line)).hasMatch())
                << path.toStdString() << ":" << number << ": " << line.toStdString();
        }
    }
    EXPECT_GT(files, 20);
}

} // namespace
} // namespace kf::ui
