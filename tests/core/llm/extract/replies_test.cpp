// SPDX-License-Identifier: GPL-3.0-or-later
// Replies as models write them (replies/*.md): right ones become candidates that parse and resolve for every case,
// wrong ones are refused at their line. Each file begins with what is expected of it.
#include "core/base/files.h"
#include "core/candidate/resolve.h"
#include "core/llm/extract.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace kf {
namespace {

struct Reply {
    std::string name, task, expect, at, note, text;
    std::vector<std::string> plan, without;
};

Reply read_reply(const std::filesystem::path& path) {
    Reply reply;
    reply.name = path.stem().string();
    const auto content = read_file(path);
    EXPECT_TRUE(content);
    const std::size_t end = content->find("---\n");
    EXPECT_NE(end, std::string::npos) << path;
    reply.text = content->substr(end + 4);
    for (std::size_t begin = 0; begin < end;) {
        const std::size_t stop = content->find('\n', begin);
        const std::string line = content->substr(begin, stop - begin);
        begin = stop + 1;
        const std::string key = line.substr(0, line.find(": ")), value = line.substr(line.find(": ") + 2);
        if (key == "task")
            reply.task = value;
        else if (key == "expect")
            reply.expect = value;
        else if (key == "plan")
            reply.plan.push_back(value);
        else if (key == "at")
            reply.at = value;
        else if (key == "without")
            reply.without.push_back(value);
        else if (key == "note")
            reply.note = value;
        else
            ADD_FAILURE() << path << ": " << line;
    }
    return reply;
}

std::vector<Reply> all_replies() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(KF_SOURCE_DIR) / "tests/core/llm/extract/replies"))
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<Reply> replies;
    for (const auto& path : paths)
        replies.push_back(read_reply(path));
    return replies;
}

int line_of(const std::string& text, const std::string& part) {
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string errors_text(const Extraction& extraction) {
    std::string text;
    for (const Error& error : extraction.errors)
        text += error.code + " " + to_string(error) + "\n";
    return text;
}

std::string canonical(const std::string& statement, Language language) {
    const bool triton = language == Language::triton;
    const auto candidate =
        parse_candidate((triton ? "# kf " : "#pragma kf ") + statement + "\n", triton ? "a.py" : "a.cu");
    // A statement alone is no candidate, but its own text can be compared without blanks.
    std::string text;
    for (const char c : candidate ? candidate->plan.print(language) : statement)
        if (c != ' ')
            text += c;
    return text;
}

const Task& task_of(const std::string& name) {
    static std::map<std::string, Task> tasks;
    const auto known = tasks.find(name);
    if (known != tasks.end())
        return known->second;
    auto task = find_task(name, std::filesystem::path(KF_SOURCE_DIR) / "tasks");
    EXPECT_TRUE(task) << name;
    return tasks.emplace(name, std::move(*task)).first->second;
}

void check_right(const Reply& reply, const Extraction& extraction) {
    ASSERT_TRUE(extraction.ok()) << errors_text(extraction);
    const auto candidate = parse_candidate(extraction.source, extraction.file_name);
    ASSERT_TRUE(candidate) << to_string(candidate.error()) << "\n" << extraction.source;
    std::vector<std::string> plan;
    for (const Statement& statement : candidate->plan.statements)
        plan.push_back(canonical(statement.text, candidate->language));
    std::vector<std::string> expected;
    for (const std::string& line : reply.plan)
        expected.push_back(canonical(line, candidate->language));
    EXPECT_EQ(plan, expected) << extraction.source;
    for (const std::string& word : reply.without)
        EXPECT_EQ(extraction.source.find(word), std::string::npos) << word << "\n" << extraction.source;
    if (!reply.note.empty()) {
        EXPECT_NE(extraction.note.find(reply.note), std::string::npos) << extraction.note;
    }
    const Task& task = task_of(reply.task);
    for (const TaskCase& one : cases_for(task, "cpu", true)) {
        const auto resolved = resolve_plan(*candidate, task, one, {}, cpu_device_limits(0));
        EXPECT_TRUE(resolved) << one.label() << ": " << to_string(resolved.error()) << "\n" << extraction.source;
    }
    // Derived lines stand in the source and name the line that they came from.
    for (const DerivedLine& derived : extraction.derived) {
        EXPECT_NE(extraction.source.find(derived.plan_line + "\n"), std::string::npos) << derived.plan_line;
        EXPECT_NE(derived.from, "");
    }
}

void check_refused(const Reply& reply, const Extraction& extraction) {
    ASSERT_FALSE(extraction.ok()) << extraction.source;
    EXPECT_TRUE(extraction.source.empty());
    EXPECT_TRUE(extraction.derived.empty());
    const std::string code = reply.expect.substr(8);
    const auto error = std::find_if(extraction.errors.begin(), extraction.errors.end(),
                                    [&](const Error& each) { return each.code == code; });
    ASSERT_NE(error, extraction.errors.end()) << errors_text(extraction);
    EXPECT_NE(error->message, "");
    EXPECT_NE(error->remedy, "") << error->message;
    if (!reply.at.empty()) {
        EXPECT_EQ(error->place.line, line_of(reply.text, reply.at)) << errors_text(extraction);
    }
}

TEST(Replies, EachEndsAsItSays) {
    const std::vector<Reply> replies = all_replies();
    ASSERT_GE(replies.size(), 30u);
    std::size_t right = 0;
    for (const Reply& reply : replies) {
        SCOPED_TRACE(reply.name);
        const Extraction extraction = extract_candidate(reply.text, task_of(reply.task));
        if (reply.expect == "ok") {
            ++right;
            check_right(reply, extraction);
        } else {
            ASSERT_TRUE(reply.expect.starts_with("refused ")) << reply.expect;
            check_refused(reply, extraction);
        }
    }
    EXPECT_GE(right, 18u);
    EXPECT_GE(replies.size() - right, 12u);
}

// The lines that derived plan lines name are those of the text that was given.
TEST(Replies, DerivedLinesNameTheirOrigin) {
    for (const Reply& reply : all_replies()) {
        if (reply.expect != "ok")
            continue;
        SCOPED_TRACE(reply.name);
        const Extraction extraction = extract_candidate(reply.text, task_of(reply.task));
        for (const DerivedLine& derived : extraction.derived) {
            std::size_t begin = 0;
            for (int k = 1; k < derived.from_line; ++k)
                begin = reply.text.find('\n', begin) + 1;
            EXPECT_EQ(reply.text.find(derived.from, begin), reply.text.find_first_not_of(" \t", begin))
                << derived.plan_line;
        }
    }
}

} // namespace
} // namespace kf
