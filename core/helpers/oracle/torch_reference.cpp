// SPDX-License-Identifier: GPL-3.0-or-later
// The one file that includes torch (it takes most of a minute to compile).
#include "core/helpers/oracle/torch_reference.h"

#include <ATen/Parallel.h>
#include <chrono>
#include <cstring>
#include <new>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/jit.h>
#include <torch/script.h>
#include <torch/version.h>

namespace torch::jit {
// Declared in a header that needs Python (passes update_graph_executor_opt.h); defined in libtorch itself.
TORCH_API void setGraphExecutorOptimize(bool optimize);
} // namespace torch::jit

namespace kf::oracle {
namespace {

at::ScalarType scalar_type(DType dtype) {
    switch (dtype) {
    case DType::f64:
        return at::kDouble;
    case DType::f32:
        return at::kFloat;
    case DType::f16:
        return at::kHalf;
    case DType::bf16:
        return at::kBFloat16;
    case DType::i64:
        return at::kLong;
    case DType::i32:
        return at::kInt;
    case DType::i8:
        return at::kChar;
    case DType::e4m3: // bytes; the reference decodes them
    case DType::e5m2:
    case DType::u8:
        return at::kByte;
    case DType::boolean:
        return at::kBool;
    }
    return at::kByte;
}

std::string name_of(at::ScalarType type) {
    switch (type) {
    case at::kDouble:
        return "f64";
    case at::kFloat:
        return "f32";
    case at::kHalf:
        return "f16";
    case at::kBFloat16:
        return "bf16";
    case at::kLong:
        return "i64";
    case at::kInt:
        return "i32";
    case at::kChar:
        return "i8";
    case at::kByte:
        return "u8";
    case at::kBool:
        return "bool";
    default:
        return c10::toString(type);
    }
}

// Number behind the last (or first) `line ` of a TorchScript message; the text's own lines count from 1.
int line_in(const std::string& message, bool last) {
    constexpr std::string_view mark = "File \"<string>\", line ";
    const std::size_t at = last ? message.rfind(mark) : message.find(mark);
    if (at == std::string::npos)
        return 0;
    return std::atoi(message.c_str() + at + mark.size());
}

// Column of the first '~' below the quoted line, which is printed as it stands in the text.
int column_in(const std::string& message) {
    std::size_t begin = 0;
    while (begin < message.size()) {
        const std::size_t end = std::min(message.find('\n', begin), message.size());
        const std::size_t mark = message.find_first_not_of(' ', begin);
        if (mark < end && message[mark] == '~')
            return static_cast<int>(mark - begin) + 1;
        begin = end + 1;
    }
    return 0;
}

// The sentence of a message, without stack traces and quoted source.
std::string sentence(std::string message) {
    if (const auto at = message.find("RuntimeError: "); at != std::string::npos)
        message = message.substr(at + 14);
    for (const char* stop : {"\nException raised from", "\n  File \"<string>\"", "\n  File \"", ":\n  File",
                             "\nThe following operation failed"})
        if (const auto at = message.find(stop); at != std::string::npos && at > 0)
            message.resize(at);
    while (!message.empty() && (message.front() == '\n' || message.front() == ' '))
        message.erase(message.begin());
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ' || message.back() == ':'))
        message.pop_back();
    for (char& c : message)
        if (c == '\n')
            c = ' ';
    return message.size() > 600 ? message.substr(0, 600) + "…" : message;
}

bool lacks_kernel(const std::string& message) {
    if (message.find("not implemented for") == std::string::npos &&
        message.find("not supported for") == std::string::npos &&
        message.find("Unsupported dtype") == std::string::npos &&
        message.find("unsupported data type") == std::string::npos &&
        message.find("unsupported scalarType") == std::string::npos)
        return false;
    for (const char* type : {"Half", "BFloat16", "Float8"})
        if (message.find(type) != std::string::npos)
            return true;
    return false;
}

Error run_error(const std::string& what, const std::string& file) {
    if (what.find("can't allocate memory") != std::string::npos ||
        what.find("not enough memory") != std::string::npos || what.find("bad_alloc") != std::string::npos)
        return make_error("out-of-memory",
                          "the reference needs more memory than this helper may use: " + sentence(what),
                          "use a smaller size, name an axis in golden_split, or raise the memory limit");
    const Place place{file, line_in(what, true), 0};
    if (lacks_kernel(what))
        return make_error("reference-half",
                          "an operator of the reference has no CPU kernel for a 16-bit type: " + sentence(what),
                          "run with float32 inputs", place);
    return make_error("reference-raised", "the reference raised: " + sentence(what), "correct reference.py", place);
}

int wanted_threads = 1;

// Both settings belong to the calling thread.
void settle_thread() {
    torch::jit::setGraphExecutorOptimize(false);
    if (at::get_num_threads() != wanted_threads)
        at::set_num_threads(wanted_threads);
}

// Runs `body` and turns everything that libtorch throws into an Error.
template<class F> auto guarded(const std::string& file, F body) -> decltype(body()) {
    try {
        settle_thread();
        return body();
    } catch (const torch::jit::ErrorReport& e) {
        return run_error(e.what(), file);
    } catch (const c10::Error& e) {
        return run_error(e.what(), file);
    } catch (const std::bad_alloc&) {
        return run_error("bad_alloc", file);
    } catch (const std::exception& e) {
        return run_error(e.what(), file);
    }
}

} // namespace

struct TorchReference::Implementation {
    std::shared_ptr<torch::jit::CompilationUnit> unit;
    torch::jit::Function* function = nullptr;
    std::string file;
    std::size_t outputs = 0;

    std::vector<c10::IValue> arguments(const std::vector<InputTensor>& inputs, Accumulate accumulate,
                                       bool upcast) const {
        const at::ScalarType acc = accumulate == Accumulate::f64 ? at::kDouble : at::kFloat;
        std::vector<c10::IValue> values;
        values.reserve(inputs.size() + 1);
        for (const InputTensor& input : inputs) {
            at::Tensor tensor =
                torch::from_blob(input.data, input.shape, at::TensorOptions().dtype(scalar_type(input.dtype)));
            if (upcast && at::isFloatingType(tensor.scalar_type()))
                tensor = tensor.to(acc);
            else if (input.copy)
                tensor = tensor.clone();
            values.emplace_back(std::move(tensor));
        }
        values.emplace_back(static_cast<std::int64_t>(acc));
        return values;
    }

    Result<std::vector<at::Tensor>> call(std::vector<c10::IValue> values) const {
        const c10::IValue returned = (*function)(std::move(values));
        std::vector<at::Tensor> tensors;
        if (returned.isTensor())
            tensors.push_back(returned.toTensor());
        else if (returned.isTuple())
            for (const c10::IValue& element : returned.toTupleRef().elements()) {
                if (!element.isTensor())
                    return make_error("reference-outputs",
                                      "the reference returns a " + element.tagKind() + " in its tuple",
                                      "return tensors only", Place{file, 0, 0});
                tensors.push_back(element.toTensor());
            }
        else
            return make_error("reference-outputs", "the reference returns a " + returned.tagKind(),
                              "return one tensor or a tuple of tensors", Place{file, 0, 0});
        if (tensors.size() != outputs)
            return make_error("reference-outputs",
                              "the reference returns " + std::to_string(tensors.size()) + " tensors, the task names " +
                                  std::to_string(outputs) + " outputs",
                              "return the outputs in the order of task.json", Place{file, 0, 0});
        return tensors;
    }
};

TorchReference::TorchReference() : m_impl(std::make_unique<Implementation>()) {}
TorchReference::~TorchReference() = default;

TorchFacts TorchReference::set_up(int threads) {
    torch::jit::getExecutorMode() = false;
    torch::jit::getProfilingMode() = false;
    torch::jit::setTensorExprFuserEnabled(false);
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowFP16ReductionCuBLAS(false);
#if TORCH_VERSION_MAJOR >= 2
    at::globalContext().setAllowBF16ReductionCuBLAS(false);
#endif
    at::globalContext().setFloat32MatmulPrecision("highest");
    at::globalContext().setDeterministicAlgorithms(true, true); // warn where an operator has no deterministic form
    at::globalContext().setBenchmarkCuDNN(false);
    if (at::get_num_interop_threads() != 1)
        at::set_num_interop_threads(1);
    set_threads(threads);
    settle_thread();
    return {TORCH_VERSION, at::get_num_threads()};
}

void TorchReference::set_threads(int threads) {
    wanted_threads = threads;
}

Result<std::unique_ptr<TorchReference>> TorchReference::compile(const std::string& text, const std::string& file,
                                                                std::size_t inputs, std::size_t outputs) {
    std::unique_ptr<TorchReference> reference(new TorchReference());
    Implementation& impl = *reference->m_impl;
    impl.file = file;
    impl.outputs = outputs;
    const auto syntax = [&](const std::string& what) {
        return make_error("reference-syntax", "the reference does not compile: " + sentence(what),
                          "correct reference.py", Place{file, line_in(what, false), column_in(what)});
    };
    try {
        settle_thread();
        impl.unit = torch::jit::compile(text);
        const auto functions = impl.unit->get_functions();
        if (functions.size() != 1)
            return make_error("reference-signature",
                              "reference.py defines " + std::to_string(functions.size()) + " functions",
                              "define exactly one", Place{file, 0, 0});
        impl.function = functions[0];
        const c10::FunctionSchema& schema = impl.function->getSchema();
        const auto& arguments = schema.arguments();
        if (arguments.empty() || arguments.back().name() != "acc" ||
            arguments.back().type()->kind() != c10::TypeKind::IntType)
            return make_error("reference-signature", "the last argument of the reference is not `acc: int`",
                              "end the arguments with acc: int", Place{file, 0, 0});
        if (arguments.size() != inputs + 1)
            return make_error("reference-signature",
                              "the reference takes " + std::to_string(arguments.size() - 1) + " inputs, the task has " +
                                  std::to_string(inputs),
                              "take the inputs in the order of task.json, then acc: int", Place{file, 0, 0});
        for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
            if (arguments[i].type()->kind() != c10::TypeKind::TensorType)
                return make_error("reference-signature",
                                  "argument `" + arguments[i].name() + "` of the reference is no Tensor",
                                  "every input is a Tensor", Place{file, 0, 0});
    } catch (const torch::jit::ErrorReport& e) {
        return syntax(e.what());
    } catch (const std::exception& e) {
        return syntax(e.what());
    }
    return reference;
}

Result<std::vector<OutputTensor>> TorchReference::run(const std::vector<InputTensor>& inputs,
                                                      const RunOptions& options) {
    using Outputs = Result<std::vector<OutputTensor>>;
    return guarded(m_impl->file, [&]() -> Outputs {
        const c10::InferenceMode inference;
        auto returned = m_impl->call(m_impl->arguments(inputs, options.accumulate, options.upcast_inputs));
        if (!returned)
            return returned.error();
        std::vector<OutputTensor> outputs;
        for (std::size_t i = 0; i < returned->size(); ++i) {
            at::Tensor tensor = (*returned)[i];
            OutputTensor out;
            out.dtype = name_of(tensor.scalar_type());
            out.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
            out.is_float = at::isFloatingType(tensor.scalar_type());
            if (!out.is_float && !at::isIntegralType(tensor.scalar_type(), true))
                return make_error("reference-outputs", "the reference returns a tensor of type " + out.dtype,
                                  "return real numbers, integers or bools", Place{m_impl->file, 0, 0});
            const auto count = static_cast<std::size_t>(tensor.numel());
            if (options.values == Values::wide) {
                tensor = tensor.to(out.is_float ? at::kDouble : at::kLong).contiguous();
                if (out.is_float) {
                    const double* data = tensor.data_ptr<double>();
                    out.floats.assign(data, data + count);
                } else {
                    const std::int64_t* data = tensor.data_ptr<std::int64_t>();
                    out.integers.assign(data, data + count);
                }
            } else {
                const DType wanted = options.output_types.at(i);
                const bool byte_float = wanted == DType::e4m3 || wanted == DType::e5m2;
                // Codes arrive as bytes; float values are encoded by our own rounding, torch 1.13 has no such type.
                const at::ScalarType type = byte_float && out.is_float ? at::kFloat : scalar_type(wanted);
                tensor = tensor.to(type).contiguous();
                if (byte_float && out.is_float) {
                    const float* data = tensor.data_ptr<float>();
                    out.bytes.resize(count);
                    for (std::size_t k = 0; k < count; ++k)
                        out.bytes[k] = static_cast<std::byte>(wanted == DType::e4m3 ? float_to_e4m3(data[k])
                                                                                    : float_to_e5m2(data[k]));
                } else {
                    out.bytes.resize(count * size_of(wanted));
                    if (!out.bytes.empty())
                        std::memcpy(out.bytes.data(), tensor.data_ptr(), out.bytes.size());
                }
            }
            (*returned)[i] = at::Tensor(); // frees it before the next is converted
            outputs.push_back(std::move(out));
        }
        return outputs;
    });
}

Result<std::vector<double>> TorchReference::time(const std::vector<InputTensor>& inputs, Accumulate accumulate,
                                                 bool upcast_inputs, int repeat) {
    using Times = Result<std::vector<double>>;
    return guarded(m_impl->file, [&]() -> Times {
        const c10::InferenceMode inference;
        // A stand-in's inputs are converted once, outside the timed part.
        const auto arguments = m_impl->arguments(inputs, accumulate, upcast_inputs);
        std::vector<double> seconds;
        for (int i = 0; i < repeat; ++i) {
            const auto start = std::chrono::steady_clock::now();
            auto returned = m_impl->call(arguments);
            if (!returned)
                return returned.error();
            seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        return seconds;
    });
}

} // namespace kf::oracle
