// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks of this repository: they load, have every kind of case, and their inputs can be made.
#include "core/base/files.h"
#include "core/task/inputs.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace kf {
namespace {

std::filesystem::path root() {
    return std::filesystem::path(KF_SOURCE_DIR) / "tasks";
}

TEST(ShippedTasks, LoadAndAreFoundByName) {
    const auto folders = list_task_folders(root());
    EXPECT_GE(folders.size(), 7u);
    for (const auto& folder : folders) {
        const Result<Task> task = find_task(folder.filename().string(), root());
        ASSERT_TRUE(task.ok()) << to_string(task.error());
        EXPECT_EQ(task->name, folder.filename().string());
        EXPECT_EQ(task->stage, folder.parent_path().filename().string());
    }
}

TEST(ShippedTasks, HaveHeldOutCasesRegimesAndASmallestOne) {
    for (const auto& folder : list_task_folders(root())) {
        const Task task = *load_task(folder);
        const auto held_out = [](const TaskCase& task_case) { return task_case.held_out; };
        const auto regime = [](const TaskCase& task_case) { return task_case.regime != Regime::normal; };
        EXPECT_GE(std::count_if(task.cases.begin(), task.cases.end(), held_out), 3) << folder;
        EXPECT_GE(std::count_if(task.cases.begin(), task.cases.end(), regime), 2) << folder;
        for (const auto& [symbol, size] : task.cases.front().symbols)
            EXPECT_EQ(size, 1) << folder << " " << symbol;
        EXPECT_TRUE(task.sizes.contains("small")) << folder;
    }
}

TEST(ShippedTasks, InputsOfEveryCaseAreFinite) {
    for (const auto& folder : list_task_folders(root())) {
        const Task task = *load_task(folder);
        for (const TaskCase& task_case : cases_for(task, "cpu", true))
            for (std::size_t i = 0; i < task.inputs.size(); ++i) {
                const InputSpec& input = task.inputs[i];
                std::vector<std::byte> buffer(static_cast<std::size_t>(*bytes_of(input, task_case.symbols)));
                const Status made = generate_input(task, i, task_case.symbols, task_case.regime, 1, buffer);
                ASSERT_TRUE(made.ok()) << folder << " " << to_string(made.error());
                std::vector<double> values(buffer.size() / size_of(input.dtype));
                load_elements(buffer, input.dtype, 0, values);
                EXPECT_TRUE(std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
                    << folder << " " << input.name << " " << task_case.label();
            }
    }
}

TEST(ShippedTasks, EveryKernelSaysWhatItIs) {
    for (const auto& folder : list_task_folders(root())) {
        const Result<std::string> start = read_file(folder / "start.cu");
        ASSERT_TRUE(start.ok()) << folder;
        EXPECT_TRUE(start->starts_with("// ")) << folder;
        int wrong = 0;
        for (const auto& file : std::filesystem::directory_iterator(folder / "wrong")) {
            const std::string text = *read_file(file.path());
            EXPECT_TRUE(text.starts_with("// expect: class=")) << file.path();
            const std::string line = text.substr(0, text.find('\n'));
            EXPECT_NE(line.find(" place="), std::string::npos) << file.path();
            EXPECT_NE(line.find(" pattern="), std::string::npos) << file.path();
            ++wrong;
        }
        EXPECT_GE(wrong, 4) << folder;
    }
}

} // namespace
} // namespace kf
