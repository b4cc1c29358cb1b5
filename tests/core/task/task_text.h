// SPDX-License-Identifier: GPL-3.0-or-later
// A complete task text for tests, and edits of it.
#pragma once

#include "core/task/task.h"

#include <string>
#include <string_view>

namespace kf::testing_text {

inline constexpr std::string_view reference =
    "def f(x: Tensor, w: Tensor, b: Tensor, acc: int) -> Tensor:\n    return x\n";

inline constexpr std::string_view swiglu = R"json({
  "name": "swiglu_bias", "title": "SwiGLU with bias", "stage": 3, "library": ["gemm"],
  "sizes": {"cpu": {"M": 64, "N": 96, "K": 64}, "small": {"M": 1024, "N": 3584, "K": 1024},
            "primary": {"M": 4096, "N": 14336, "K": 4096}},
  "timed": [{"size": "primary", "weight": 1}],
  "inputs": [
    {"name": "x", "dtype": "f16", "shape": ["M", "K"], "fill": {"normal": [0.1, 1], "row_scale": [0.01, 100]}},
    {"name": "w", "dtype": "f16", "shape": ["2*N", "K"], "fill": {"normal": [0, 0.02]}, "role": "weight"},
    {"name": "b", "dtype": "f16", "shape": ["2*N"], "fill": {"normal": [0.5, 1]}, "role": "weight"}],
  "outputs": [{"name": "out", "dtype": "f16", "shape": ["M", "N"], "compare": "close"}],
  "cases": [{"M": 257, "N": 343, "K": 136}, {"M": 1, "N": 8, "K": 8}, {"regime": "spiky"},
            {"M": 33, "N": 1031, "K": 96, "held_out": true}],
  "tolerance": {"atol": 5e-3, "rtol": 1e-2},
  "work": {"flops": "4*M*N*K", "read": "2*(M*K + 2*N*K + 2*N)", "written": "2*M*N"}
})json";

inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result(text);
    const std::size_t at = result.find(from);
    return at == std::string::npos ? "no such text" : result.replace(at, from.size(), to);
}

// A task of one input "t" with this dtype, shape, fill and role, over sizes R and C.
inline Result<Task> one_input(const std::string& dtype, const std::string& shape, const std::string& fill,
                              const std::string& more = "", const std::string& flags = "") {
    return parse_task(R"({"name": "t", "stage": 1, "sizes": {"cpu": {"R": 64, "C": 96}, "primary": {"R": 64, "C": 96}},
        "timed": [{"size": "primary"}], )" +
                          flags + R"(
        "inputs": [{"name": "t", "dtype": ")" +
                          dtype + R"(", "shape": )" + shape + R"(, "fill": )" + fill + more + R"(}],
        "outputs": [{"name": "out", "dtype": "i32", "shape": [1], "compare": "exact"}],
        "work": {"flops": 0, "read": 1, "written": 1}})",
                      "def f(t: Tensor, acc: int) -> Tensor:\n    return t\n", "t.json");
}

} // namespace kf::testing_text
