// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/export.h"

#include <QAbstractItemModel>
#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <QWidget>
#include <cmath>

namespace kf::ui {
namespace {

constexpr int largest_side = 16384;

bool sensible(QSize size, double scale) {
    return size.width() > 0 && size.height() > 0 && std::isfinite(scale) && scale > 0 &&
           std::max(size.width(), size.height()) * scale <= largest_side;
}

kf::Error bad_size() {
    return make_error("export-failed", "The picture has no size, or is too large", "Give the pane more room, or less");
}

Result<QByteArray> encode(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (!buffer.open(QIODevice::WriteOnly) || !image.save(&buffer, "PNG"))
        return make_error("export-failed", "The picture could not be written as PNG", "Try a smaller one, or SVG");
    return bytes;
}

// A number as people and locales write it, or a figure with a sign ("−6.5 % ± 0.2", "1.16×"): a spreadsheet takes no
// harm from these.
bool is_figure(const QString& value) {
    bool digit = false;
    for (qsizetype i = 0; i < value.size(); ++i) {
        const QChar c = value[i];
        if (c.isDigit()) {
            digit = true;
            continue;
        }
        if ((c == u'-' || c == u'+') && (i == 0 || value[i - 1] == u'e' || value[i - 1] == u'E'))
            continue;
        if (c == u'.' || c == u',' || c == u' ' || c == u'%' || c == u'±' || c == u'×')
            continue;
        if ((c == u'e' || c == u'E') && digit)
            continue;
        return false;
    }
    return digit;
}

// Spreadsheets run a cell that begins with one of these as a formula.
QString neutral(const QString& value) {
    if (value.isEmpty())
        return value;
    const QChar first = value.front();
    const bool formula = first == u'=' || first == u'@' || first == u'\t' || first == u'\r' || first == u'\n' ||
                         first == u'|' || ((first == u'+' || first == u'-') && !is_figure(value));
    return formula ? u'\'' + value : value;
}

class Table {
public:
    Table(const QAbstractItemModel& model, TableFormat format) : m_model(model), m_format(format) {}

    QByteArray write(const QModelIndex& root) {
        const int columns = m_model.columnCount(root);
        if (columns <= 0)
            return {};
        QStringList header;
        for (int column = 0; column < columns; ++column)
            header << m_model.headerData(column, Qt::Horizontal).toString();
        line(header);
        if (m_format == TableFormat::markdown) {
            QString rule = QStringLiteral("|");
            for (int column = 0; column < columns; ++column)
                rule += right_aligned(root, column) ? QStringLiteral(" ---: |") : QStringLiteral(" --- |");
            m_out += rule + u'\n';
        }
        rows(root, columns, 0);
        return m_out.toUtf8();
    }

private:
    void rows(const QModelIndex& parent, int columns, int depth) {
        for (int row = 0; row < m_model.rowCount(parent); ++row) {
            QStringList cells;
            for (int column = 0; column < columns; ++column) {
                QString cell = m_model.index(row, column, parent).data().toString();
                if (column == 0 && depth > 0 && m_format == TableFormat::markdown)
                    cell.prepend(QStringLiteral("— ").repeated(depth));
                cells << cell;
            }
            line(cells);
            // Depth is bounded so that a model gone wrong cannot take the stack.
            if (depth < 32)
                rows(m_model.index(row, 0, parent), columns, depth + 1);
        }
    }

    bool right_aligned(const QModelIndex& root, int column) const {
        const QVariant alignment = m_model.index(0, column, root).data(Qt::TextAlignmentRole);
        return alignment.isValid() && (alignment.toInt() & Qt::AlignRight) != 0;
    }

    void line(const QStringList& cells) {
        QStringList fields;
        for (const QString& cell : cells)
            fields << (m_format == TableFormat::csv   ? csv_field(cell)
                       : m_format == TableFormat::tsv ? tsv_field(cell)
                                                      : markdown_field(cell));
        switch (m_format) {
        case TableFormat::csv:
            m_out += fields.join(u',') + QStringLiteral("\r\n");
            break;
        case TableFormat::tsv:
            m_out += fields.join(u'\t') + u'\n';
            break;
        case TableFormat::markdown:
            m_out += QStringLiteral("| ") + fields.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
            break;
        }
    }

    const QAbstractItemModel& m_model;
    TableFormat m_format;
    QString m_out;
};

} // namespace

Result<QByteArray> png_of(const Draw& draw, QSize size, const QColor& background, double scale) {
    if (!sensible(size, scale))
        return bad_size();
    QImage image(QSize(static_cast<int>(std::lround(size.width() * scale)),
                       static_cast<int>(std::lround(size.height() * scale))),
                 QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(background);
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    draw(painter, QRectF(QPointF(0, 0), QSizeF(size)));
    painter.end();
    return encode(image);
}

Result<QByteArray> svg_of(const Draw& draw, QSize size, const QColor& background, const QString& title) {
    if (!sensible(size, 1))
        return bad_size();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    // Font sizes are given in pixels: 96 of them an inch, as SVG has it.
    generator.setResolution(96);
    generator.setTitle(title);
    QPainter painter;
    if (!painter.begin(&generator))
        return make_error("export-failed", "The picture could not be written as SVG", "Try PNG");
    painter.fillRect(QRectF(QPointF(0, 0), QSizeF(size)), background);
    draw(painter, QRectF(QPointF(0, 0), QSizeF(size)));
    painter.end();
    return bytes;
}

Result<QByteArray> png_of(QWidget& widget, double scale) {
    if (!sensible(widget.size(), scale))
        return bad_size();
    QImage image(QSize(static_cast<int>(std::lround(widget.width() * scale)),
                       static_cast<int>(std::lround(widget.height() * scale))),
                 QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(scale);
    image.fill(widget.palette().color(QPalette::Window));
    widget.render(&image);
    return encode(image);
}

QString to_string(TableFormat format) {
    switch (format) {
    case TableFormat::csv:
        return QStringLiteral("csv");
    case TableFormat::tsv:
        return QStringLiteral("tsv");
    case TableFormat::markdown:
        return QStringLiteral("md");
    }
    return {};
}

std::optional<TableFormat> parse_table_format(const QString& name) {
    for (const TableFormat format : {TableFormat::csv, TableFormat::tsv, TableFormat::markdown})
        if (name == to_string(format))
            return format;
    return std::nullopt;
}

QString csv_field(const QString& value) {
    QString field = neutral(value);
    const bool quote = field.contains(u',') || field.contains(u'"') || field.contains(u'\n') || field.contains(u'\r') ||
                       field.startsWith(u' ') || field.endsWith(u' ');
    if (!quote)
        return field;
    field.replace(u'"', QStringLiteral("\"\""));
    return u'"' + field + u'"';
}

QString tsv_field(const QString& value) {
    // TSV has no quoting: a tab or a line break in a cell becomes a blank.
    QString field = value;
    for (QChar& c : field)
        if (c == u'\t' || c == u'\n' || c == u'\r')
            c = u' ';
    return neutral(field);
}

QString markdown_field(const QString& value) {
    QString field;
    for (const QChar c : value) {
        if (c == u'|' || c == u'\\' || c == u'`' || c == u'*' || c == u'_' || c == u'[' || c == u']' || c == u'~')
            field += u'\\';
        if (c == u'<')
            field += QStringLiteral("&lt;");
        else if (c == u'\n' || c == u'\r' || c == u'\t')
            field += u' ';
        else
            field += c;
    }
    return field;
}

QByteArray table_of(const QAbstractItemModel& model, TableFormat format, const QModelIndex& root) {
    return Table(model, format).write(root);
}

} // namespace kf::ui
