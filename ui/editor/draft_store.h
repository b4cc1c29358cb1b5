// SPDX-License-Identifier: GPL-3.0-or-later
// Drafts on disk, one a task, in the data folder and never in a run: NAME.cu beside NAME.json, which says what the
// draft came from. Both are replaced as a whole, so that a crash leaves the one before.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QDateTime>
#include <QString>

#include <optional>

namespace kf::ui {

struct SavedDraft {
    QByteArray text;     // UTF-8, LF
    QString run;         // name of the run that the draft came from; "": the task's start kernel
    int turn = -1;       // of that run; -1: the start kernel, or a file
    QString origin_hash; // of the text that it came from
    QDateTime saved;
    bool closed = false; // the window let go of it in order
    int line = 0;        // where the caret was, from 0
};

class DraftStore {
public:
    // `folder` "": data_folder()/drafts.
    explicit DraftStore(QString folder = {});

    Status save(const QString& task, const SavedDraft& draft) const;
    // nullopt: there is none that can be read. Details that do not belong to the text are left out.
    std::optional<SavedDraft> load(const QString& task) const;
    void remove(const QString& task) const;
    QString path_of(const QString& task) const; // of the .cu file
    const QString& folder() const { return m_folder; }

private:
    QString base_of(const QString& task) const;
    QString m_folder;
};

} // namespace kf::ui
