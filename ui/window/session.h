// SPDX-License-Identifier: GPL-3.0-or-later
// What is remembered between two starts: the run, layouts, geometry, selection, tabs. One file, replaced as a whole;
// one that cannot be read counts as none.
#pragma once

#include "core/base/result.h"
#include "ui/models/selection.h"

#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>

namespace kf::ui {

struct Session {
    QString run;  // folder or file; "": the start page
    QString task; // chosen in the bar
    QString layout = QStringLiteral("watch");
    QMap<QString, QByteArray> arrangements; // layout → text of arrangement.h
    QByteArray geometry;                    // of QWidget::saveGeometry
    QMap<QString, QByteArray> panes;        // pane → its own state
    Chosen selected, pinned;
    bool follow = true;
    QStringList recent_actions, recent_runs, pinned_tasks;
};

QString session_file();
Session load_session(const QString& file = session_file());
Status save_session(const Session& session, const QString& file = session_file());

} // namespace kf::ui
