// SPDX-License-Identifier: GPL-3.0-or-later
// What became of the selected turn, as cards: what changed, what happened, why, what next, what was checked. The cards
// are made on a worker; one that comes late is dropped.
#pragma once

#include "ui/models/autopsy_data.h"
#include "ui/widgets/pane.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

class QScrollArea;
class QStackedLayout;
class QTableView;
class QVBoxLayout;

namespace kf::ui {

class Card;
class EmptyState;
class ErrorMapView;
class SweepModel;

class AutopsyPane : public Pane {
    Q_OBJECT
public:
    explicit AutopsyPane(const PaneContext& context, QWidget* parent = nullptr);

    const AutopsyData& data() const { return m_data; }
    QString text_twin() const override;
    QStringList export_formats() const override;
    Result<QByteArray> export_as(const QString& format) const override;
    QWidget* focus_target() override;
    // The headline, where the window is too narrow for its column.
    bool set_header(QWidget* header) override;
    // The error map of the shown turn; null when there is none.
    ErrorMapView* error_map() const { return m_page.map; }

    // The first piece of evidence that can be looked at: a line, an element.
    void show_evidence();
    void copy() const;
    // "line:12:5", "element:out[3, 4]", "diff": what is ours is shown here, the rest is told on.
    void open_link(const QString& target);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    enum class State { nothing, no_turns, not_chosen, loading, cards };
    // The widgets of one page that are asked for later.
    struct Page {
        QWidget* widget = nullptr;
        ErrorMapView* map = nullptr;
        QTableView* sweep = nullptr;
        SweepModel* points = nullptr;
        Card* changed = nullptr;
    };
    void refresh_soon();
    void refresh();
    AutopsySources gather(const TurnState& turn, const Chosen& chosen) const;
    void receive(AutopsyData data, std::uint64_t request);
    void show_state(State state);
    void begin_page();
    void add_card();
    void finish_page();
    int columns_that_fit() const;
    Card* make_card(const AutopsyCard& card, Page& page);
    void fill_sweep(Card& card, Page& page);
    void fill_actions(Card& card);
    void toggle_diff(Page& page);
    void choose_point(int row);
    void act();

    PaneContext m_context;
    AutopsyData m_data;
    std::uint64_t m_request = 0;
    State m_state = State::nothing;
    bool m_diff_open = false, m_choosing = false;
    QTimer m_soon, m_slow;
    QElapsedTimer m_refreshed;
    QVBoxLayout* m_column;
    QStackedLayout* m_stack;
    QPointer<QWidget> m_header;
    EmptyState* m_empty;
    QScrollArea* m_scroll;
    // A page in the making, one card at a time: all of them at once would hold up the window for a frame or two.
    struct Making {
        std::unique_ptr<QWidget> widget;
        Page page;
        std::vector<QVBoxLayout*> columns;
        std::vector<std::size_t> order; // of the cards
        std::size_t next = 0;           // of these
        Card* actions = nullptr;
        int scrolled = 0; // pixels, once it is shown
    };
    std::optional<Making> m_making;
    QTimer m_step;
    Page m_page;
    int m_columns = 1; // of cards
};

} // namespace kf::ui
