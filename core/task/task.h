// SPDX-License-Identifier: GPL-3.0-or-later
// A task: what a kernel must compute. Read from tasks/<stage>/<name>/task.json and reference.py; immutable afterwards
// and identified by the hash of both texts. Shapes are expressions over the task's symbols; a *case* fixes the symbols.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/task/dtype.h"
#include "core/task/expression.h"

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kf {

using Symbols = std::map<std::string, std::int64_t>; // a case's sizes by name: {"M": 64, "N": 96}
using Shape = std::vector<std::int64_t>;
std::int64_t element_count(const Shape& shape);
std::string to_string(const Symbols& symbols); // "M=64 N=96"

enum class Role { activation, weight, inout };
enum class Regime { normal, spiky, cancel, integers, mixed, specials };
std::string_view to_string(Regime regime);
std::optional<Regime> parse_regime(std::string_view name);

enum class FillKind { normal, uniform, permutation, offsets, index, zipf, bytes };

// How an input's values are drawn; the regime changes them (inputs.h says how). In task.json:
//   {"normal": [mean, deviation]} and {"uniform": [low, high]}, both with an optional "row_scale": [low, high];
//   {"permutation": EXPR or true}, {"offsets": EXPR}, {"index": EXPR, "low": integer},
//   {"zipf": exponent, "bound": EXPR}, {"bytes": true}
struct Fill {
    FillKind kind = FillKind::normal;
    double a = 0; // normal: mean; uniform: low; index: low; zipf: exponent
    double b = 1; // normal: standard deviation; uniform: high (exclusive)
    std::optional<std::array<double, 2>>
        row_scale;                   // each row (last axis) is multiplied by a log-uniform factor from this range
    std::optional<Expression> bound; // index, zipf, offsets, permutation: exclusive upper bound / total
};

struct InputSpec {
    std::string name;
    DType dtype = DType::f32;
    std::vector<Expression> shape;
    Fill fill;
    Role role = Role::activation;
    std::int64_t align = 256; // promised alignment in bytes, a power of two
};

enum class CompareKind { exact, close, codes, index_of };

struct OutputSpec {
    std::string name;
    DType dtype = DType::f32;
    std::vector<Expression> shape;
    CompareKind compare = CompareKind::close;
    std::string values;          // index_of(values): the input whose gathered values must equal the golden's
    std::optional<int> row_axes; // how many trailing axes form a row for the per-row rule; default 1
};

struct Tolerance {
    double atol = 0;
    double rtol = 0;
};

struct TaskCase {
    Symbols symbols; // all symbols, completed from the size below
    // Name of the size that gives every symbol, "" for an explicit case. In Task::cases it is "cpu", for cases such as
    // {"regime": "spiky"}; cases_for puts the device's size in its place.
    std::string size;
    Regime regime = Regime::normal;
    bool held_out = false;
    std::string label() const; // "M=257 N=343 K=136 · normal"
};

struct TimedSize {
    std::string size;
    double weight = 1;
};

struct Work {
    // Lower bounds: operations, bytes, bytes.
    Expression flops = Expression::constant(0), read = Expression::constant(0), written = Expression::constant(0);
};

struct Task {
    std::string name, title, stage;       // stage: "stage1"
    std::vector<std::string> library;     // library statements the plan may use: "gemm"
    std::map<std::string, Symbols> sizes; // "cpu", "small", "primary", …
    std::vector<TimedSize> timed;         // on the CPU device the size "cpu" takes the place of each
    std::vector<InputSpec> inputs;
    std::vector<OutputSpec> outputs;
    // An explicit case that leaves symbols out takes them from the size "cpu".
    std::vector<TaskCase> cases; // explicit cases and regimes of task.json, smallest first, held-out ones last
    Tolerance tolerance;
    Work work;
    std::string golden_split; // symbol over which the golden may be computed in slices; "" none
    bool syncs = false;
    bool allows_specials = false;
    bool forbids_reduced_precision = false;
    std::string reference;        // text of reference.py
    std::string json_text;        // text of task.json
    std::string hash;             // sha256_of_parts({json_text, reference})
    std::filesystem::path folder; // where it was read from; empty when it came over the protocol

    const InputSpec* find_input(std::string_view input_name) const;
    const OutputSpec* find_output(std::string_view output_name) const;
    std::vector<std::string> symbol_names() const;
};

// Reads and checks the two texts. `file` is the name for error places. Every error names line (where JSON allows), what
// was found and what would be accepted.
Result<Task> parse_task(std::string_view json_text, std::string_view reference, const std::string& file);
Result<Task> load_task(const std::filesystem::path& folder);
// By "name", "stage/name" or a path; looks below `root` (resource_folder()/tasks).
Result<Task> find_task(const std::string& name_or_path, const std::filesystem::path& root);
std::vector<std::filesystem::path> list_task_folders(const std::filesystem::path& root);

// Shape of an input/output for these symbols; "task-shape" when it is negative, empty where not allowed, or over 2^40
// elements.
Result<Shape> shape_of(const std::vector<Expression>& shape, const Symbols& symbols);
Result<std::int64_t> bytes_of(const InputSpec& input, const Symbols& symbols);

// All cases of an evaluation in verifying order for a device that uses size `size_name`: explicit cases smallest first,
// then the regimes at that size, then every timed size in full (all of `timed` when `size_name` is one of them, else
// `size_name` alone), then the held-out cases if asked for. An unknown size gives only the explicit cases.
std::vector<TaskCase> cases_for(const Task& task, const std::string& size_name, bool include_held_out);

// The task as it travels to an evaluator: {"json": text, "reference": text}.
Json task_to_wire(const Task& task);
Result<Task> task_from_wire(const Json& wire);

} // namespace kf
