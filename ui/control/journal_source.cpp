// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/control/journal_source.h"

#include "core/journal/run_folder.h"

namespace kf::ui {
namespace fs = std::filesystem;

Result<RunSource> find_source(const std::string& text, const fs::path& runs) {
    std::error_code error;
    if (fs::is_regular_file(text, error)) {
        const fs::path path(text);
        if (path.filename() == "journal.jsonl") // chosen in a file dialog
            return RunSource{path.parent_path(), path.parent_path().string(), nullptr};
        auto packed = PackedRun::open(path);
        if (!packed)
            return packed.error();
        auto shared = std::make_shared<const PackedRun>(std::move(*packed));
        return RunSource{shared->folder(), text, shared};
    }
    if (fs::is_directory(text, error)) {
        const fs::path folder = fs::absolute(text, error).lexically_normal();
        return RunSource{folder, folder.string(), nullptr};
    }
    if (text.find('/') != std::string::npos)
        return make_error("run-missing", "there is no such run", "open another one", Place{text, 0, 0});
    auto found = find_run(text, runs);
    if (!found)
        return found.error();
    return RunSource{*found, found->string(), nullptr};
}

Result<std::shared_ptr<const SourceBlobs>> SourceBlobs::open(const RunSource& source) {
    auto reader = JournalReader::open(source.folder);
    if (!reader)
        return reader.error();
    return std::shared_ptr<const SourceBlobs>(new SourceBlobs(source, std::move(*reader)));
}

void slim_event(Event& event, const RunBlobs& blobs) {
    if (event.type != EventType::evaluation || !event.fields.is_object())
        return;
    constexpr std::size_t most_bytes = std::size_t{16} << 20;
    if (const Json& result = get_member(event.fields, "result"); result.is_object()) {
        event.fields["result"] = slim_result(result);
    } else if (const std::string hash = get_string(event.fields, "result_blob"); !hash.empty()) {
        auto text = blobs.blob(hash);
        if (!text || text->size() > most_bytes)
            return;
        if (const auto json = parse_json(*text, "result", most_bytes))
            event.fields["result"] = slim_result(*json);
    }
}

Status check_still_there(const fs::path& folder, std::uint64_t complete_bytes) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(folder / "journal.jsonl", error);
    if (error)
        return make_error("run-removed", "the folder of this run is gone",
                          "what was read stays on the screen until you open another run", Place{folder.string(), 0, 0});
    if (size < complete_bytes)
        return make_error("journal-cut", "the journal of this run was cut off or replaced while it was shown",
                          "open the run again", Place{folder.string(), 0, 0});
    return {};
}

} // namespace kf::ui
