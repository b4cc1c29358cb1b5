// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernelforge/follow.h"

#include "core/base/json.h"

#include <chrono>

namespace kf::cli {
namespace {

constexpr std::size_t events_a_step = 1000; // so that a long journal does not hold up Ctrl-C

double unix_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace

RunView::RunView(Terminal& terminal, bool json, std::string shown_journal, BlobSource blobs)
    : m_terminal(terminal), m_json(json), m_renderer(terminal.style(), std::move(shown_journal), std::move(blobs)) {}

void RunView::show(const Event& event) {
    m_renderer.set_width(m_terminal.style().width);
    const std::vector<std::string> lines = m_renderer.apply(event);
    if (m_json)
        m_terminal.print(format_event(event));
    else
        m_terminal.print(lines);
}

void RunView::show_live(double now, const std::string& model) {
    if (!m_json)
        m_terminal.set_live(m_renderer.live_line(now, model));
}

void RunView::show_end(LockState lock) {
    m_terminal.set_live("");
    if (!m_json)
        m_terminal.print(m_renderer.after_last(lock));
}

Result<std::unique_ptr<Follower>> Follower::open(const std::filesystem::path& folder, Terminal& terminal, bool json) {
    auto reader = JournalReader::open(folder);
    if (!reader)
        return reader.error();
    auto follower = std::unique_ptr<Follower>(new Follower(std::move(*reader)));
    follower->m_view =
        std::make_unique<RunView>(terminal, json, folder.string(),
                                  [raw = follower.get()](const std::string& hash) { return raw->m_reader.blob(hash); });
    return follower;
}

Result<bool> Follower::read() {
    auto events = m_reader.poll(events_a_step);
    if (!events)
        return events.error();
    for (const Event& event : *events)
        m_view->show(event);
    return !events->empty();
}

Status Follower::step(const std::string& model) {
    auto more = read();
    if (!more)
        return more.error();
    m_view->show_live(unix_now(), model);
    return {};
}

Status Follower::finish() {
    for (;;) {
        auto more = read();
        if (!more)
            return more.error();
        if (!*more)
            break;
    }
    m_view->show_end(lock_info(m_reader.folder()).state);
    return {};
}

} // namespace kf::cli
