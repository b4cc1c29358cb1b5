// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/tree_pane.h"

#include "ui/docks/tree_plot.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/style.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int soon_ms = 100; // a tree of ten thousand turns is laid out anew in a few milliseconds, not at every event
constexpr int largest_picture = 16'000;

} // namespace

TreePane::TreePane(const PaneContext& context, QWidget* parent)
    : Pane(u"tree"_s, u"Tree"_s, u"tree"_s, parent), m_context(context),
      m_empty(new EmptyState(u"tree"_s, QString(), QString(), this)), m_body(new QWidget(this)),
      m_summary(new QLabel(m_body)), m_fold(new IconButton(u"filter"_s, u"Fold turns that led nowhere"_s, m_body)),
      m_scroll(new QScrollArea(m_body)), m_plot(new TreePlot) {
    m_stack = new QStackedLayout(this);
    m_stack->setContentsMargins(0, 0, 0, 0);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_body);
    auto* column = new QVBoxLayout(m_body);
    column->setContentsMargins(8, 6, 8, 6);
    column->setSpacing(4);
    auto* bar = new QHBoxLayout;
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_summary->setMinimumWidth(40);
    bar->addWidget(m_summary, 1);
    m_fold->setCheckable(true);
    m_fold->setChecked(true);
    m_fold->setObjectName(u"tree.fold"_s);
    bar->addWidget(m_fold);
    column->addLayout(bar);
    m_scroll->setWidget(m_plot);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setAccessibleName(u"Lineage of the turns"_s);
    set_surface(*m_scroll, Surface::panel);
    set_surface(*m_scroll->viewport(), Surface::panel);
    column->addWidget(m_scroll, 1);
    m_soon.setSingleShot(true);
    m_soon.setInterval(soon_ms);
    connect(&m_soon, &QTimer::timeout, this, &TreePane::refresh);
    const auto later = [this] {
        m_stale = true;
        if (isVisible() && !m_soon.isActive())
            m_soon.start();
    };
    connect(&context.store, &RunStore::changed, this, later);
    connect(&context.store, &RunStore::was_reset, this, [this] {
        m_options.unfolded.clear();
        refresh();
    });
    connect(&context.selection, &Selection::current_changed, this, [this](const Chosen& chosen) {
        m_plot->set_selected(chosen.turn);
        m_options.selected = chosen.turn;
        // Within a fold: it has to come out.
        const int node = m_plot->data().node_of(chosen.turn);
        if (node >= 0 && m_plot->data().nodes[static_cast<std::size_t>(node)].folded > 0)
            refresh();
        see_selected();
    });
    connect(&context.selection, &Selection::pinned_changed, this,
            [this](const Chosen& pinned) { m_plot->set_pinned(pinned.turn); });
    connect(m_fold, &QToolButton::clicked, this, [this](bool on) {
        m_options.fold = on;
        m_options.unfolded.clear();
        refresh();
    });
    connect(m_plot, &TreePlot::chosen, this, [this](int turn) { m_context.selection.select({turn, {}}); });
    connect(m_plot, &TreePlot::unfold_requested, this, [this](int turn) {
        if (!m_options.unfolded.erase(turn))
            m_options.unfolded.insert(turn);
        refresh();
    });
    connect(m_plot, &TreePlot::menu_requested, this, [this](int turn, const QPoint& place) {
        QMenu menu(this);
        menu.addAction(icon(u"timeline"_s), u"Select turn %1"_s.arg(turn), this, [this, turn] {
            m_context.selection.select({turn, {}});
        });
        QAction* fork = menu.addAction(icon(u"branch"_s), u"Fork from turn %1…"_s.arg(turn), this,
                                       [this, turn] { Q_EMIT fork_requested(turn); });
        fork->setEnabled(m_context.controller.state() == RunController::State::running);
        menu.addAction(icon(u"pin"_s), u"Pin turn %1 as baseline A"_s.arg(turn), this, [this, turn] {
            m_context.selection.pin({turn, {}});
        });
        menu.addSeparator();
        menu.addAction(icon(u"copy"_s), u"Copy the tree as text"_s, this, [this] {
            QGuiApplication::clipboard()->setText(m_plot->data().lines().join(u'\n'));
            m_context.notices.toast(u"Copied the tree"_s);
        });
        menu.exec(place);
    });
    connect(m_empty, &EmptyState::action_triggered, this, [this] { Q_EMIT link_activated(u"pane:runs"_s); });
    refresh();
}

void TreePane::showEvent(QShowEvent* event) {
    Pane::showEvent(event);
    if (m_stale)
        refresh();
    see_selected();
}

void TreePane::refresh() {
    m_stale = false;
    m_soon.stop();
    const RunState& state = m_context.store.state();
    if (state.turns.empty()) {
        if (m_context.store.mode() == RunMode::none)
            m_empty->set(u"tree"_s, u"No run is open, so there is no tree."_s, u"Show the runs"_s);
        else
            m_empty->set(u"tree"_s, u"The run has no turn yet."_s);
        m_stack->setCurrentWidget(m_empty);
        m_plot->set_data({});
        return;
    }
    m_options.selected = m_context.selection.current().turn;
    m_plot->set_data(tree_data(state, m_options));
    m_plot->set_selected(m_options.selected);
    m_plot->set_pinned(m_context.selection.pinned().turn);
    const TreeData& tree = m_plot->data();
    QString text =
        u"%1 · %2"_s.arg(tree.turns == 1 ? u"1 turn"_s : u"%1 turns"_s.arg(tree.turns),
                         tree.generations == 1 ? u"1 generation"_s : u"%1 generations"_s.arg(tree.generations));
    if (!tree.unit.isEmpty())
        text += u" · times in "_s + tree.unit;
    if (tree.missing > 0)
        text += tree.missing == 1 ? u" · 1 parent missing"_s : u" · %1 parents missing"_s.arg(tree.missing);
    m_summary->setText(text);
    m_summary->setFont(text_font(12));
    m_stack->setCurrentWidget(m_body);
    see_selected();
}

void TreePane::see_selected() {
    if (!isVisible())
        return;
    const QRect rect = m_plot->rect_of(m_context.selection.current().turn);
    if (!rect.isEmpty())
        m_scroll->ensureVisible(rect.center().x(), rect.center().y(), rect.width() / 2 + 30, rect.height() + 30);
}

QWidget* TreePane::focus_target() {
    return m_stack->currentWidget() == m_body ? static_cast<QWidget*>(m_plot)
                                              : static_cast<QWidget*>(m_empty->button());
}

QString TreePane::text_twin() const {
    return m_context.store.state().turns.empty() ? m_empty->sentence() : m_plot->text_twin();
}

Result<QByteArray> TreePane::export_as(const QString& format) const {
    if (m_plot->data().nodes.empty())
        return make_error("export-empty", "There is no tree to export", "Open a run");
    if (format == u"txt"_s)
        return (m_plot->data().lines().join(u'\n') + u'\n').toUtf8();
    if (format == u"png"_s && m_plot->content_size().height() > largest_picture)
        return make_error("export-failed", "The tree is too high for a picture", "Export it as svg or txt");
    return m_plot->export_as(format, m_plot->content_size());
}

} // namespace kf::ui
