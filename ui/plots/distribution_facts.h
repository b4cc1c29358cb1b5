// SPDX-License-Identifier: GPL-3.0-or-later
// The column beside the distributions: the verdict with its reason, figures of A and B, how they were measured and
// what differs. All of it can be selected and copied.
#pragma once

#include "ui/models/distribution_data.h"

#include <QWidget>

#include <vector>

class QGridLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace kf::ui {

class DistributionFacts : public QWidget {
    Q_OBJECT
public:
    explicit DistributionFacts(QWidget* parent = nullptr);
    // `invitation`: a sentence at the end, with a button ("Pin turn 8"); "" for none.
    void show_data(const DistributionData& shown, const QString& invitation, const QString& button);

Q_SIGNALS:
    void button_clicked();

protected:
    void changeEvent(QEvent* event) override;

private:
    enum class Look { headline, reason, heading_a, heading_b, what, figure, plain, dim, caution };
    QLabel* label(const QString& text, Look look);
    void restyle();

    QVBoxLayout* m_column;
    std::vector<std::pair<QLabel*, Look>> m_labels;
    QPushButton* m_button;
    QWidget* m_body = nullptr;
};

} // namespace kf::ui
