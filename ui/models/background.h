// SPDX-License-Identifier: GPL-3.0-or-later
// Work that must not hold up the window: done on a thread of the pool, its result brought back to the user-interface
// thread unless whoever asked is gone. Whether a result still matters is the receiver's to know.
#pragma once

#include <QObject>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <utility>

namespace kf::ui {

template<class Work, class Done> void in_background(QObject* context, Work work, Done done) {
    // The relay belongs to the user-interface thread; at the program's end it may stay behind with its thread.
    auto* relay = new QObject;
    QThreadPool::globalInstance()->start(
        [relay, guard = QPointer<QObject>(context), work = std::move(work), done = std::move(done)]() mutable {
            auto result = std::make_shared<decltype(work())>(work());
            QMetaObject::invokeMethod(
                relay,
                [relay, guard = std::move(guard), result, done = std::move(done)]() mutable {
                    relay->deleteLater();
                    if (guard)
                        done(std::move(*result));
                },
                Qt::QueuedConnection);
        });
}

} // namespace kf::ui
