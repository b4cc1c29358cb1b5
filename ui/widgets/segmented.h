// SPDX-License-Identifier: GPL-3.0-or-later
// A row of buttons of which one is down: "Histogram | ECDF | Box | Raw". Left and right walk it.
#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;
class QHBoxLayout;

namespace kf::ui {

class Segmented : public QWidget {
    Q_OBJECT
public:
    explicit Segmented(const QStringList& items, QWidget* parent = nullptr);

    int index() const;
    QString text(int index) const;
    int count() const;
    // Does not emit.
    void set_index(int index);
    // Why it cannot be chosen is its tool tip.
    void set_item_enabled(int index, bool enabled, const QString& tool_tip = {});

Q_SIGNALS:
    void index_changed(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void walk(int step);

    QHBoxLayout* m_row;
    QButtonGroup* m_group;
};

} // namespace kf::ui
