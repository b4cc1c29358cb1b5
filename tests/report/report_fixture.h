// SPDX-License-Identifier: GPL-3.0-or-later
// Runs to report on: the window's fixtures, and journals written by hand, as a stranger would.
#pragma once

#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/process/child.h"
#include "core/report/data.h"
#include "core/report/html.h"
#include "tests/scenes/fixtures/fixtures.h"

#include <fstream>
#include <gtest/gtest.h>

namespace kf {

class ReportTest : public ::testing::Test {
protected:
    void SetUp() override {
        auto made = make_private_folder("kf-report-");
        ASSERT_TRUE(made);
        home = *made;
    }
    void TearDown() override {
        std::error_code ignored;
        std::filesystem::remove_all(home, ignored);
    }

    std::filesystem::path fixture(std::string_view name) {
        auto made = scenes::make_fixture(name, home / "runs" / name);
        EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
        return made ? made->folder : std::filesystem::path();
    }
    // A run by hand: one line of JSON an event; v, n and t are added.
    std::filesystem::path by_hand(const std::string& name, const std::vector<Json>& events) {
        const auto folder = home / name;
        std::filesystem::create_directories(folder / "blobs");
        std::ofstream file(folder / "journal.jsonl", std::ios::binary);
        std::int64_t number = 0;
        for (Json event : events) {
            event["v"] = 1;
            event["n"] = ++number;
            event["t"] = 1796047320.0 + static_cast<double>(number);
            file << dump_line(event) << '\n';
        }
        return folder;
    }
    static std::string blob(const std::filesystem::path& folder, const std::string& text) {
        const std::string hash = sha256(text);
        std::ofstream(folder / "blobs" / hash, std::ios::binary) << text;
        return hash;
    }

    static Result<RunReport> read(const std::filesystem::path& folder, const ReportLimits& limits = {}) {
        auto reader = JournalReader::open(folder);
        if (!reader)
            return reader.error();
        return read_report(*reader, LockState::free, "kernelforge test", limits);
    }
    static std::string page(const RunReport& report) {
        auto html = html_report(report, KF_SOURCE_DIR "/resources");
        EXPECT_TRUE(html) << (html ? "" : to_string(html.error()));
        return html ? *html : std::string();
    }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(home / name, std::ios::binary) << text;
        return home / name;
    }
    // What Python's HTML parser finds wrong; "" when nothing is.
    std::string structure_of(const std::string& html) const {
        ChildSpec spec;
        spec.argv = {"python3", KF_SOURCE_DIR "/tests/report/check_html.py", write("page.html", html).string()};
        spec.pass_home = true; // some python3 are wrappers that look there
        RunLimits limits;
        limits.deadline = deadline_after(60);
        auto finished = run_to_end(spec, limits);
        if (!finished)
            return to_string(finished.error());
        return finished->succeeded() ? "" : finished->out + finished->err + finished->ending();
    }
    static std::size_t count(const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
            ++found;
        return found;
    }

    std::filesystem::path home;
};

} // namespace kf
