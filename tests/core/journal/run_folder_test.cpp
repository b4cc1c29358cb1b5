// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/packed_run.h"
#include "core/journal/run_folder.h"
#include "tests/core/journal/helpers.h"

#include <archive.h>
#include <archive_entry.h>

namespace kf {
namespace {

TEST(RunName, IsMadeAndRead) {
    const auto time = std::chrono::system_clock::from_time_t(1796058900); // 2026-11-30 17:15:00 UTC
    const RunName name = RunName::make("softmax", time);
    EXPECT_EQ(name.text().substr(0, 25), "20261130T171500Z-softmax-");
    EXPECT_EQ(RunName::parse(name.text())->id, name.id);
    EXPECT_EQ(RunName::make("Stage 1/../Ümlaut task", time).task, "stage-1-..-mlaut-task");
    EXPECT_EQ(RunName::make("///", time).task, "run");
    EXPECT_EQ(RunName::make(std::string(80, 'x'), time).task.size(), 40u);
    EXPECT_EQ(RunName::parse("20261130T171500Z-add-rms-norm-k3x9q2")->task, "add-rms-norm");
    for (const char* bad : {"", "x", "20261130T171500Z--k3x9q2", "20261130T171500Z-k3x9q2", "20261130T171500-a-k3x9q2",
                            "20261130T171500Z-a-K3x9q2", "20261130T171500Z-a/b-k3x9q2", "20261130T171500Z-a-k3x9q"})
        EXPECT_FALSE(RunName::parse(bad)) << bad;
}

TEST_F(JournalTest, RunsAreListedNewestFirstAndFoundByPrefix) {
    const auto runs = root / "runs";
    EXPECT_TRUE(list_runs(runs).empty());
    for (const char* name :
         {"20261130T171500Z-softmax-aaa111", "20261130T171501Z-gemm-aab222", "20261201T000000Z-softmax-ccc333"})
        write(runs / name / "journal.jsonl", "");
    write(runs / "20261201T000000Z-softmax-ddd444" / "other", "no journal");
    write(runs / "notes" / "journal.jsonl", "no run's name");
    const auto entries = list_runs(runs);
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].name.id, "ccc333");
    EXPECT_EQ(entries[0].lock.state, LockState::free);
    EXPECT_EQ(find_run("last", runs)->filename(), "20261201T000000Z-softmax-ccc333");
    EXPECT_EQ(find_run("aab", runs)->filename(), "20261130T171501Z-gemm-aab222");
    EXPECT_EQ(find_run("202612", runs)->filename(), "20261201T000000Z-softmax-ccc333");
    EXPECT_EQ(*find_run((runs / "notes").string(), runs), runs / "notes");
    EXPECT_EQ(find_run("zzz", runs).error().code, "run-missing");
    EXPECT_EQ(find_run("", runs).error().code, "run-missing");
    const auto two = find_run("aa", runs);
    EXPECT_EQ(two.error().code, "run-ambiguous");
    EXPECT_NE(two.error().message.find("gemm-aab222"), std::string::npos);
}

TEST_F(JournalTest, NewRunFoldersDiffer) {
    const auto a = make_run_folder("softmax", root / "deep" / "runs");
    const auto b = make_run_folder("softmax", root / "deep" / "runs");
    ASSERT_TRUE(a && b);
    EXPECT_NE(*a, *b);
    EXPECT_EQ(std::filesystem::status(*a).permissions(), std::filesystem::perms::owner_all);
    write(root / "file", "");
    EXPECT_EQ(make_run_folder("softmax", root / "file").error().code, "journal-unwritable");
}

TEST_F(JournalTest, PackedRunComesBackWhole) {
    run = root / "20261130T171500Z-softmax-k3x9q2";
    auto writer = JournalWriter::create(run, quick());
    write_sample_run(**writer);
    const std::string big(300'000, 'b');
    const std::string hash = *(*writer)->put_blob(big);
    const std::string before = read(journal());
    add(journal(), "torn");
    const auto file = root / "a.kfrun";
    // Also of a run that is held by its writer.
    ASSERT_TRUE(pack_run(run, file));
    EXPECT_LT(std::filesystem::file_size(file), 50'000u);
    std::filesystem::path unpacked;
    {
        auto packed = PackedRun::open(file);
        ASSERT_TRUE(packed) << to_string(packed.error());
        unpacked = packed->folder();
        EXPECT_EQ(packed->name(), "20261130T171500Z-softmax-k3x9q2");
        EXPECT_TRUE(packed->skipped().empty());
        EXPECT_EQ(read(unpacked / "journal.jsonl"), before);
        EXPECT_EQ(*JournalReader::open(unpacked)->blob(hash), big);
        EXPECT_FALSE(std::filesystem::exists(unpacked / "lock"));
        PackedRun moved = std::move(*packed);
        EXPECT_TRUE(std::filesystem::exists(unpacked));
    }
    EXPECT_FALSE(std::filesystem::exists(unpacked.parent_path()));
    EXPECT_EQ(pack_run(root / "none", file).error().code, "journal-missing");
    EXPECT_EQ(pack_run(run, root / "none" / "a.kfrun").error().code, "packed-unwritable");
    EXPECT_TRUE(PackedRun::open(file)); // what was there is untouched by the failures
}

// One member of an archive, as a hostile hand would write it.
struct Member {
    std::string path, content;
    unsigned type = AE_IFREG;
    std::string link = {};
    bool hard = false;
};

void write_archive(const std::filesystem::path& file, const std::vector<Member>& members) {
    archive* out = archive_write_new();
    archive_write_set_format_pax(out);
    archive_write_add_filter_gzip(out);
    ASSERT_EQ(archive_write_open_filename(out, file.c_str()), ARCHIVE_OK);
    for (const Member& member : members) {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, member.path.c_str());
        archive_entry_set_filetype(entry, member.type);
        archive_entry_set_perm(entry, 0777);
        archive_entry_set_size(entry, static_cast<la_int64_t>(member.content.size()));
        if (!member.link.empty() && member.hard)
            archive_entry_set_hardlink(entry, member.link.c_str());
        else if (!member.link.empty())
            archive_entry_set_symlink(entry, member.link.c_str());
        ASSERT_EQ(archive_write_header(out, entry), ARCHIVE_OK) << archive_error_string(out);
        if (!member.content.empty())
            archive_write_data(out, member.content.data(), member.content.size());
        archive_entry_free(entry);
    }
    ASSERT_EQ(archive_write_close(out), ARCHIVE_OK);
    archive_write_free(out);
}

class HostileArchive : public JournalTest {
protected:
    void SetUp() override {
        JournalTest::SetUp();
        tmp = root / "tmp";
        std::filesystem::create_directory(tmp);
        if (const char* before = std::getenv("TMPDIR"))
            old_tmp = before;
        setenv("TMPDIR", tmp.c_str(), 1);
    }
    void TearDown() override {
        old_tmp.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", old_tmp.c_str(), 1);
        JournalTest::TearDown();
    }
    std::string code(const std::vector<Member>& members, const PackedLimits& limits = {}) {
        const auto file = root / "hostile.kfrun";
        write_archive(file, members);
        const auto packed = PackedRun::open(file, limits);
        std::string found = packed ? "" : packed.error().code;
        if (!packed) {
            EXPECT_TRUE(std::filesystem::is_empty(tmp)) << "something was left behind";
        }
        return found;
    }
    const Member good{"r/journal.jsonl", "{\"v\":1,\"n\":1,\"t\":1,\"type\":\"note\"}\n"};
    const std::string hash = std::string(64, 'a');
    std::filesystem::path tmp;
    std::string old_tmp;
};

TEST_F(HostileArchive, PathsLinksAndDevicesAreRefused) {
    EXPECT_EQ(code({good}), "");
    EXPECT_EQ(code({good, {"/etc/kf-evil", "x"}}), "packed-hostile");
    EXPECT_EQ(code({good, {"r/../../evil", "x"}}), "packed-hostile");
    EXPECT_EQ(code({good, {"r/blobs/..", "x"}}), "packed-hostile");
    EXPECT_EQ(code({good, {"r\\..\\evil", "x"}}), "packed-hostile");
    EXPECT_EQ(code({{"r/blobs", "", AE_IFLNK, "/tmp"}, good}), "packed-hostile");
    EXPECT_EQ(code({{"r/journal.jsonl", "", AE_IFLNK, "/etc/passwd"}}), "packed-hostile");
    EXPECT_EQ(code({good, {"r/blobs/" + hash, "", AE_IFREG, "r/journal.jsonl", true}}), "packed-hostile");
    EXPECT_EQ(code({good, {"r/fifo", "", AE_IFIFO}}), "packed-hostile");
    EXPECT_EQ(code({good, {"r/device", "", AE_IFCHR}}), "packed-hostile");
    EXPECT_EQ(code({good, good}), "packed-hostile");
}

TEST_F(HostileArchive, SizesAndCountsAreLimited) {
    PackedLimits limits;
    limits.member_bytes = 100'000;
    limits.total_bytes = 150'000;
    limits.members = 3;
    EXPECT_EQ(code({good, {"r/blobs/" + hash, std::string(100'001, '\0')}}, limits), "packed-too-large");
    EXPECT_EQ(code({good,
                    {"r/blobs/" + hash, std::string(90'000, '\0')},
                    {"r/blobs/" + std::string(64, 'b'), std::string(90'000, '\0')}},
                   limits),
              "packed-too-large");
    EXPECT_EQ(code({good, {"r/a", "x"}, {"r/b", "x"}, {"r/c", "x"}}, limits), "packed-too-large");
    EXPECT_EQ(code({good, {"r/blobs/" + hash, std::string(90'000, '\0')}}, limits), "");
}

TEST_F(HostileArchive, OtherContentIsNamedAndNotUnpacked) {
    EXPECT_EQ(code({{"r/readme", "x"}}), "packed-invalid");
    EXPECT_EQ(code({}), "packed-invalid");
    write_archive(root / "more.kfrun",
                  {good, {"r/report.html", "x"}, {"r/blobs/short", "x"}, {"s/journal.jsonl", "x"}});
    const auto packed = PackedRun::open(root / "more.kfrun");
    ASSERT_TRUE(packed);
    EXPECT_EQ(packed->skipped(), (std::vector<std::string>{"r/report.html", "r/blobs/short", "s/journal.jsonl"}));
    EXPECT_EQ(read(packed->folder() / "journal.jsonl"), good.content);
    EXPECT_EQ(std::distance(std::filesystem::recursive_directory_iterator(packed->folder()), {}), 2);
}

TEST_F(HostileArchive, DamagedFilesAreTypedErrors) {
    EXPECT_EQ(PackedRun::open(root / "none").error().code, "packed-unreadable");
    EXPECT_EQ(PackedRun::open(root).error().code, "packed-unreadable");
    write(root / "text.kfrun", "this is no archive, only some text that is long enough to be looked at");
    EXPECT_EQ(PackedRun::open(root / "text.kfrun").error().code, "packed-unreadable");
    const auto file = root / "cut.kfrun";
    write_archive(file, {good, {"r/blobs/" + hash, std::string(200'000, 'x')}});
    const std::string whole = read(file);
    for (std::size_t cut = 0; cut < whole.size(); cut += 13) {
        write(file, whole.substr(0, cut));
        const auto packed = PackedRun::open(file);
        EXPECT_FALSE(packed && cut < whole.size() / 2) << cut;
    }
    EXPECT_TRUE(std::filesystem::is_empty(tmp));
}

} // namespace
} // namespace kf
