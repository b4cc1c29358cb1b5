// SPDX-License-Identifier: GPL-3.0-or-later
// Starts one of our helper programs as the evaluator does, and talks to it.
#pragma once

#include "core/process/child.h"
#include "core/process/memory_file.h"
#include "core/protocol/client.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace kf::test {

class HelperProcess {
public:
    explicit HelperProcess(const std::string& program, std::vector<std::string> arguments = {},
                           std::map<std::string, std::string> env = {}, bool with_socket = false) {
        ChildSpec spec;
        spec.argv = {std::string(KF_BIN_DIR) + "/" + program};
        spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
        spec.env = std::move(env);
        spec.pass_env = {"KERNELFORGE_NVRTC", "KERNELFORGE_CUDA_INCLUDE", "KERNELFORGE_NVDISASM", "CUDA_HOME",
                         "LD_LIBRARY_PATH"};
        spec.input = ChildInput::pipe;
        spec.error_output = ChildOutput::inherit;
        UniqueFd theirs;
        if (with_socket) {
            auto pair = make_socket_pair();
            socket = std::move(pair->first);
            theirs = std::move(pair->second);
            spec.fds = {theirs.get()};
        }
        auto started = Child::start(spec);
        EXPECT_TRUE(started.ok()) << to_string(started.error());
        child = std::move(started).value();
        client = std::make_unique<HelperClient>(std::make_unique<FdChannel>(child.take_output(), child.take_input()),
                                                program);
        auto first = client->wait_notification("ready", deadline_after(60));
        EXPECT_TRUE(first.ok()) << to_string(first.error());
        if (first)
            ready = *first;
    }

    Result<Json> ask(const std::string& method, Json params, double seconds = 120) {
        return client->request(method, std::move(params), deadline_after(seconds));
    }

    Child child;
    UniqueFd socket;
    std::unique_ptr<HelperClient> client;
    Json ready;
};

} // namespace kf::test
