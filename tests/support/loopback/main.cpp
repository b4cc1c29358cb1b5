// SPDX-License-Identifier: GPL-3.0-or-later
// kf_loopback_model: the loopback model as a program, for tests of the command line. Prints its URL and serves until it
// is ended.
#include "tests/support/loopback/server.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>

int main(int argc, char** argv) {
    using namespace kf;
    CLI::App app{"Serves chat completions on 127.0.0.1 as a script says.", "kf_loopback_model"};
    std::string script_file, log_file;
    int port = 0;
    app.add_option("--script", script_file, "Rules, see README.md; without: every reply is empty");
    app.add_option("--log", log_file, "Gets one line of JSON for each request, before it is answered");
    app.add_option("--port", port, "0: any free one")->check(CLI::Range(0, 65535));
    CLI11_PARSE(app, argc, argv);

    sigset_t ends;
    sigemptyset(&ends);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP})
        sigaddset(&ends, signal);
    sigprocmask(SIG_BLOCK, &ends, nullptr); // before any thread starts, so that sigwait gets them

    loopback::Script script = loopback::Script::saying("");
    if (!script_file.empty()) {
        Result<loopback::Script> loaded = loopback::Script::load(script_file);
        if (!loaded) {
            std::fprintf(stderr, "%s: %s\n", script_file.c_str(), to_string(loaded.error()).c_str());
            return 2;
        }
        script = *std::move(loaded);
    }
    std::ofstream log;
    if (!log_file.empty()) {
        log.open(log_file, std::ios::app);
        if (!log) {
            std::fprintf(stderr, "cannot write %s\n", log_file.c_str());
            return 2;
        }
    }
    loopback::LoopbackServer server(std::move(script), port);
    if (!server.listening()) {
        std::fprintf(stderr, "cannot listen on 127.0.0.1:%d\n", port);
        return 3;
    }
    if (log.is_open())
        server.on_request([&log](const loopback::SeenRequest& request) {
            log << dump_line(Json{{"method", request.method},
                                  {"path", request.path},
                                  {"rule", request.rule},
                                  {"headers", request.headers},
                                  {"body", request.body}})
                << std::endl;
        });
    std::printf("%s\n", server.url().c_str());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&ends, &signal);
    server.on_request({});
    return 0;
}
