// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/error_map_view.h"

#include "ui/docks/error_map.h"
#include "ui/docks/sweep_model.h"
#include "ui/docks/tables.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/segmented.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QTableView>
#include <QVBoxLayout>

namespace kf::ui {
namespace {

QLabel* make_label(QWidget* parent, bool dim) {
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (dim)
        label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

// The worst first, then the first ones that are not among them.
std::vector<BadElement> elements_of(const ErrorMapData& map) {
    std::vector<BadElement> elements = map.worst;
    for (const BadElement& one : map.first)
        if (std::none_of(map.worst.begin(), map.worst.end(),
                         [&](const BadElement& other) { return other.index == one.index; }))
            elements.push_back(one);
    return elements;
}

} // namespace

ErrorMapView::ErrorMapView(QWidget* parent)
    : QWidget(parent), m_column(new QVBoxLayout(this)), m_pattern(make_label(this, false)),
      m_case(make_label(this, true)), m_cell(make_label(this, true)), m_map(new ErrorMap(this)),
      m_table(new QTableView(this)), m_elements(new ElementModel(this)) {
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(6);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_pattern, m_case, m_map, m_cell, m_table})
        m_column->addWidget(widget);
    m_table->setModel(m_elements);
    set_up_table(*m_table, QStringLiteral("Worst elements"));
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    embed(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(ElementModel::index_column, QHeaderView::Stretch);
    connect(m_map, &ErrorMap::cell_changed, this, &ErrorMapView::tell_cell);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (now.isValid())
            m_map->choose(m_map->data().cell_of(m_elements->elements()[static_cast<std::size_t>(now.row())].index));
    });
    restyle();
}

void ErrorMapView::set_maps(std::vector<ErrorMapData> maps) {
    m_maps = std::move(maps);
    delete m_outputs;
    m_outputs = nullptr;
    if (m_maps.size() > 1 && m_maps.size() <= 6) {
        QStringList names;
        for (const ErrorMapData& map : m_maps)
            names << map.output;
        m_outputs = new Segmented(names, this);
        m_outputs->setAccessibleName(QStringLiteral("Output"));
        m_column->insertWidget(0, m_outputs);
        connect(m_outputs, &Segmented::index_changed, this,
                [this](int index) { show_map(static_cast<std::size_t>(std::max(0, index))); });
    }
    show_map(0);
}

void ErrorMapView::show_map(std::size_t at) {
    m_at = std::min(at, m_maps.empty() ? 0 : m_maps.size() - 1);
    const ErrorMapData map = m_maps.empty() ? ErrorMapData() : m_maps[m_at];
    QString count =
        QStringLiteral("%1 of %2 elements of %3 are wrong").arg(map.bad_elements).arg(map.elements).arg(map.output);
    m_pattern->setText(map.pattern.isEmpty() ? count : map.pattern.left(1).toUpper() + map.pattern.mid(1));
    m_case->setText((map.pattern.isEmpty() ? QString() : count + QStringLiteral(" · ")) + map.test_case +
                    (map.held_out ? QStringLiteral(" · held out") : QString()));
    m_case->setVisible(!m_case->text().isEmpty());
    m_map->setVisible(!map.empty());
    m_map->set_data(map);
    m_cell->setVisible(!map.empty());
    m_elements->set_elements(elements_of(map));
    m_table->setVisible(m_elements->rowCount() > 0);
    fit_height(*m_table, 12);
    tell_cell();
}

void ErrorMapView::tell_cell() {
    const QString text = m_map->cell_text();
    m_cell->setText(text.isEmpty() ? QStringLiteral("Point at a cell, or walk with the arrow keys.")
                                   : text.left(1).toUpper() + text.mid(1));
}

bool ErrorMapView::show_element(const QString& target) {
    for (std::size_t at = 0; at < m_maps.size(); ++at) {
        if (!target.startsWith(m_maps[at].output + QLatin1Char('[')))
            continue;
        if (at != m_at) {
            if (m_outputs)
                m_outputs->set_index(static_cast<int>(at));
            show_map(at);
        }
        for (std::size_t row = 0; row < m_elements->elements().size(); ++row)
            if (target == m_maps[at].output + index_text(m_elements->elements()[row].index)) {
                m_table->setCurrentIndex(m_elements->index(static_cast<int>(row), 0));
                return true;
            }
        return true;
    }
    return false;
}

void ErrorMapView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(icon(QStringLiteral("copy")), QStringLiteral("Copy picture"), this, [this] {
        if (const auto png = m_map->export_as(QStringLiteral("png")))
            QApplication::clipboard()->setImage(QImage::fromData(*png));
    });
    menu.addAction(QStringLiteral("Copy counts as CSV"), this,
                   [this] { QApplication::clipboard()->setText(QString::fromUtf8(m_map->csv())); });
    menu.addAction(QStringLiteral("Copy as text"), this,
                   [this] { QApplication::clipboard()->setText(m_map->text_twin()); });
    menu.exec(event->reason() == QContextMenuEvent::Keyboard ? m_map->mapToGlobal(m_map->rect().center())
                                                             : event->globalPos());
}

void ErrorMapView::restyle() {
    m_pattern->setFont(text_font(13));
    m_case->setFont(text_font(12));
    m_cell->setFont(text_font(12));
}

void ErrorMapView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::ApplicationFontChange || event->type() == QEvent::StyleChange)
        restyle();
    QWidget::changeEvent(event);
}

} // namespace kf::ui
