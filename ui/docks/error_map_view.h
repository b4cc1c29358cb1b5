// SPDX-License-Identifier: GPL-3.0-or-later
// The error maps of a failing case: the output to look at, the pattern in words, the map, what the pointer names, and
// the worst elements, which are found on the map when they are chosen.
#pragma once

#include "ui/models/autopsy_data.h"

#include <QWidget>

class QLabel;
class QTableView;
class QVBoxLayout;

namespace kf::ui {

class ElementModel;
class ErrorMap;
class Segmented;

class ErrorMapView : public QWidget {
    Q_OBJECT
public:
    explicit ErrorMapView(QWidget* parent = nullptr);

    void set_maps(std::vector<ErrorMapData> maps);
    ErrorMap& map() const { return *m_map; }
    QTableView& table() const { return *m_table; }
    // "out[3, 300]": chooses the output, the element's row and its cell; false when it is not among them.
    bool show_element(const QString& target);

protected:
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void show_map(std::size_t at);
    void tell_cell();
    void restyle();

    std::vector<ErrorMapData> m_maps;
    std::size_t m_at = 0;
    QVBoxLayout* m_column;
    Segmented* m_outputs = nullptr;
    QLabel *m_pattern, *m_case, *m_cell;
    ErrorMap* m_map;
    QTableView* m_table;
    ElementModel* m_elements;
};

} // namespace kf::ui
