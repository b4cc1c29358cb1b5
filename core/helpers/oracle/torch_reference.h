// SPDX-License-Identifier: GPL-3.0-or-later
// A task's reference function, compiled and run by TorchScript inside this process. The only door to libtorch: its
// headers stay in torch_reference.cpp.
#pragma once

#include "core/base/result.h"
#include "core/task/dtype.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kf::oracle {

enum class Accumulate { f32, f64 };

// A dense row-major tensor whose memory belongs to the caller.
struct InputTensor {
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;
    void* data = nullptr;
    bool copy = false; // the reference may write its argument (inout): give it a copy
};

// What a reference returned: torch's own type, named as kf names it where there is one.
struct OutputTensor {
    std::string dtype; // "f64", "f16", "i64", …, or torch's name for others
    std::vector<std::int64_t> shape;
    bool is_float = false;              // a floating type, else integer or bool
    std::vector<double> floats;         // values when is_float and asked for as golden
    std::vector<std::int64_t> integers; // values when not is_float
    std::vector<std::byte> bytes;       // values in the output's own type, when asked for
};

// How the values of outputs are handed over.
enum class Values {
    wide,   // float64 / int64
    rounded // the task's output type, rounded once (`bytes`)
};

struct RunOptions {
    Accumulate accumulate = Accumulate::f64;
    Values values = Values::wide;
    std::vector<DType> output_types; // for Values::rounded, one an output
    bool upcast_inputs = false;      // float inputs are converted to the accumulation type first
};

struct TorchFacts {
    std::string version; // "1.13.1"
    int threads = 1;
};

class TorchReference {
public:
    // Fusers and the optimising executor off, TF32 and reduced-precision accumulation off, deterministic algorithms,
    // this many threads. Call once before anything else.
    static TorchFacts set_up(int threads);
    static void set_threads(int threads);

    // `text` is reference.py; `file` its name in places. Errors with line: "reference-syntax", "reference-signature"
    // (not one function, last argument not `acc: int`, wrong number of tensors).
    static Result<std::unique_ptr<TorchReference>> compile(const std::string& text, const std::string& file,
                                                           std::size_t inputs, std::size_t outputs);
    ~TorchReference();

    // Errors: "reference-raised" with line, "reference-half" (an operator has no kernel for Half, BFloat16 or 8-bit
    // floats here: try upcast_inputs), "reference-outputs" (not tensors, wrong count), "out-of-memory".
    Result<std::vector<OutputTensor>> run(const std::vector<InputTensor>& inputs, const RunOptions& options);
    // Runs `repeat` times with results thrown away; seconds of each run.
    Result<std::vector<double>> time(const std::vector<InputTensor>& inputs, Accumulate accumulate, bool upcast_inputs,
                                     int repeat);

private:
    TorchReference();
    struct Implementation;
    std::unique_ptr<Implementation> m_impl;
};

} // namespace kf::oracle
