// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/workspace.h"

#include "ui/theme/icons.h"
#include "ui/window/plate.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr int rail_width = 44, least_centre = 420, least_row = 140;

QSplitter* make_splitter(Qt::Orientation orientation, const QString& name, QWidget* parent) {
    auto* splitter = new QSplitter(orientation, parent);
    splitter->setObjectName(name);
    splitter->setHandleWidth(1);
    splitter->setChildrenCollapsible(false);
    return splitter;
}

} // namespace

Workspace::Workspace(std::vector<Pane*> panes, QWidget* headline, QWidget* parent)
    : QWidget(parent), m_panes(std::move(panes)), m_headline(headline),
      m_arrangement(built_in(QStringLiteral("watch"))),
      m_columns(make_splitter(Qt::Horizontal, QStringLiteral("columns"), this)),
      m_rows(make_splitter(Qt::Vertical, QStringLiteral("rows"), m_columns)),
      m_rail(new Plate(&Theme::window, Qt::RightEdge, this)), m_right(new Plate(&Theme::panel, {}, m_columns)),
      m_headline_holder(new Plate(&Theme::panel, Qt::BottomEdge, m_right)) {
    setObjectName(QStringLiteral("workspace"));
    for (const Area area : areas)
        m_areas[area] = new DockArea(area, this);

    m_rail->setObjectName(QStringLiteral("rail"));
    m_rail->setFixedWidth(rail_width);
    m_rail_layout = new QVBoxLayout(m_rail);
    m_rail_layout->setContentsMargins(4, 6, 5, 6);
    m_rail_layout->setSpacing(4);

    auto* headline_layout = new QVBoxLayout(m_headline_holder); // place_headline() fills it
    headline_layout->setContentsMargins(0, 0, 0, 1);
    m_right_layout = new QVBoxLayout(m_right);
    m_right_layout->setContentsMargins(0, 0, 0, 0);
    m_right_layout->setSpacing(0);
    m_right_layout->addWidget(m_headline_holder);
    m_right_layout->addWidget(m_areas[Area::right], 1);
    m_headline_holder->setVisible(m_headline != nullptr);

    m_rows->addWidget(m_areas[Area::centre]);
    m_rows->addWidget(m_areas[Area::bottom]);
    m_rows->setStretchFactor(0, 1);
    m_rows->setStretchFactor(1, 0);
    m_columns->addWidget(m_areas[Area::left]);
    m_columns->addWidget(m_rows);
    m_columns->addWidget(m_right);
    m_columns->setStretchFactor(0, 0);
    m_columns->setStretchFactor(1, 1);
    m_columns->setStretchFactor(2, 0);
    m_rows->setMinimumWidth(least_centre);
    m_areas[Area::centre]->setMinimumHeight(least_row);
    m_areas[Area::bottom]->setMinimumHeight(least_row);
    m_areas[Area::left]->setMinimumWidth(180);
    m_right->setMinimumWidth(280);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_rail);
    row->addWidget(m_columns, 1);

    for (const auto& [area, dock] : m_areas) {
        connect(dock, &DockArea::current_changed, this, [this, dock = dock](const QString& id) {
            if (const auto own = m_arrangement.area_of(id))
                m_arrangement.at(*own).current = id;
            if (m_compact && dock->area() == Area::bottom)
                m_arrangement.at(Area::bottom).current = id;
            Q_EMIT arranged();
        });
        connect(dock, &DockArea::order_changed, this, [this, dock = dock] {
            if (!m_compact)
                m_arrangement.at(dock->area()).panes = dock->ids();
            Q_EMIT arranged();
        });
        connect(dock, &DockArea::move_requested, this, [this](const QString& id, Area to) {
            take_sizes();
            m_arrangement.move(id, to);
            rebuild();
            show_pane(id);
        });
        connect(dock, &DockArea::close_requested, this, &Workspace::close_pane);
    }
    for (const QSplitter* splitter : {m_columns, m_rows})
        connect(splitter, &QSplitter::splitterMoved, this, [this] {
            take_sizes();
            Q_EMIT arranged();
        });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        for (QWidget* widget = now; widget; widget = widget->parentWidget()) {
            auto* pane = qobject_cast<Pane*>(widget);
            if (!pane || std::ranges::find(m_panes, pane) == m_panes.end())
                continue;
            if (pane != m_active) {
                m_active = pane;
                Q_EMIT active_changed(pane);
            }
            return;
        }
    });
    rebuild();
}

Pane* Workspace::pane(const QString& id) const {
    const auto found = std::ranges::find_if(m_panes, [&id](const Pane* one) { return one->id() == id; });
    return found == m_panes.end() ? nullptr : *found;
}

QStringList Workspace::pane_ids() const {
    QStringList all;
    for (const Pane* one : m_panes)
        all << one->id();
    return all;
}

Arrangement Workspace::arrangement() const {
    return m_arrangement;
}

void Workspace::apply(const Arrangement& arrangement) {
    m_arrangement = arrangement;
    rebuild();
}

void Workspace::rebuild() {
    const Arrangement shown = m_compact ? compact(m_arrangement) : m_arrangement;
    for (const Area area : areas) {
        const AreaState& place = shown.at(area);
        std::vector<Pane*> here;
        for (const QString& id : place.panes)
            if (Pane* one = pane(id))
                here.push_back(one);
        m_areas[area]->set_panes(here, place.current);
        const bool visible = !here.empty() && place.shown && (area != Area::left || !m_compact || m_left_open);
        m_areas[area]->setVisible(visible);
        if (area == Area::right) {
            m_right->setVisible(visible);
            place_headline(visible);
        }
    }
    for (Pane* one : m_panes)
        if (!m_arrangement.area_of(one->id())) {
            one->setParent(this);
            one->hide();
        }
    m_rail->setVisible(m_compact);
    fill_rail();
    if (m_sized)
        set_sizes();
    Q_EMIT arranged();
}

void Workspace::place_headline(bool right_shown) {
    if (!m_headline)
        return;
    Pane* autopsy = pane(QStringLiteral("autopsy"));
    if (!right_shown && autopsy && autopsy->set_header(m_headline))
        return;
    if (autopsy)
        autopsy->set_header(nullptr);
    if (m_headline->parentWidget() != m_headline_holder) {
        m_headline_holder->layout()->addWidget(m_headline);
        m_headline->show();
    }
}

void Workspace::fill_rail() {
    for (QToolButton* button : m_rail_buttons)
        button->deleteLater();
    m_rail_buttons.clear();
    while (QLayoutItem* item = m_rail_layout->takeAt(0))
        delete item;
    for (const QString& id : m_arrangement.at(Area::left).panes) {
        Pane* one = pane(id);
        if (!one)
            continue;
        auto* button = new QToolButton(m_rail);
        button->setObjectName(QStringLiteral("rail.") + id);
        button->setIcon(icon(one->icon_name()));
        button->setIconSize({18, 18});
        button->setFixedSize(34, 34);
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setChecked(m_left_open && m_arrangement.at(Area::left).current == id);
        button->setToolTip(one->title());
        button->setAccessibleName(one->title());
        connect(button, &QToolButton::clicked, this, [this, id](bool open) {
            m_left_open = open;
            m_arrangement.at(Area::left).current = id;
            m_arrangement.at(Area::left).shown = true;
            rebuild();
            if (open)
                show_pane(id);
        });
        m_rail_layout->addWidget(button);
        m_rail_buttons.push_back(button);
    }
    m_rail_layout->addStretch(1);
}

void Workspace::set_sizes() {
    const int width = m_columns->width(), height = m_rows->height();
    const int left = static_cast<int>(m_arrangement.left_width * m_text_scale);
    const int right = static_cast<int>(m_arrangement.right_width * m_text_scale);
    m_columns->setSizes({left,
                         std::max(least_centre, width - (m_areas[Area::left]->isHidden() ? 0 : left) -
                                                    (m_right->isHidden() ? 0 : right)),
                         right});
    // In a low window the bottom must not take what the centre needs.
    const int bottom = std::min(m_arrangement.bottom_height, height * 45 / 100);
    m_rows->setSizes({height - bottom, bottom});
}

void Workspace::take_sizes() {
    const QList<int> columns = m_columns->sizes(), rows = m_rows->sizes();
    if (!m_areas[Area::left]->isHidden() && columns[0] > 0)
        m_arrangement.left_width = static_cast<int>(columns[0] / m_text_scale);
    if (!m_right->isHidden() && columns[2] > 0)
        m_arrangement.right_width = static_cast<int>(columns[2] / m_text_scale);
    if (!m_areas[Area::bottom]->isHidden() && rows[1] > 0)
        m_arrangement.bottom_height = rows[1];
}

void Workspace::choose_form(int width) {
    const bool narrow = width < static_cast<int>(compact_width * m_text_scale);
    if (narrow == m_compact)
        return;
    m_compact = narrow;
    m_left_open = false;
    rebuild();
    Q_EMIT compact_changed(narrow);
}

void Workspace::set_text_scale(double scale) {
    if (scale == m_text_scale)
        return;
    m_text_scale = scale;
    if (m_sized) {
        choose_form(width());
        set_sizes();
    }
}

void Workspace::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    choose_form(event->size().width());
    // The layout of the splitters follows after this event.
    m_sized = true;
    set_sizes();
    QMetaObject::invokeMethod(this, &Workspace::set_sizes, Qt::QueuedConnection);
}

void Workspace::show_pane(const QString& id, bool focus) {
    Pane* wanted = pane(id);
    if (!wanted)
        return;
    auto area = m_arrangement.area_of(id);
    if (!area) {
        const auto usual = built_in(m_arrangement.layout).area_of(id);
        m_arrangement.move(id, usual.value_or(Area::bottom));
        area = m_arrangement.area_of(id);
        rebuild();
    }
    AreaState& place = m_arrangement.at(*area);
    const bool hidden = !place.shown || (*area == Area::left && m_compact && !m_left_open);
    place.current = id;
    if (hidden) {
        place.shown = true;
        m_left_open = m_left_open || *area == Area::left;
        rebuild();
    }
    const Area shown_in = m_compact && *area == Area::right ? Area::bottom : *area;
    m_areas[shown_in]->set_current(id);
    if (shown_in != *area)
        m_arrangement.at(shown_in).current = id;
    if (focus) {
        wanted->focus_target()->setFocus(Qt::ShortcutFocusReason);
        m_active = wanted;
        Q_EMIT active_changed(wanted);
    }
    Q_EMIT arranged();
}

void Workspace::close_pane(const QString& id) {
    const auto area = m_arrangement.area_of(id);
    if (!area || (*area == Area::centre && m_arrangement.at(Area::centre).panes.size() == 1))
        return;
    take_sizes();
    m_arrangement.close(id);
    rebuild();
}

QStringList Workspace::closed() const {
    QStringList all;
    for (const Pane* one : m_panes)
        if (!m_arrangement.area_of(one->id()))
            all << one->id();
    return all;
}

void Workspace::open_all_closed() {
    const Arrangement usual = built_in(m_arrangement.layout);
    for (const QString& id : closed())
        m_arrangement.move(id, usual.area_of(id).value_or(Area::bottom));
    for (AreaState& place : m_arrangement.places)
        place.shown = true;
    rebuild();
}

std::vector<Pane*> Workspace::visible_panes() const {
    std::vector<Pane*> all;
    for (const Area area : areas)
        if (const DockArea* dock = m_areas.at(area); !dock->isHidden())
            if (Pane* front = dock->current(); front && front->isVisible())
                all.push_back(front);
    return all;
}

void Workspace::focus_next(int step) {
    const std::vector<Pane*> all = visible_panes();
    if (all.empty())
        return;
    const int count = static_cast<int>(all.size());
    const auto found = std::ranges::find(all, m_active);
    int next = step > 0 ? 0 : count - 1;
    if (found != all.end())
        next = (static_cast<int>(found - all.begin()) + step + count) % count;
    show_pane(all[static_cast<std::size_t>(next)]->id());
}

void Workspace::focus_centre() {
    if (const Pane* centre = m_areas.at(Area::centre)->current())
        show_pane(centre->id());
}

Pane* Workspace::active() const {
    if (m_active && m_active->isVisible())
        return m_active;
    const Pane* centre = m_areas.at(Area::centre)->current();
    return const_cast<Pane*>(centre);
}

void Workspace::toggle_area(Area area) {
    take_sizes();
    if (area == Area::left && m_compact)
        m_left_open = !m_left_open;
    else
        m_arrangement.at(area).shown = !m_arrangement.at(area).shown;
    rebuild();
}

} // namespace kf::ui
