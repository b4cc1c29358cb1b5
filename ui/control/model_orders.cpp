// SPDX-License-Identifier: GPL-3.0-or-later
// What the window has to do with a run that asks a model: how it is started, its words as they come, an edit that it is
// to go on from.
#include "ui/control/run_controller_impl.h"

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr double listen_s = 7 * 24 * 3600.0; // until the run ends or the line is lost
constexpr double longest_edit_s = 3600;

} // namespace

QStringList ModelChoice::arguments() const {
    QStringList made;
    const auto add = [&made](const QString& name, const QString& value) {
        if (!value.isEmpty())
            made << name << value;
    };
    add(u"--provider"_s, provider);
    add(u"--model"_s, model);
    add(u"--reasoning"_s, reasoning);
    if (temperature)
        add(u"--temperature"_s, QString::number(*temperature, 'g', 6));
    if (max_tokens > 0)
        add(u"--max-tokens"_s, QString::number(max_tokens));
    if (context_tokens > 0)
        add(u"--context"_s, QString::number(context_tokens));
    add(u"--search"_s, search);
    if (width > 0)
        add(u"--width"_s, QString::number(width));
    if (children > 0)
        add(u"--children"_s, QString::number(children));
    if (!feedback)
        made << u"--no-feedback"_s;
    add(u"--use-key-from"_s, key_variable);
    return made;
}

void RunController::Impl::listen() {
    if (!m_link.connected())
        return;
    // An older run, or one without a model, answers that there is nothing to hear; that is no failure.
    m_link.request(
        "subscribe", Json{{"what", Json::array({"model"})}}, listen_s, [](const Result<Json>&) {},
        [this](const Json& notification) { Q_EMIT m_owner.model_wrote(notification); });
}

void RunController::Impl::edit(const BenchOrder& order, const QString& hint_text) {
    if (m_replay.active()) {
        fail(make_error("replay", "this is a replay: nobody can be told anything", "open the run itself"));
        return;
    }
    if (order.source.trimmed().isEmpty()) {
        fail(make_error("bench-empty", "the draft is empty", "write a kernel, or take one from a turn"));
        return;
    }
    Json params{{"who", "workbench"},
                {"source", order.source.toStdString()},
                {"file_name", order.file_name.toStdString()},
                {"level", std::string(to_string(order.level))}};
    if (order.parent >= 0)
        params["parent"] = order.parent;
    if (const QString hint = hint_text.trimmed(); !hint.isEmpty())
        params["hint"] = hint.toStdString();
    m_link.request("edit", std::move(params), longest_edit_s, [this](const Result<Json>& answer) {
        if (!answer) {
            fail(answer.error());
            return;
        }
        const auto turn = get_int(*answer, "turn", -1);
        Q_EMIT m_owner.told(u"edit"_s, turn >= 0 ? u"judged as turn %1; the model goes on from it"_s.arg(turn)
                                                 : u"it took no turn"_s);
    });
}

} // namespace kf::ui
