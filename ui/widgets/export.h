// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures and tables on their way out: PNG at 2×, SVG, CSV, TSV, Markdown. Pure functions.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QColor>
#include <QModelIndex>
#include <QRectF>
#include <QSize>
#include <QString>
#include <functional>

class QAbstractItemModel;
class QPainter;
class QWidget;

namespace kf::ui {

using Draw = std::function<void(QPainter&, const QRectF&)>;

// All: error "export-failed" for an empty or absurd size.
Result<QByteArray> png_of(const Draw& draw, QSize size, const QColor& background, double scale = 2);
Result<QByteArray> svg_of(const Draw& draw, QSize size, const QColor& background, const QString& title = {});
Result<QByteArray> png_of(QWidget& widget, double scale = 2);

enum class TableFormat { csv, tsv, markdown };
// "csv", "tsv", "md".
QString to_string(TableFormat format);
std::optional<TableFormat> parse_table_format(const QString& name);

// Header and rows as shown (DisplayRole; children below their parent, the first column indented in Markdown). Cells
// that a spreadsheet would run as a formula are led by an apostrophe in CSV and TSV; plain numbers are left as they
// are. Lines end with CRLF in CSV (RFC 4180), with LF else.
QByteArray table_of(const QAbstractItemModel& model, TableFormat format, const QModelIndex& root = {});
QString csv_field(const QString& value);
QString tsv_field(const QString& value);
QString markdown_field(const QString& value);

} // namespace kf::ui
