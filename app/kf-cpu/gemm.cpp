// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kf-cpu/gemm.h"

// Eigen's warnings are not ours.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <cmath>
#include <cstring>

namespace kf::cpu {

std::uint64_t dtype_bytes(Dtype dtype) {
    return dtype == Dtype::F64 ? 8 : dtype == Dtype::F32 ? 4 : 2;
}

namespace {

template<class T> using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template<class T> T load(const char* p, Dtype dtype) {
    switch (dtype) {
    case Dtype::F16: {
        Eigen::half h;
        std::memcpy(&h, p, 2);
        return static_cast<T>(static_cast<float>(h));
    }
    case Dtype::BF16: {
        Eigen::bfloat16 h;
        std::memcpy(&h, p, 2);
        return static_cast<T>(static_cast<float>(h));
    }
    case Dtype::F32: {
        float f;
        std::memcpy(&f, p, 4);
        return static_cast<T>(f);
    }
    case Dtype::F64:
        break;
    }
    double d;
    std::memcpy(&d, p, 8);
    return static_cast<T>(d);
}

template<class T> void store(char* p, Dtype dtype, T value) {
    switch (dtype) {
    case Dtype::F16: {
        const Eigen::half h(static_cast<float>(value));
        std::memcpy(p, &h, 2);
        return;
    }
    case Dtype::BF16: {
        const Eigen::bfloat16 h(static_cast<float>(value));
        std::memcpy(p, &h, 2);
        return;
    }
    case Dtype::F32: {
        const float f = static_cast<float>(value);
        std::memcpy(p, &f, 4);
        return;
    }
    case Dtype::F64:
        break;
    }
    const double d = static_cast<double>(value);
    std::memcpy(p, &d, 8);
}

template<class T>
void read_matrix(Matrix<T>& to, const GemmOperand& from, std::uint64_t batch, const char* arena, std::uint64_t rows,
                 std::uint64_t columns) {
    const std::uint64_t bytes = dtype_bytes(from.dtype);
    const char* base = arena + from.offset + batch * from.stride * bytes;
    to.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
    for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t j = 0; j < columns; ++j) {
            const std::uint64_t at = from.transposed ? j * from.ld + i : i * from.ld + j;
            to(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = load<T>(base + at * bytes, from.dtype);
        }
    }
}

template<class T> T finish(T value, Epilogue epilogue) {
    switch (epilogue) {
    case Epilogue::None:
        return value;
    case Epilogue::Relu:
        return value > 0 || value != value ? value : T(0);
    case Epilogue::GeluTanh:
        break;
    }
    const T inner = T(0.7978845608028653559) * (value + T(0.044715) * value * value * value);
    return T(0.5) * value * (T(1) + std::tanh(inner));
}

template<class T> void run(const Gemm& gemm, char* arena) {
    Matrix<T> a, b, c;
    for (std::uint64_t batch = 0; batch < gemm.batch; ++batch) {
        read_matrix(a, gemm.a, batch, arena, gemm.m, gemm.k);
        read_matrix(b, gemm.b, batch, arena, gemm.k, gemm.n);
        c.noalias() = a * b;
        const std::uint64_t bytes = dtype_bytes(gemm.c.dtype);
        char* base = arena + gemm.c.offset + batch * gemm.c.stride * bytes;
        for (std::uint64_t i = 0; i < gemm.m; ++i) {
            for (std::uint64_t j = 0; j < gemm.n; ++j) {
                T value = gemm.k > 0 ? c(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) : T(0);
                if (gemm.has_bias)
                    value += load<T>(arena + gemm.bias_offset + j * dtype_bytes(gemm.bias_dtype), gemm.bias_dtype);
                const std::uint64_t at = gemm.c.transposed ? j * gemm.c.ld + i : i * gemm.c.ld + j;
                store(base + at * bytes, gemm.c.dtype, finish(value, gemm.epilogue));
            }
        }
    }
}

bool fits(const GemmOperand& operand, std::uint64_t rows, std::uint64_t columns, std::uint64_t batch,
          std::uint64_t arena_bytes) {
    const std::uint64_t bytes = dtype_bytes(operand.dtype);
    if (operand.transposed)
        std::swap(rows, columns);
    if (rows == 0 || columns == 0 || batch == 0)
        return true;
    // Products in 128 bits: the figures come from outside.
    __extension__ using Wide = unsigned __int128;
    const Wide last = Wide{batch - 1} * operand.stride + Wide{rows - 1} * operand.ld + (columns - 1);
    return operand.ld >= columns && operand.offset % bytes == 0 && last < (Wide{1} << 64) &&
           Wide{operand.offset} + (last + 1) * bytes <= arena_bytes;
}

} // namespace

Status check_gemm(const Gemm& gemm, std::uint64_t arena_bytes) {
    const auto refuse = [](const char* what) {
        return make_error("gemm-range", std::string("gemm: ") + what +
                                            " does not lie in the arena, is not aligned, or its "
                                            "leading dimension is too small");
    };
    if (!fits(gemm.a, gemm.m, gemm.k, gemm.batch, arena_bytes))
        return refuse("a");
    if (!fits(gemm.b, gemm.k, gemm.n, gemm.batch, arena_bytes))
        return refuse("b");
    if (!fits(gemm.c, gemm.m, gemm.n, gemm.batch, arena_bytes))
        return refuse("c");
    if (gemm.has_bias) {
        const GemmOperand bias{gemm.bias_offset, gemm.bias_dtype, false, gemm.n, 0};
        if (!fits(bias, 1, gemm.n, 1, arena_bytes))
            return refuse("bias");
    }
    return {};
}

void run_gemm(const Gemm& gemm, char* arena) {
    if (gemm.a.dtype == Dtype::F64 || gemm.b.dtype == Dtype::F64 || gemm.c.dtype == Dtype::F64)
        run<double>(gemm, arena);
    else
        run<float>(gemm, arena);
}

} // namespace kf::cpu
