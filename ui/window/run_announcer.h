// SPDX-License-Identifier: GPL-3.0-or-later
// What happens in a live run and is worth a word while one looks elsewhere: a new champion, the end. History that is
// read when a run is opened is not announced.
#pragma once

#include "ui/models/run_store.h"

namespace kf::ui {

class RunAnnouncer : public QObject {
    Q_OBJECT
public:
    explicit RunAnnouncer(RunStore& store, QObject* parent = nullptr);

Q_SIGNALS:
    void announced(const QString& title, const QString& text, int turn);

private:
    void look(const std::vector<Event>& events);
    RunStore& m_store;
};

} // namespace kf::ui
