// SPDX-License-Identifier: GPL-3.0-or-later
// A marked key, given in each way that there is, is found nowhere but at the server: not in the run's folder, the
// packed run, settings, logs, outputs, nor in the environment or arguments of any process below the run.
#include "tests/app/cli_fixture.h"
#include "tests/app/model_e2e/held_server.h"
#include "tests/app/model_e2e/secret_hunt.h"

#include "core/engine/control_server.h"
#include "core/journal/packed_run.h"

#include <poll.h>

namespace kf {
namespace {

// With characters that are written otherwise in a URL and in JSON.
const std::string secret = "KF+Marked/Secret=4711~do-not-show";

} // namespace

TEST(SecretHunt, FindsASecretInEachForm) {
    const SecretHunt hunt(secret);
    EXPECT_TRUE(hunt.in("x" + secret + "y"));
    EXPECT_TRUE(hunt.in("kf+marked/SECRET=4711~do-not-show"));
    EXPECT_TRUE(hunt.in("?key=KF%2BMarked%2fSecret%3D4711~do-not-show&a"));
    EXPECT_TRUE(hunt.in(R"({"key":"KF+Marked\/Secret=4711~do-not-show"})"));
    for (const char* before : {"", "a", "ab", "user:"})
        EXPECT_TRUE(hunt.in(base64_encode(before + secret + "tail"))) << before;
    EXPECT_FALSE(hunt.in("KF+Marked/Secret=4712~do-not-show"));
    EXPECT_FALSE(hunt.in(""));
}

class SecretTest : public CliTest {
protected:
    struct Seen {
        Finished finished;
        std::set<std::string> programs, leaky; // below it
        bool own_environment = true;           // held it until the end
    };
    static Json script() {
        // A provider that tells the key back in its words, then one that answers.
        return Json{{"models", {"loopback"}},
                    {"rules", Json::array({Json{{"name", "tells it back"},
                                                {"times", 1},
                                                {"behave",
                                                 {{"status", 503},
                                                  {"headers", {{"Retry-After", "1"}}},
                                                  {"body", {{"error", {{"message", "no worker for " + secret}}}}}}}}})},
                    {"fallback", {{"reply", "One thread an element.\n\n"}, {"code_file", "kernels/right.cu"}}}};
    }
    // `kernelforge arguments` with that entry in its environment, and all that it starts watched.
    Seen watch(const std::string& entry, const Arguments& arguments) const {
        ChildSpec child = spec({});
        child.argv = {"/usr/bin/env", entry, KF_BIN_DIR "/kernelforge"};
        child.argv.insert(child.argv.end(), arguments.begin(), arguments.end());
        child.output = ChildOutput::pipe;
        child.error_output = ChildOutput::pipe;
        Seen seen;
        auto run = Child::start(child);
        EXPECT_TRUE(run);
        if (!run)
            return seen;
        const auto drain = [](int fd, std::string& text) {
            char bytes[4096];
            for (pollfd one{fd, POLLIN, 0}; poll(&one, 1, 0) > 0;) {
                const ssize_t n = read(fd, bytes, sizeof bytes);
                if (n <= 0)
                    return;
                text.append(bytes, static_cast<std::size_t>(n));
            }
        };
        std::optional<ExitStatus> status;
        for (const Deadline until = deadline_after(250); !status && seconds_left(until) > 0;
             status = run->wait(deadline_after(0.005))) {
            drain(run->output_fd(), seen.finished.out);
            drain(run->error_fd(), seen.finished.err);
            look_at_descendants(run->pid(), hunt, false, seen.programs, seen.leaky);
            if (const auto own = read_file("/proc/" + std::to_string(run->pid()) + "/environ", 1 << 20);
                own && !own->empty())
                seen.own_environment = hunt.in(*own);
        }
        EXPECT_TRUE(status) << "it does not end";
        drain(run->output_fd(), seen.finished.out);
        drain(run->error_fd(), seen.finished.err);
        seen.finished.exit_code = status ? status->exit_code : -1;
        return seen;
    }
    void expect_nowhere(const Seen& seen) const {
        EXPECT_FALSE(hunt.in(seen.finished.out)) << seen.finished.out;
        EXPECT_FALSE(hunt.in(seen.finished.err)) << seen.finished.err;
        EXPECT_EQ(seen.leaky, std::set<std::string>());
        const Finished report = kernelforge({"report", "last", "--force", "--html", (home / "report.html").string(),
                                             "--markdown", (home / "report.md").string(), "--json",
                                             (home / "report.json").string(), "--csv", (home / "report.csv").string()});
        ASSERT_EQ(report.exit_code, 0) << report.err;
        int files = 0;
        EXPECT_EQ(hunt.below(home, files), std::vector<std::string>());
        EXPECT_GT(files, 5) << "the run was looked through";
        // Compressed, it would be found in no file.
        const auto packed = home / "packed.kfrun";
        std::filesystem::remove(packed);
        ASSERT_EQ(kernelforge({"pack", "last", packed.string()}).exit_code, 0);
        auto unpacked = PackedRun::open(packed);
        ASSERT_TRUE(unpacked) << to_string(unpacked.error());
        files = 0;
        EXPECT_EQ(hunt.below(unpacked->folder(), files), std::vector<std::string>());
        EXPECT_GT(files, 5);
        for (const Arguments& shown : {Arguments{"replay", "last"}, {"replay", "last", "--json"}, {"runs", "--json"}})
            EXPECT_FALSE(hunt.in(kernelforge(shown).out)) << shown[0];
    }
    static void expect_evaluated(const Seen& seen, HeldServer& server) {
        EXPECT_EQ(seen.finished.exit_code, 0) << seen.finished.out << seen.finished.err;
        for (const char* program :
             {"kf-evaluator", "kf-oracle", "runner", "cc1plus"}) // in its sandbox kf-cpu is "runner"
            EXPECT_TRUE(seen.programs.contains(program)) << program << " was not seen";
        ASSERT_EQ(server.posts(), 2u);
        for (std::size_t n = 1; n <= 2; ++n)
            EXPECT_EQ(get_string(server.request(n).headers, "authorization"), "Bearer " + secret) << "it was used";
        EXPECT_NE(seen.finished.out.find("(key hidden)"), std::string::npos) << "the provider told it back";
    }

    SecretHunt hunt{secret};
};

// The variable is called so that every child would get it if it were not withheld.
TEST_F(SecretTest, AKeyOfTheEnvironmentIsNowhere) {
    HeldServer server(script());
    server.open();
    write("config/providers.json", Json{{"providers", Json::array({Json{{"id", "box"},
                                                                        {"base_url", server.url()},
                                                                        {"key_variables", Json::array({"LC_BOX"})},
                                                                        {"needs_key", true}}})}}
                                       .dump());
    const Seen seen = watch("LC_BOX=" + secret, {"run", "stage3/swiglu_bias", "--provider", "box", "--model",
                                                 "loopback", "--turns", "1", "--use-key-from", "LC_BOX"});
    expect_evaluated(seen, server);
    expect_nowhere(seen);
    // The same variable where no run is: what the doctor starts.
    const Seen doctor = watch("LC_BOX=" + secret, {"doctor"});
    EXPECT_FALSE(doctor.programs.empty());
    EXPECT_EQ(doctor.leaky, std::set<std::string>());
    EXPECT_FALSE(hunt.in(doctor.finished.out + doctor.finished.err));
}

// One that no provider's entry names.
TEST_F(SecretTest, AVariableThatAPersonNamedIsNowhere) {
    HeldServer server(script());
    server.open();
    const Seen seen = watch("LC_MINE=" + secret, {"run", "stage3/swiglu_bias", "--provider", server.url(), "--model",
                                                  "loopback", "--turns", "1", "--use-key-from", "LC_MINE"});
    expect_evaluated(seen, server);
    expect_nowhere(seen);
}

TEST_F(SecretTest, AKeyThatTheWindowHandsOverIsNowhereAndWiped) {
    HeldServer server(script());
    server.open();
    const Seen seen = watch("KERNELFORGE_SESSION_KEY=" + secret,
                            {"run", "stage3/swiglu_bias", "--provider", server.url(), "--model", "loopback", "--turns",
                             "1", "--use-key-from", "KERNELFORGE_SESSION_KEY"});
    expect_evaluated(seen, server);
    EXPECT_FALSE(seen.own_environment) << "the run itself shows it in /proc";
    expect_nowhere(seen);
}

TEST_F(SecretTest, AKeyInAUrlIsRefusedAndNotShownAgain) {
    HeldServer server(script());
    const std::string rest = server.url().substr(std::string("http://").size());
    const std::string percent = "KF%2BMarked%2FSecret%3D4711~do-not-show";
    const std::vector<std::string> urls = {"http://user:" + secret + "@" + rest, "http://" + secret + "@" + rest,
                                           server.url() + "?key=" + percent,     server.url() + "#" + percent,
                                           "user:" + secret + "@" + rest,        rest + "?key=" + percent};
    const auto expect_refused = [&](const Arguments& arguments) {
        const Finished finished = kernelforge(arguments);
        EXPECT_EQ(finished.exit_code, 2) << finished.err;
        EXPECT_EQ(lines_in(finished.err), 1) << finished.err;
        EXPECT_FALSE(hunt.in(finished.out + finished.err)) << finished.err;
    };
    for (const std::string& url : urls) {
        expect_refused({"run", "stage1/silu_mul", "--provider", url, "--model", "loopback"});
        expect_refused({"models", "--provider", url});
    }
    EXPECT_TRUE(list_runs(home / "data" / "runs").empty());

    // A run that goes: by `attach`, by `resume`, and by a program that speaks to its control socket.
    ChildSpec child = spec(faked({"run", "stage1/silu_mul", "--provider", server.url(), "--model", "loopback",
                                  "--start", kernel("start.cu", {"speed 1"}), "--turns", "1"}));
    auto run = Child::start(child);
    ASSERT_TRUE(run);
    ASSERT_TRUE(server.came(1));
    const auto folder = only_run();
    {
        auto client = ControlClient::connect(lock_info(folder).control_socket);
        ASSERT_TRUE(client);
        for (const std::string& url : urls) {
            expect_refused({"attach", folder.string(), "--provider", url, "--model", "loopback"});
            for (const char* field : {"url", "provider"}) {
                const auto answer = (*client)->request("model", Json{{field, url}, {"who", "test"}});
                ASSERT_FALSE(answer) << url;
                EXPECT_FALSE(hunt.in(to_string(answer.error()))) << to_string(answer.error());
            }
        }
    }
    EXPECT_EQ(kernelforge({"attach", folder.string(), "--stop"}).exit_code, 0);
    EXPECT_TRUE(run->wait(deadline_after(30)));
    for (const std::string& url : urls)
        expect_refused({"resume", folder.string(), "--provider", url, "--model", "loopback"});
    int files = 0;
    EXPECT_EQ(hunt.below(home, files), std::vector<std::string>());
    EXPECT_GT(files, 2);
    EXPECT_TRUE(state_of(folder).turns.contains(1));

    // In a file of the user's: it is theirs, but nothing of it is said again.
    for (const std::string& url : urls) {
        write("config/providers.json",
              Json{{"providers", Json::array({Json{{"id", "box"}, {"base_url", url}}})}}.dump());
        expect_refused({"models", "--provider", "box"});
    }
}

} // namespace kf
