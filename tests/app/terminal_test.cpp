// SPDX-License-Identifier: GPL-3.0-or-later
// What a person sees: the program on a pseudo-terminal.
#include "tests/app/cli_fixture.h"

#include "core/render/terminal_text.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

namespace kf {

class TerminalTest : public CliTest {
protected:
    // Everything that the program writes to a terminal of so many columns, until it ends.
    std::string on_terminal(const Arguments& arguments, std::map<std::string, std::string> environment,
                            unsigned short columns = 100) {
        const UniqueFd master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
        if (!master || grantpt(master.get()) != 0 || unlockpt(master.get()) != 0)
            return "no pseudo-terminal";
        const std::string name = ptsname(master.get());
        const winsize size{30, columns, 0, 0};
        ioctl(master.get(), TIOCSWINSZ, &size);
        environment.merge(spec({}).env);
        environment.try_emplace("PATH", "/usr/bin:/bin");
        std::vector<std::string> entries, words = spec(arguments).argv;
        for (const auto& [key, value] : environment)
            entries.push_back(key + "=" + value);
        std::vector<char*> argv, envp;
        for (std::string& word : words)
            argv.push_back(word.data());
        for (std::string& entry : entries)
            envp.push_back(entry.data());
        argv.push_back(nullptr);
        envp.push_back(nullptr);
        const pid_t pid = fork(); // between here and exec only calls that are safe there
        if (pid == 0) {
            setsid();
            const int slave = open(name.c_str(), O_RDWR);
            dup2(slave, 0);
            dup2(slave, 1);
            dup2(slave, 2);
            execve(argv[0], argv.data(), envp.data());
            _exit(127);
        }
        std::string shown;
        char buffer[4096];
        const Deadline until = deadline_after(60);
        pollfd entry{master.get(), POLLIN, 0};
        while (poll(&entry, 1, poll_milliseconds(until)) > 0) {
            const ssize_t n = read(master.get(), buffer, sizeof buffer);
            if (n <= 0)
                break; // the program has ended
            shown.append(buffer, static_cast<std::size_t>(n));
        }
        kill(pid, SIGKILL);
        int status = 0;
        waitpid(pid, &status, 0);
        exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return shown;
    }
    Arguments small_run() {
        return faked({"run", "stage1/silu_mul", "--start", kernel("start.cu", {"speed 1", "slow 200"}), "--synthesizer",
                      "files", "--candidate", kernel("漢字.cu", {"speed 2"})});
    }

    int exit_code = -1;
};

TEST_F(TerminalTest, ColourAndALiveLine) {
    const std::string shown = on_terminal(small_run(), {{"TERM", "xterm-256color"}});
    EXPECT_NE(shown.find("\r\x1b[K"), std::string::npos) << shown;
    EXPECT_NE(shown.find("start kernel · "), std::string::npos) << "the live line says what goes on";
    EXPECT_NE(shown.find("\x1b[94m▼ faster"), std::string::npos) << shown;
    EXPECT_NE(shown.find("champion  turn 1"), std::string::npos) << shown;
}

TEST_F(TerminalTest, NoColourAndDumbTerminals) {
    ASSERT_EQ(kernelforge(small_run()).exit_code, 0);
    const std::string plain = on_terminal({"replay", "last", "--fast"}, {{"TERM", "xterm"}, {"NO_COLOR", "1"}});
    EXPECT_NE(plain.find("▼ faster"), std::string::npos) << plain;
    EXPECT_EQ(plain.find("\x1b[9"), std::string::npos) << plain;
    EXPECT_EQ(plain.find("\x1b[1m"), std::string::npos) << plain;
    const std::string dumb = on_terminal({"replay", "last", "--fast"}, {{"TERM", "dumb"}});
    EXPECT_NE(dumb.find("▼ faster"), std::string::npos) << dumb;
    EXPECT_EQ(dumb.find('\x1b'), std::string::npos) << dumb;
}

TEST_F(TerminalTest, LinesFitTheTerminal) {
    ASSERT_EQ(kernelforge(small_run()).exit_code, 0);
    const std::string journal = only_run().string();
    std::istringstream shown(on_terminal({"replay", "last", "--fast"}, {{"TERM", "xterm"}}, 80));
    for (std::string line; std::getline(shown, line);) {
        const bool is_path = line.find(journal) != std::string::npos; // which people copy: never cut
        EXPECT_TRUE(is_path || display_width(line) <= 80) << line;
    }
}

} // namespace kf
