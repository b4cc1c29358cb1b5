// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/export.h"

#include <QImage>
#include <QPainter>
#include <QStandardItemModel>
#include <gtest/gtest.h>

namespace kf::ui {
namespace {

QString quoted(const char* text) {
    return csv_field(QString::fromUtf8(text));
}

TEST(Export, CsvQuotesWhatNeedsIt) {
    EXPECT_EQ(quoted("plain"), QStringLiteral("plain"));
    EXPECT_EQ(quoted("a,b"), QStringLiteral("\"a,b\""));
    EXPECT_EQ(quoted("say \"no\""), QStringLiteral("\"say \"\"no\"\"\""));
    EXPECT_EQ(quoted("two\nlines"), QStringLiteral("\"two\nlines\""));
    EXPECT_EQ(quoted(" blank before"), QStringLiteral("\" blank before\""));
    EXPECT_EQ(quoted(""), QString());
}

TEST(Export, NoCellIsAFormula) {
    EXPECT_EQ(quoted("=1+1"), QStringLiteral("'=1+1"));
    EXPECT_EQ(quoted("@SUM(A1)"), QStringLiteral("'@SUM(A1)"));
    EXPECT_EQ(quoted("+cmd|' /C calc'!A0"), QStringLiteral("'+cmd|' /C calc'!A0"));
    EXPECT_EQ(quoted("-2+3+cmd"), QStringLiteral("'-2+3+cmd"));
    EXPECT_EQ(quoted("=HYPERLINK(\"x\",\"y\")"), QStringLiteral("\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""));
    // A tab in front is one of the ways around it.
    EXPECT_EQ(tsv_field(QStringLiteral("\t=1")), QStringLiteral(" =1"));
    // Figures stay figures.
    for (const char* figure : {"-6.5", "+1.9 % ± 0.3", "-1e-05", "−12.9 %", "1.16×"})
        EXPECT_EQ(quoted(figure), QString::fromUtf8(figure));
    // Two numbers are a sum, not a figure.
    EXPECT_EQ(quoted("-1+2"), QStringLiteral("'-1+2"));
}

TEST(Export, TablesAsShown) {
    QStandardItemModel model(0, 2);
    model.setHorizontalHeaderLabels({QStringLiteral("turn"), QStringLiteral("median, ms")});
    auto* parent = new QStandardItem(QStringLiteral("3"));
    parent->appendRow({new QStandardItem(QStringLiteral("tile=64")), new QStandardItem(QStringLiteral("1.8"))});
    auto* figure = new QStandardItem(QStringLiteral("1.7 | best"));
    figure->setTextAlignment(Qt::AlignRight);
    model.appendRow({parent, figure});
    EXPECT_EQ(table_of(model, TableFormat::csv), "turn,\"median, ms\"\r\n3,1.7 | best\r\ntile=64,1.8\r\n");
    EXPECT_EQ(table_of(model, TableFormat::tsv), "turn\tmedian, ms\n3\t1.7 | best\ntile=64\t1.8\n");
    EXPECT_EQ(
        table_of(model, TableFormat::markdown),
        QStringLiteral("| turn | median, ms |\n| --- | ---: |\n| 3 | 1.7 \\| best |\n| — tile=64 | 1.8 |\n").toUtf8());
    EXPECT_EQ(markdown_field(QStringLiteral("<img src=x>\n*a*")), QStringLiteral("&lt;img src=x> \\*a\\*"));
    QStandardItemModel nothing;
    EXPECT_TRUE(table_of(nothing, TableFormat::csv).isEmpty());
    for (const TableFormat format : {TableFormat::csv, TableFormat::tsv, TableFormat::markdown})
        EXPECT_EQ(parse_table_format(to_string(format)), format);
}

TEST(Export, PicturesHaveTheirSizeAndBackground) {
    const QColor back(10, 20, 30);
    QRectF told;
    const Draw draw = [&](QPainter& painter, const QRectF& area) {
        told = area;
        painter.fillRect(QRectF(0, 0, 10, 10), QColor(200, 0, 0));
        painter.drawText(QPointF(30, 30), QStringLiteral("label"));
    };
    const auto png = png_of(draw, {100, 50}, back);
    ASSERT_TRUE(png.ok());
    const QImage image = QImage::fromData(png.value(), "PNG");
    EXPECT_EQ(image.size(), QSize(200, 100));
    EXPECT_EQ(told, QRectF(0, 0, 100, 50));
    EXPECT_EQ(image.pixelColor(19, 19), QColor(200, 0, 0));
    EXPECT_EQ(image.pixelColor(199, 99), back);
    const auto svg = svg_of(draw, {100, 50}, back, QStringLiteral("Timeline <1>"));
    ASSERT_TRUE(svg.ok());
    EXPECT_TRUE(svg.value().contains("viewBox=\"0 0 100 50\"")) << svg.value().toStdString();
    EXPECT_TRUE(svg.value().contains("label"));
    for (const QSize absurd : {QSize(0, 10), QSize(-1, -1), QSize(100000, 10)}) {
        EXPECT_EQ(png_of(draw, absurd, back).error().code, "export-failed");
        EXPECT_EQ(svg_of(draw, absurd, back).error().code, "export-failed");
    }
}

} // namespace
} // namespace kf::ui
