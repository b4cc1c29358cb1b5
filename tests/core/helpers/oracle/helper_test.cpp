// SPDX-License-Identifier: GPL-3.0-or-later
// kf-oracle as a process: data over the socket, hostile requests, memory limit, a reference that never ends.
#include "tests/core/helpers/helper_process.h"
#include "tests/core/helpers/oracle/tasks.h"

#include <csignal>
#include <cstring>
#include <gtest/gtest.h>

namespace kf::oracle {
namespace {

using test::HelperProcess;
using test::input;
using test::output;
using test::wire_task;

const Json params = {{"symbols", {{"M", 3}, {"N", 5}}}, {"regime", "normal"}, {"seed", "18446744073709551615"}};

Json softmax_task() {
    return wire_task("def f(x: Tensor, acc: int):\n    return torch.softmax(x.to(acc), -1)\n",
                     {input("x", "f16", {"M", "N"})}, {output("out", "f16", {"M", "N"})});
}

TEST(OracleHelper, GoldenTravelsAsASealedFile) {
    HelperProcess helper("kf-oracle", {"--memory-mib", "8192"}, {}, true);
    EXPECT_EQ(get_string(helper.ready, "helper"), "kf-oracle");
    EXPECT_TRUE(get_bool(helper.ready, "data_socket"));
    EXPECT_EQ(helper.ask("golden", params).error().code, "no-task");
    auto loaded = helper.ask("load_task", {{"task", softmax_task()}});
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    ASSERT_TRUE(get_bool(*loaded, "ok")) << *loaded;
    for (int round = 0; round < 2; ++round) {
        auto answer = helper.ask("golden", params);
        ASSERT_TRUE(answer.ok()) << to_string(answer.error());
        auto message = receive_fds(helper.socket.get(), 4096, 1, deadline_after(30));
        ASSERT_TRUE(message.ok()) << to_string(message.error());
        ASSERT_EQ(message->fds.size(), 1u);
        const auto header = parse_json(message->text, "socket");
        ASSERT_TRUE(header.ok());
        EXPECT_EQ(get_int(*header, "bytes"), get_int(*answer, "bytes"));
        auto file = MemoryFile::adopt(std::move(message->fds[0]), 1 << 20, true);
        ASSERT_TRUE(file.ok()) << to_string(file.error());
        const auto bytes = file->map_read_only();
        ASSERT_TRUE(bytes.ok());
        const Json& out = get_member(*answer, "outputs").at(0);
        EXPECT_EQ(get_member(out, "shape"), Json({3, 5}));
        EXPECT_EQ(get_string(out["golden"], "dtype"), "f64");
        EXPECT_EQ(get_int(out["golden"], "bytes"), 15 * 8);
        EXPECT_EQ(get_int(out["trusted"], "bytes"), 15 * 2);
        EXPECT_EQ(get_int(out["trusted"], "offset") % 64, 0);
        for (std::size_t row = 0; row < 3; ++row) {
            double sum = 0;
            for (std::size_t c = 0; c < 5; ++c) {
                double value = 0;
                std::memcpy(&value, bytes->data() + get_int(out["golden"], "offset") + (row * 5 + c) * 8, 8);
                sum += value;
            }
            EXPECT_NEAR(sum, 1, 1e-14);
        }
        EXPECT_EQ(get_member(*answer, "input_checksums").size(), 1u);
        EXPECT_TRUE(get_member(*answer, "input_checksums").at(0).is_string());
    }
    // eager
    Json eager = params;
    eager["threads"] = 2;
    auto prepared = helper.ask("eager_prepare", eager);
    ASSERT_TRUE(prepared.ok()) << to_string(prepared.error());
    EXPECT_EQ(get_int(*prepared, "threads"), 2);
    auto ran = helper.ask("eager_run", {{"repeat", 3}});
    ASSERT_TRUE(ran.ok());
    EXPECT_EQ(get_member(*ran, "seconds_inside").size(), 3u);

    struct Bad {
        const char* field;
        Json value;
    };
    for (const auto& [field, value] :
         {Bad{"symbols", 3}, Bad{"symbols", {{"M", "x"}}}, Bad{"regime", "odd"}, Bad{"seed", nullptr},
          Bad{"seed", "12x"}, Bad{"seed", "99999999999999999999999"}, Bad{"seed", -1}, Bad{"slices", -2}}) {
        Json bad = params;
        bad[field] = value;
        auto refused = helper.ask("golden", bad);
        ASSERT_FALSE(refused.ok()) << bad;
        EXPECT_EQ(refused.error().code, "bad-params") << bad;
    }
    Json negative = params;
    negative["symbols"]["M"] = -3;
    EXPECT_FALSE(helper.ask("golden", negative).ok());
    EXPECT_FALSE(helper.ask("eager_run", {{"repeat", 0}}).ok());
    EXPECT_FALSE(helper.ask("load_task", {{"task", {{"json", "{"}, {"reference", ""}}}}).ok());
    auto lint = helper.ask("load_task",
                           {{"task", wire_task("def f(x: Tensor, acc: int):\n    return x.float()\n",
                                               {input("x", "f16", {"M", "N"})}, {output("out", "f16", {"M", "N"})})}});
    ASSERT_TRUE(lint.ok());
    EXPECT_FALSE(get_bool(*lint, "ok", true));
    EXPECT_EQ(get_int(get_member(*lint, "lint").at(0), "line"), 2);
}

TEST(OracleHelper, MemoryLimitAndAMissingSocketAreTypedErrors) {
    HelperProcess helper("kf-oracle", {"--memory-mib", "3072"});
    EXPECT_FALSE(get_bool(helper.ready, "data_socket", true));
    ASSERT_TRUE(helper.ask("load_task", {{"task", softmax_task()}}).ok());
    EXPECT_EQ(helper.ask("golden", params).error().code, "no-data-socket");
    Json large = params;
    large["symbols"] = {{"M", 40000}, {"N", 20000}};
    EXPECT_EQ(helper.ask("golden", large).error().code, "out-of-memory");
    EXPECT_TRUE(helper.ask("eager_prepare", params).ok()); // still usable
}

TEST(OracleHelper, AReferenceThatNeverEndsIsEndedByItsOwner) {
    HelperProcess helper("kf-oracle", {}, {}, true);
    auto loaded = helper.ask(
        "load_task", {{"task", wire_task("def f(x: Tensor, acc: int):\n    y = x.to(acc)\n    while True:\n"
                                         "        y = y + 1\n    return y\n",
                                         {input("x", "f16", {"M", "N"})}, {output("out", "f16", {"M", "N"})})}});
    ASSERT_TRUE(loaded.ok() && get_bool(*loaded, "ok")) << *loaded;
    EXPECT_EQ(helper.ask("golden", params, 0.3).error().code, "deadline-exceeded");
    EXPECT_TRUE(helper.child.running());
    const ExitStatus status = helper.child.kill_now();
    EXPECT_EQ(status.signal, SIGKILL);
    HelperProcess next("kf-oracle", {}, {}, true);
    EXPECT_TRUE(next.ask("load_task", {{"task", softmax_task()}}).ok());
}

} // namespace
} // namespace kf::oracle
