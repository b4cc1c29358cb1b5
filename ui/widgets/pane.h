// SPDX-License-Identifier: GPL-3.0-or-later
// What a dock holds. A pane follows the store and the selection it is given, tells what it shows as text, and exports
// it; the window gives it a dock with a title, actions and a place.
#pragma once

#include "core/base/result.h"
#include "ui/control/run_controller.h"
#include "ui/models/run_store.h"
#include "ui/models/selection.h"

#include <QAction>
#include <QWidget>

namespace kf::ui {

class RunNotes;

// Messages that a pane or a controller has for the person; the window shows them as banners and toasts.
class Notices : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    // A toast: goes by itself. A banner stays until it is closed or its cause (`key`) is cleared.
    void toast(const QString& text) { Q_EMIT toasted(text); }
    void banner(const QString& key, const kf::Error& error) { Q_EMIT bannered(key, error); }
    void clear(const QString& key) { Q_EMIT cleared(key); }
Q_SIGNALS:
    void toasted(const QString& text);
    void bannered(const QString& key, const kf::Error& error);
    void cleared(const QString& key);
};

// What every pane is made with; all outlive it.
struct PaneContext {
    RunStore& store;
    Selection& selection;
    RunController& controller;
    Notices& notices;
    RunNotes* run_notes = nullptr; // what people wrote about the turns; null: nobody keeps any
};

class Pane : public QWidget {
    Q_OBJECT
public:
    // `id`: stable, for layouts ("timeline"); `icon`: a name of theme/icons.h.
    Pane(const QString& id, const QString& title, const QString& icon, QWidget* parent = nullptr);

    const QString& id() const { return m_id; }
    const QString& title() const { return m_title; }
    const QString& icon_name() const { return m_icon; }
    // A count shown behind the title ("Issues 2"); "": none.
    const QString& badge() const { return m_badge; }

    // The same as is shown, as text: for screen readers, copying, tests. Never empty.
    virtual QString text_twin() const = 0;
    // "csv", "png", "svg", …; the first is offered first.
    virtual QStringList export_formats() const { return {}; }
    // Errors: "export-empty" (nothing to export), "export-failed".
    virtual Result<QByteArray> export_as(const QString& format) const;
    // Where the keyboard goes when the pane is chosen.
    virtual QWidget* focus_target() { return this; }
    // Takes a widget that has no place of its own now, to stand over what the pane shows; null gives it back to its
    // owner. False: the pane has no room for one.
    virtual bool set_header(QWidget* header) {
        Q_UNUSED(header);
        return false;
    }
    // Ctrl+F in this pane.
    virtual void find() {}

Q_SIGNALS:
    void badge_changed(const QString& badge);
    // The pane has something that deserves to be seen now (an error list that is no longer empty).
    void wants_attention();
    // The person asked to see something elsewhere: "line:12", "turn:3", "pane:issues", "element:out[3, 4]".
    void link_activated(const QString& target);

protected:
    void set_badge(const QString& badge);

private:
    QString m_id, m_title, m_icon, m_badge;
};

} // namespace kf::ui
