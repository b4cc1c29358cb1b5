// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a run's journal as it grows. `run`, `resume` and `attach` follow it in the same way; `replay` feeds the same
// view by itself.
#pragma once

#include "app/kernelforge/terminal.h"
#include "core/journal/reader.h"
#include "core/render/run_renderer.h"

#include <memory>
#include <string>

namespace kf::cli {

// Events onto standard output: as lines for people, or as JSON, one event a line.
class RunView {
public:
    // `shown_journal`: what the end names as the journal's place.
    RunView(Terminal& terminal, bool json, std::string shown_journal, BlobSource blobs);

    void show(const Event& event);
    void show_live(double now, const std::string& model = {});
    void show_end(LockState lock);
    const RunState& state() const { return m_renderer.state(); }

private:
    Terminal& m_terminal;
    bool m_json;
    RunRenderer m_renderer;
};

class Follower {
public:
    // Errors: those of JournalReader.
    static Result<std::unique_ptr<Follower>> open(const std::filesystem::path& folder, Terminal& terminal, bool json);

    // Shows what came since the last call; `model` is what a model does now (model_progress). Errors: "journal-newer",
    // "journal-unreadable".
    Status step(const std::string& model = {});
    // After the writer's end: the rest, and how it ended.
    Status finish();
    const RunState& state() const { return m_view->state(); }

private:
    explicit Follower(JournalReader reader) : m_reader(std::move(reader)) {}
    Result<bool> read();

    JournalReader m_reader;
    std::unique_ptr<RunView> m_view;
};

} // namespace kf::cli
