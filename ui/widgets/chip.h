// SPDX-License-Identifier: GPL-3.0-or-later
// A small outlined label: a verdict with its shape and word, or any word in a colour ("REPLAY ×4"). It can fill from
// the left as cases are done.
#pragma once

#include "ui/theme/marks.h"

#include <QWidget>
#include <optional>

namespace kf::ui {

class Chip : public QWidget {
    Q_OBJECT
public:
    explicit Chip(QWidget* parent = nullptr);

    // `text` empty: the verdict's word.
    void set_verdict(VerdictKind kind, const QString& text = {});
    void set_evidence(Level level, const QString& text = {});
    enum class Tint { neutral, accent, good, caution, error, wrong };
    void set_text(const QString& text, Tint tint = Tint::neutral);
    // 0 … 1 of its width is filled; outside of that: not filled.
    void set_progress(double done);

    QString text() const { return m_text; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void tell();
    QColor colour() const;
    int mark_width() const;

    QString m_text;
    std::optional<VerdictKind> m_verdict;
    std::optional<Level> m_level;
    Tint m_tint = Tint::neutral;
    double m_progress = -1;
};

} // namespace kf::ui
