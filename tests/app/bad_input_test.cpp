// SPDX-License-Identifier: GPL-3.0-or-later
// What people and strangers give to the command line that it cannot use.
#include "tests/app/cli_fixture.h"

#include <archive.h>
#include <archive_entry.h>

namespace kf {

TEST_F(CliTest, WithoutArgumentsNamesThreeCommands) {
    const Finished help = kernelforge({});
    EXPECT_EQ(help.exit_code, 0);
    for (const char* command : {"kernelforge run", "kernelforge eval", "kernelforge doctor"})
        EXPECT_NE(help.out.find(command), std::string::npos);
    EXPECT_EQ(kernelforge({"--help"}).exit_code, 0);
    EXPECT_EQ(kernelforge({"run", "--help"}).exit_code, 0);
    const Finished version = kernelforge({"--version"});
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_TRUE(version.out.starts_with("kernelforge 0.")) << version.out;
}

TEST_F(CliTest, WrongArgumentsNameTheNearestOne) {
    expect_one_error(kernelforge({"rnu", "x"}), 2, "there is no command `rnu` (did you mean `run`?)");
    expect_one_error(kernelforge({"run", "stage1/silu_mul", "--turnz", "3"}), 2, "did you mean `--turns`?");
    expect_one_error(kernelforge({"run", "stage1/silu_mul", "--synthesizer", "tunr"}), 2, "did you mean `tuner`?");
    expect_one_error(kernelforge({"task", "lisst"}), 2, "task: there is no command `lisst` (did you mean `list`?");
    expect_one_error(kernelforge({"eval", "silu_mull", "x.cu"}), 2, "did you mean 'silu_mul'?");
    expect_one_error(kernelforge({"eval", "stage1/silu_mul"}), 2, "FILE is required");
    expect_one_error(kernelforge({"frobnicate"}), 2, "commands: ");
}

TEST_F(CliTest, FiguresOutOfRangeAreRefused) {
    for (const char* turns : {"0", "-3", "abc", "1.5", "99999999999999999999", "", "1e3", "0x10"})
        expect_one_error(kernelforge({"run", "stage1/silu_mul", "--turns", turns}), 2, "whole number");
    for (const char* minutes : {"0", "-1", "nan", "inf", "ten"})
        expect_one_error(kernelforge({"run", "stage1/silu_mul", "--minutes", minutes}), 2, "number above 0");
    for (const char* device : {"gpu", "cuda", "cuda:", "cuda:x", "cuda:-1"})
        expect_one_error(kernelforge({"run", "stage1/silu_mul", "--device", device}), 2, "cpu or cuda:N");
    expect_one_error(kernelforge({"eval", "stage1/silu_mul", kernel("k.cu", {}), "--tunable", "BLOCK"}), 2,
                     "NAME=NUMBER");
    expect_one_error(
        kernelforge({"eval", "stage1/silu_mul", kernel("k.cu", {}), "--tunable", "A=1", "--tunable", "A=2"}), 2,
        "twice");
    expect_one_error(kernelforge({"run", "stage1/silu_mul", "--launcher", "ssh 'host"}), 2, "not closed");
    expect_one_error(kernelforge({"run", "stage1/silu_mul", "--synthesizer", "files"}), 2, "--candidate FILE");
    EXPECT_TRUE(list_runs(home / "data" / "runs").empty()) << "a refused run leaves nothing behind";
}

TEST_F(CliTest, FilesThatAreNoKernels) {
    const auto eval = [&](const std::string& file) { return kernelforge({"eval", "stage1/silu_mul", file}); };
    expect_one_error(eval((home / "none.cu").string()), 2, "none.cu: cannot read the file");
    expect_one_error(eval(home.string()), 2, "not a regular file");
    expect_one_error(eval("/dev/zero"), 2, "not a regular file");
    expect_one_error(eval(write("large.cu", std::string(std::size_t{2} << 20, ' '))), 2, "more than 1048576 bytes");
    expect_one_error(eval(write("binary.cu", std::string_view("\x7f"
                                                              "ELF\0\1\2",
                                                              7))),
                     2, "zero byte");
    expect_one_error(kernelforge({"run", "stage1/silu_mul", "--start", (home / "none.cu").string()}), 2, "none.cu");
    expect_one_error(kernelforge({"run", "stage1/silu_mul", "--synthesizer", "files", "--candidate", "none.cu"}), 2,
                     "none.cu");
    expect_one_error(kernelforge({"tune", "stage1/silu_mul", "none.cu"}), 2, "none.cu");
    expect_one_error(eval(""), 2, "cannot read the file");
    EXPECT_TRUE(list_runs(home / "data" / "runs").empty());
}

TEST_F(CliTest, CandidateCheckShowsEveryError) {
    const std::string bad =
        write("bad.cu", "#pragma kf tune n in {1}\n#pragma kf lunch k<<<1, 1>>>()\n#pragma kf tune BLOCK in {\n"
                        "__global__ void k() {}\n");
    const Finished refused = kernelforge({"candidate", "check", bad});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_GE(lines_in(refused.err), 3) << refused.err;
    EXPECT_NE(refused.err.find("bad.cu:2:"), std::string::npos) << refused.err;
    EXPECT_EQ(refused.out, "");

    const Finished good =
        kernelforge({"candidate", "check", KF_SOURCE_DIR "/tasks/stage1/silu_mul/start.cu", "--task", "silu_mul"});
    EXPECT_EQ(good.exit_code, 0) << good.err;
    EXPECT_NE(good.out.find("#pragma kf launch silu_mul"), std::string::npos);
    EXPECT_NE(good.out.find("BLOCK=256"), std::string::npos);
    EXPECT_NE(good.out.find("C=1 R=1"), std::string::npos) << good.out;

    const Finished other = kernelforge(
        {"candidate", "check", KF_SOURCE_DIR "/tasks/stage1/silu_mul/start.cu", "--task", "transpose_bshd"});
    EXPECT_EQ(other.exit_code, 1) << other.out;
    EXPECT_NE(other.err.find("start.cu:"), std::string::npos) << other.err;
    for (const std::string& hostile :
         {std::string("\xff\xfe\x1b[2J"), std::string(100'000, '{'), std::string("#pragma kf launch"),
          std::string("#pragma kf tune ABC in {") + std::string(50'000, '(') + "}"}) {
        const Finished answer = kernelforge({"candidate", "check", write("hostile.cu", hostile)});
        EXPECT_EQ(answer.exit_code, 1) << answer.out;
        EXPECT_EQ(answer.err.find('\x1b'), std::string::npos);
        EXPECT_TRUE(answer.err.starts_with("kernelforge: ")) << answer.err;
    }
}

TEST_F(CliTest, Tasks) {
    const Finished list = kernelforge({"task", "list"});
    EXPECT_EQ(list.exit_code, 0);
    EXPECT_NE(list.out.find("stage1/silu_mul"), std::string::npos);
    const Finished show = kernelforge({"task", "show", "silu_mul"});
    EXPECT_EQ(show.exit_code, 0);
    EXPECT_NE(show.out.find("x: bf16[R, 2 * C]"), std::string::npos) << show.out;
    expect_one_error(kernelforge({"task", "show", "silu"}), 2, "there is no task");
    write("broken/task.json", "{\"name\": \"broken\", \"title\": ");
    write("broken/reference.py", "");
    expect_one_error(kernelforge({"task", "show", (home / "broken").string()}), 2, "task.json");
    write("nested/task.json", std::string(100'000, '['));
    write("nested/reference.py", "");
    expect_one_error(kernelforge({"task", "show", (home / "nested").string()}), 2, "task.json");
    expect_one_error(kernelforge({"task", "lint"}), 2, "which task?");
    expect_one_error(kernelforge({"task", "lint", "softmax", "--all"}), 2, "not both");
    EXPECT_EQ(kernelforge(faked({"task", "lint", "silu_mul"})).exit_code, 0);
    write("lint/task.json", *read_file(KF_SOURCE_DIR "/tasks/stage1/silu_mul/task.json"));
    write("lint/reference.py", *read_file(KF_SOURCE_DIR "/tasks/stage1/silu_mul/reference.py"));
    kernel("lint/start.cu", {"fail mismatch"});
    const Finished found = kernelforge(faked({"task", "lint", (home / "lint").string()}));
    EXPECT_EQ(found.exit_code, 1) << found.err;
    EXPECT_NE(found.out.find("the start kernel is rejected"), std::string::npos) << found.out;
}

TEST_F(CliTest, RunsThatAreNone) {
    EXPECT_EQ(kernelforge({"runs"}).exit_code, 0);
    for (const char* command : {"resume", "attach", "replay"}) {
        expect_one_error(kernelforge({command, "last"}), 2, "there is no run");
        expect_one_error(kernelforge({command, "/etc"}), 2, "there is no run");
    }
    expect_one_error(kernelforge({"pack", "last", "x.kfrun"}), 2, "there is no run");
    expect_one_error(kernelforge({"runs", "--runs", (home / "none").string()}), 2, "not a folder");
}

TEST_F(CliTest, DamagedJournals) {
    const auto replay = [&](const std::string& text) {
        write("run/journal.jsonl", text);
        return kernelforge({"replay", (home / "run").string()});
    };
    expect_one_error(replay(""), 2, "no event in this journal");
    expect_one_error(replay(std::string(300'000, '\0')), 2, "no event in this journal");
    expect_one_error(replay("garbage\nmore\n"), 2, "no event in this journal");
    expect_one_error(replay("{\"v\":99,\"n\":1,\"t\":1,\"type\":\"run_started\"}\n"), 2, "newer");
    const Finished torn =
        replay("{\"v\":1,\"n\":1,\"t\":1,\"type\":\"run_started\",\"task\":\"soft\\u001b[2Jmax\"}\n"
               "nonsense\n{\"v\":1,\"n\":2,\"t\":2,\"type\":\"turn_started\",\"turn\":1e99}\n{\"v\":1,\"n\":3");
    EXPECT_EQ(torn.exit_code, 0) << torn.err;
    EXPECT_EQ(torn.out.find('\x1b'), std::string::npos);
    EXPECT_NE(torn.out.find("line 2 of the journal is no event"), std::string::npos) << torn.out;
    EXPECT_NE(torn.out.find("interrupted"), std::string::npos) << torn.out;
    const Finished json = kernelforge({"replay", (home / "run").string(), "--json"});
    EXPECT_EQ(json.exit_code, 0);
    std::istringstream lines(json.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        EXPECT_TRUE(parse_json(line, "line")) << line;
    EXPECT_EQ(count, 3);
    expect_one_error(kernelforge({"resume", (home / "run").string()}), 2, "run");
}

TEST_F(CliTest, HostilePackedRuns) {
    expect_one_error(kernelforge({"replay", write("empty.kfrun", "")}), 2, "empty.kfrun");
    expect_one_error(kernelforge({"replay", write("noise.kfrun", std::string(100'000, '\xa5'))}), 2, "noise.kfrun");
    const auto pack = [&](const char* member) {
        const std::string file = (home / "hostile.kfrun").string();
        archive* out = archive_write_new();
        archive_write_set_format_pax_restricted(out);
        archive_write_open_filename(out, file.c_str());
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, member);
        archive_entry_set_size(entry, 4);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_write_header(out, entry);
        archive_write_data(out, "evil", 4);
        archive_entry_free(entry);
        archive_write_free(out);
        return file;
    };
    for (const char* member : {"../../outside", "/etc/outside", "run/../../outside"})
        expect_one_error(kernelforge({"replay", pack(member)}), 2, "hostile.kfrun");
    EXPECT_TRUE(std::filesystem::is_empty(home / "tmp")) << "what was unpacked is gone";
}

} // namespace kf
