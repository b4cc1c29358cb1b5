// SPDX-License-Identifier: GPL-3.0-or-later
// What people write about turns, and which they starred. The journal belongs to the run's writer, so this stands in a
// file of its own: notes.json in the run's folder, or below the data folder for a packed run or a folder that cannot be
// written. A file is replaced as a whole, so that a crash leaves the old one.
#pragma once

#include "core/base/result.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <map>

namespace kf::ui {

class RunNotes : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    // `place`: the run's folder or file; "" forgets all. A damaged file is put aside and told by failed().
    void open(const QString& place);
    QString note(int turn) const;
    bool starred(int turn) const;
    void set_note(int turn, const QString& text);
    void set_starred(int turn, bool starred);
    const std::filesystem::path& file() const { return m_file; }

Q_SIGNALS:
    void changed(int turn); // -1: all
    void failed(const kf::Error& error);

private:
    struct Mark {
        QString note;
        bool star = false;
    };
    void save();
    std::map<int, Mark> m_marks;
    std::filesystem::path m_file;
};

} // namespace kf::ui
