// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/run_controller.h"

#include "ui/control/run_controller_impl.h"

namespace kf::ui {

RunController::RunController(RunStore& store, QObject* parent)
    : QObject(parent), m_impl(std::make_unique<Impl>(*this, store)) {}

RunController::~RunController() = default;

RunController::State RunController::state() const {
    return m_impl->state();
}
void RunController::set_runs_folder(const QString& folder) {
    m_impl->set_runs_folder(folder);
}
void RunController::set_program(const QString& program) {
    m_impl->set_program(program);
}
const QString& RunController::program() const {
    return m_impl->program();
}
void RunController::set_evaluator_arguments(const QStringList& arguments) {
    m_impl->set_evaluator_arguments(arguments);
}
void RunController::set_device(const QString& device) {
    m_impl->set_device(device);
}
void RunController::start(const StartRequest& request) {
    m_impl->start(request);
}
void RunController::open(const QString& folder_or_file) {
    m_impl->open(folder_or_file);
}
void RunController::replay(const QString& folder_or_file, double speed) {
    m_impl->replay(folder_or_file, speed);
}
ReplaySource* RunController::replay_source() const {
    return m_impl->replay_source();
}
void RunController::resume() {
    m_impl->resume();
}
void RunController::close() {
    m_impl->close();
}
void RunController::pause() {
    m_impl->tell("pause", Json::object());
}
void RunController::go_on() {
    m_impl->tell("continue", Json::object());
}
void RunController::stop_after_turn() {
    m_impl->tell("stop", Json{{"after", "turn"}});
}
void RunController::stop_now() {
    m_impl->tell("stop", Json{{"after", "now"}});
}
void RunController::hint(const QString& text) {
    m_impl->tell("hint", Json{{"text", text.trimmed().toStdString()}});
}
void RunController::pin(int turn) {
    m_impl->tell("pin", turn >= 0 ? Json{{"turn", turn}} : Json::object());
}
void RunController::fork(int turn, const QString& hint_text) {
    Json params{{"turn", turn}};
    if (const QString hint = hint_text.trimmed(); !hint.isEmpty())
        params["hint"] = hint.toStdString();
    m_impl->tell("fork", std::move(params));
}
void RunController::change_model(const Json& change) {
    m_impl->tell("model", change);
}
void RunController::change_budgets(const Json& budgets) {
    m_impl->tell("budget", budgets);
}
void RunController::edit(const BenchOrder& order, const QString& hint_text) {
    m_impl->edit(order, hint_text);
}
std::uint64_t RunController::bench(const BenchOrder& order) {
    return m_impl->bench(order);
}
std::uint64_t RunController::compile(const QString& task, const BenchOrder& order) {
    return m_impl->compile(task, order);
}

} // namespace kf::ui
