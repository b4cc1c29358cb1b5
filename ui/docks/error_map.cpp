// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/error_map.h"

#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"
#include "ui/widgets/export.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

constexpr double label_gap = 6, largest_cell = 36, least_size = 120;

QString range_text(const char* one, const char* many, std::optional<std::pair<std::int64_t, std::int64_t>> range,
                   int cell) {
    if (!range)
        return QStringLiteral("%1 cell %2").arg(QString::fromLatin1(one)).arg(cell);
    return range->first == range->second
               ? QStringLiteral("%1 %2").arg(QString::fromLatin1(one)).arg(range->first)
               : QStringLiteral("%1 %2–%3").arg(QString::fromLatin1(many)).arg(range->first).arg(range->second);
}

} // namespace

ErrorMap::ErrorMap(QWidget* parent) : PlotWidget(QStringLiteral("Error map"), parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setSizePolicy(policy);
}

void ErrorMap::set_data(ErrorMapData data) {
    m_data = std::move(data);
    m_cell.reset();
    m_kept = false;
    setAccessibleName(QStringLiteral("Error map of %1").arg(m_data.output));
    updateGeometry();
    plot_changed();
    Q_EMIT cell_changed();
}

void ErrorMap::choose(std::optional<std::pair<int, int>> cell) {
    if (cell && (cell->first < 0 || cell->first >= m_data.rows || cell->second < 0 || cell->second >= m_data.columns))
        cell.reset();
    m_kept = cell.has_value();
    if (cell == m_cell)
        return;
    m_cell = cell;
    update();
    Q_EMIT cell_changed();
}

QString ErrorMap::cell_text() const {
    if (!m_cell || m_data.empty())
        return {};
    const auto [row, column] = *m_cell;
    const auto rows = m_data.rows_of(row), columns = m_data.columns_of(column);
    const std::uint32_t bad = m_data.bad[static_cast<std::size_t>(row) * static_cast<std::size_t>(m_data.columns) +
                                         static_cast<std::size_t>(column)];
    QString text =
        range_text("row", "rows", rows, row) + QStringLiteral(", ") + range_text("column", "columns", columns, column);
    text += rows && columns ? QStringLiteral(": %1 of %2 wrong")
                                  .arg(bad)
                                  .arg((rows->second - rows->first + 1) * (columns->second - columns->first + 1))
                            : QStringLiteral(": %1 wrong").arg(bad);
    return text;
}

QColor ErrorMap::colour(std::uint32_t bad) const {
    const Theme& theme = Theme::current();
    if (bad == 0 || m_data.most == 0)
        return theme.window;
    // A single bad element is seen as well as a full cell.
    const double share = std::log1p(static_cast<double>(bad)) / std::log1p(static_cast<double>(m_data.most));
    return blend(theme.window, theme.wrong, 0.35 + 0.65 * share);
}

QRectF ErrorMap::cells_rect(const QRectF& area) const {
    const QFontMetricsF metrics(mono_font(11));
    double left = 0;
    for (const bool last : {false, true})
        left = std::max(left, metrics.horizontalAdvance(axis_label(true, last ? m_data.rows - 1 : 0, last)));
    const double title = metrics.height();
    QRectF cells = area.adjusted(left + label_gap + title + 2, 2, -8, -(2 * title + label_gap));
    cells.setWidth(std::min(cells.width(), largest_cell * m_data.columns));
    cells.setHeight(std::min(cells.height(), largest_cell * m_data.rows));
    return cells;
}

QRectF ErrorMap::cell_rect(const QRectF& cells, int row, int column) const {
    // Whole pixels, so that no seams show.
    const double x0 = std::round(cells.left() + cells.width() * column / m_data.columns);
    const double x1 = std::round(cells.left() + cells.width() * (column + 1) / m_data.columns);
    const double y0 = std::round(cells.top() + cells.height() * row / m_data.rows);
    const double y1 = std::round(cells.top() + cells.height() * (row + 1) / m_data.rows);
    return {x0, y0, x1 - x0, y1 - y0};
}

QString ErrorMap::axis_label(bool rows, int cell, bool last) const {
    const auto range = rows ? m_data.rows_of(cell) : m_data.columns_of(cell);
    return QString::number(!range ? cell : last ? range->second : range->first);
}

void ErrorMap::render_to(QPainter& painter, const QRectF& area) const {
    const Theme& theme = Theme::current();
    if (m_data.empty())
        return;
    painter.save();
    const QRectF cells = cells_rect(area);
    const double gap = std::min(cells.width() / m_data.columns, cells.height() / m_data.rows) >= 6 ? 1 : 0;
    for (int row = 0; row < m_data.rows; ++row)
        for (int column = 0; column < m_data.columns; ++column) {
            const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(m_data.columns) +
                                   static_cast<std::size_t>(column);
            painter.fillRect(cell_rect(cells, row, column).adjusted(0, 0, -gap, -gap), colour(m_data.bad[at]));
        }
    painter.setPen(QPen(theme.outline, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(cells.adjusted(-0.5, -0.5, 0.5, 0.5));

    painter.setFont(mono_font(11));
    painter.setPen(theme.dim);
    const QFontMetricsF metrics(painter.font());
    const double baseline = cells.bottom() + label_gap + metrics.ascent();
    painter.drawText(QPointF(cells.left(), baseline), axis_label(false, 0, false));
    if (m_data.columns > 1) {
        const QString last = axis_label(false, m_data.columns - 1, true);
        painter.drawText(QPointF(std::max(cells.left() + metrics.horizontalAdvance(axis_label(false, 0, false)) + 8,
                                          cells.right() - metrics.horizontalAdvance(last)),
                                 baseline),
                         last);
    }
    const QString first_row = axis_label(true, 0, false);
    painter.drawText(
        QPointF(cells.left() - label_gap - metrics.horizontalAdvance(first_row), cells.top() + metrics.ascent()),
        first_row);
    if (m_data.rows > 1 && cells.height() > 2 * metrics.height()) {
        const QString last = axis_label(true, m_data.rows - 1, true);
        painter.drawText(
            QPointF(cells.left() - label_gap - metrics.horizontalAdvance(last), cells.bottom() - metrics.descent() + 1),
            last);
    }
    painter.setFont(text_font(11));
    painter.setPen(theme.faint);
    const QFontMetricsF titles(painter.font());
    const bool whole = m_data.output_columns > 0;
    const QString column_title = whole ? QStringLiteral("column of %1").arg(m_data.output)
                                       : QStringLiteral("column, in %1 cells").arg(m_data.columns);
    painter.drawText(QPointF(cells.left(), baseline + titles.height()), column_title);
    const QString row_title = cells.height() > 90   ? QStringLiteral("row of %1").arg(m_data.output)
                              : cells.height() > 24 ? QStringLiteral("row")
                                                    : QString();
    painter.translate(area.left() + titles.ascent(), cells.center().y());
    painter.rotate(-90);
    const QString fitted = titles.elidedText(row_title, Qt::ElideMiddle, std::max(20.0, cells.height()));
    painter.drawText(QPointF(-titles.horizontalAdvance(fitted) / 2, 0), fitted);
    painter.restore();
}

void ErrorMap::paintEvent(QPaintEvent* event) {
    PlotWidget::paintEvent(event);
    if (!m_cell || m_data.empty())
        return;
    QPainter painter(this);
    const QRectF cell = cell_rect(cells_rect(QRectF(rect())), m_cell->first, m_cell->second);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Theme::current().panel, 3));
    painter.drawRect(cell.adjusted(-1.5, -1.5, 0.5, 0.5));
    painter.setPen(QPen(Theme::current().text, 1.5));
    painter.drawRect(cell.adjusted(-1.5, -1.5, 0.5, 0.5));
}

QString ErrorMap::text_twin() const {
    if (m_data.empty())
        return QStringLiteral("Error map: no map was kept for %1.")
            .arg(m_data.output.isEmpty() ? QStringLiteral("this output") : m_data.output);
    QString text = QStringLiteral("Error map of %1: %2 of %3 elements are wrong")
                       .arg(m_data.output)
                       .arg(m_data.bad_elements)
                       .arg(m_data.elements);
    if (!m_data.test_case.isEmpty())
        text += QStringLiteral(" in the case ") + m_data.test_case;
    if (!m_data.pattern.isEmpty())
        text += QStringLiteral("; ") + m_data.pattern;
    const auto cells = std::count_if(m_data.bad.begin(), m_data.bad.end(), [](std::uint32_t bad) { return bad > 0; });
    text += QStringLiteral(". %1 of %2 cells hold bad elements, at most %3 in one.")
                .arg(cells)
                .arg(m_data.bad.size())
                .arg(m_data.most);
    return text;
}

QByteArray ErrorMap::csv() const {
    QByteArray csv("first row,last row,first column,last column,wrong\r\n");
    for (int row = 0; row < m_data.rows; ++row)
        for (int column = 0; column < m_data.columns; ++column) {
            const auto rows = m_data.rows_of(row).value_or(std::pair<std::int64_t, std::int64_t>{row, row});
            const auto columns =
                m_data.columns_of(column).value_or(std::pair<std::int64_t, std::int64_t>{column, column});
            const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(m_data.columns) +
                                   static_cast<std::size_t>(column);
            csv += QByteArray::number(static_cast<qlonglong>(rows.first)) + ',' +
                   QByteArray::number(static_cast<qlonglong>(rows.second)) + ',' +
                   QByteArray::number(static_cast<qlonglong>(columns.first)) + ',' +
                   QByteArray::number(static_cast<qlonglong>(columns.second)) + ',' +
                   QByteArray::number(m_data.bad[at]) + "\r\n";
        }
    return csv;
}

QSize ErrorMap::sizeHint() const {
    if (m_data.empty())
        return {240, 0};
    const double labels = 2 * QFontMetricsF(mono_font(11)).height() + label_gap + 4;
    return {260, static_cast<int>(std::clamp(m_data.rows * 12.0, 24.0, 220.0) + labels)};
}

QSize ErrorMap::minimumSizeHint() const {
    return {m_data.empty() ? 0 : static_cast<int>(least_size), sizeHint().height()};
}

std::optional<std::pair<int, int>> ErrorMap::cell_at(QPointF point) const {
    if (m_data.empty())
        return std::nullopt;
    const QRectF cells = cells_rect(QRectF(rect()));
    if (!cells.contains(point))
        return std::nullopt;
    const int row = static_cast<int>((point.y() - cells.top()) * m_data.rows / cells.height());
    const int column = static_cast<int>((point.x() - cells.left()) * m_data.columns / cells.width());
    return std::pair{std::clamp(row, 0, m_data.rows - 1), std::clamp(column, 0, m_data.columns - 1)};
}

void ErrorMap::mouseMoveEvent(QMouseEvent* event) {
    const auto cell = cell_at(event->position());
    if (m_kept && !(event->buttons() & Qt::LeftButton)) {
        setToolTip({});
        return;
    }
    const bool kept = m_kept;
    choose(cell);
    m_kept = kept;
    setToolTip(cell_text());
}

void ErrorMap::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        choose(cell_at(event->position()));
    else
        PlotWidget::mousePressEvent(event);
}

void ErrorMap::leaveEvent(QEvent* event) {
    PlotWidget::leaveEvent(event);
    if (!m_kept)
        choose(std::nullopt);
}

void ErrorMap::focusInEvent(QFocusEvent* event) {
    PlotWidget::focusInEvent(event);
    if (m_cell || m_data.empty() || event->reason() == Qt::MouseFocusReason)
        return;
    // The keyboard begins at the worst cell.
    const auto worst = std::max_element(m_data.bad.begin(), m_data.bad.end()) - m_data.bad.begin();
    choose(std::pair{static_cast<int>(worst / m_data.columns), static_cast<int>(worst % m_data.columns)});
}

void ErrorMap::keyPressEvent(QKeyEvent* event) {
    if (m_data.empty()) {
        PlotWidget::keyPressEvent(event);
        return;
    }
    auto [row, column] = m_cell.value_or(std::pair{0, 0});
    switch (event->key()) {
    case Qt::Key_Left:
        --column;
        break;
    case Qt::Key_Right:
        ++column;
        break;
    case Qt::Key_Up:
        --row;
        break;
    case Qt::Key_Down:
        ++row;
        break;
    case Qt::Key_Home:
        column = 0;
        break;
    case Qt::Key_End:
        column = m_data.columns - 1;
        break;
    case Qt::Key_Escape:
        if (m_cell) {
            choose(std::nullopt);
            return;
        }
        PlotWidget::keyPressEvent(event);
        return;
    default:
        PlotWidget::keyPressEvent(event);
        return;
    }
    choose(std::pair{std::clamp(row, 0, m_data.rows - 1), std::clamp(column, 0, m_data.columns - 1)});
}

} // namespace kf::ui
