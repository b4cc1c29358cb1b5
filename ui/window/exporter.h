// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+E: the pane that has the keyboard into a file, in one of its formats. The file dialog asks before it replaces
// anything; a file is written whole or not at all.
#pragma once

#include "ui/widgets/pane.h"

namespace kf::ui {

class Exporter : public QObject {
    Q_OBJECT
public:
    explicit Exporter(QWidget* window);

    // Asks where; says by done() or failed() what came of it.
    void ask(Pane* pane);
    // Without asking, the format by the file's ending.
    void write(Pane* pane, const QString& file);

Q_SIGNALS:
    void done(const QString& file);
    void failed(const kf::Error& error);

private:
    QWidget* m_window;
    QString m_folder;
};

} // namespace kf::ui
