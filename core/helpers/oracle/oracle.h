// SPDX-License-Identifier: GPL-3.0-or-later
// Golden and trusted results of a task's reference for one case, and the eager baseline on the CPU. Inputs are made
// here from seed and regime; only their checksums are told.
#pragma once

#include "core/base/result.h"
#include "core/helpers/oracle/torch_reference.h"
#include "core/task/task.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kf::oracle {

inline constexpr const char* note_eager = "eager";
inline constexpr const char* note_stand_in = "float32 rounded once (no CPU half operator)";

struct GoldenRequest {
    Symbols symbols;
    Regime regime = Regime::normal;
    std::uint64_t seed = 0;
    bool want_trusted = true;
    int slices = 0; // along golden_split; 0: as many as the memory asks for
};

struct GoldenOutput {
    std::string name;
    DType dtype = DType::f32; // the task's
    Shape shape;
    bool is_float = true;       // golden is float64, else int64
    std::vector<double> floats; // acc = float64
    std::vector<std::int64_t> integers;
    std::vector<std::byte> trusted; // acc = float32, rounded once to dtype; empty when not asked for
};

struct Golden {
    std::vector<std::uint64_t> input_checksums; // checksum64 of each input, in the task's order
    std::vector<GoldenOutput> outputs;
    std::string trusted_note;
    int slices = 1;
    double seconds = 0;
};

class Oracle {
public:
    // `memory_bytes`: what a run may use; 0 unknown.
    explicit Oracle(std::uint64_t memory_bytes) : m_memory(memory_bytes) {}

    // All that is wrong with the reference; empty: loaded. A failed load keeps no task.
    std::vector<Error> load(Task task);
    bool loaded() const { return m_reference != nullptr; }
    const Task& task() const { return *m_task; }

    // Errors: "no-task", those of TorchReference::run, of generate_input and "reference-outputs" (shape or kind differs
    // from task.json), "reference-precision" (acc is not used), "reference-writes-input", "golden-split".
    Result<Golden> golden(const GoldenRequest& request);

    // Makes the inputs of a case and runs once; then run() times calls. Errors as golden.
    Result<std::string> eager_prepare(const GoldenRequest& request); // the note
    Result<std::vector<double>> eager_run(int repeat);               // seconds inside each call

private:
    using Buffers = std::vector<std::vector<std::byte>>;
    Result<Buffers> make_inputs(const GoldenRequest& request) const;
    Result<std::vector<InputTensor>> tensors(Buffers& buffers, const Symbols& symbols) const;
    Result<int> choose_slices(const GoldenRequest& request) const;
    Result<std::vector<OutputTensor>> run_golden(const std::vector<InputTensor>& inputs);
    Result<std::vector<OutputTensor>> run_trusted(const std::vector<InputTensor>& inputs, std::string& note);
    Status check_outputs(const std::vector<OutputTensor>& outputs, const Symbols& symbols) const;
    Status check_inputs(const Buffers& buffers, const std::vector<std::uint64_t>& checksums) const;
    Status check_memory(const GoldenRequest& request) const;

    std::uint64_t m_memory;
    std::optional<Task> m_task;
    std::unique_ptr<TorchReference> m_reference;
    // The prepared eager case.
    std::optional<GoldenRequest> m_eager;
    Buffers m_eager_inputs;
    bool m_eager_upcast = false;
};

} // namespace kf::oracle
