// SPDX-License-Identifier: GPL-3.0-or-later
// clang-format off
// CUDA C++ on one CPU thread: the first include of every candidate's translation unit on the CPU device.
//
// What the compile driver does (this comment is the recipe; see core/runners/cpu/):
//   1. Translation unit:
//          #include <kf/simt.h>
//          #line 1 "<candidate file>"
//          <candidate text, rewritten as under 2>
//          #line 1 "<plan>"
//          KF_SIMT_MODULE_BEGIN
//          KF_SIMT_KERNEL(swiglu<256, half>)     // a line per launch expression in the request's order; may be none
//          KF_SIMT_MODULE_END
//      A namespace-scope expression is written as the plan has it; commas in template arguments are fine. The stub
//      exports kf_module and kf_module_signature (abi.h) and nothing else.
//   2. Dynamic shared memory, at block scope and on the same line (column changes are harmless):
//          extern __shared__ [alignment attributes] TYPE NAME[];
//      becomes
//          TYPE* const NAME = static_cast<TYPE*>(::kf_simt::dynamic_shared());
//      where TYPE is everything between __shared__ and NAME without __align__(…), alignas(…), __attribute__((…));
//      `extern __shared__ TYPE NAME[];` at namespace scope becomes
//          static constexpr ::kf_simt::DynamicShared<TYPE> NAME{};
//      (a stateless object that converts to TYPE* and has operator[]). The base is aligned to 128 bytes.
//   3. Compile: g++ -std=c++20 -O2 -g1 -c -fPIC -fvisibility=hidden -fno-gnu-unique -fno-exceptions
//      -fno-strict-aliasing -fwrapv -ffp-contract=fast -fsanitize=alignment -fno-sanitize-recover=alignment -I <simt folder>, and
//          plain, when the candidate's text contains the word `volatile`: -fsanitize=thread
//                 --param tsan-distinguish-volatile=1 --param tsan-instrument-func-entry-exit=0
//                 (the calls end in kf-cpu's own plain functions: a volatile load is then a yield point)
//          tsan:  -fsanitize=thread --param tsan-distinguish-volatile=1 -g
//          asan:  -fsanitize=address -fno-omit-frame-pointer -g
//      -mf16c, -mavx2 and -mfma may be added on machines that have them (faster half conversions, fused multiply-add).
//   4. Link in a second step and never with -fsanitize, which would pull in the compiler's own libraries; kf-cpu
//      defines what the instrumentation calls:
//          g++ -shared -nostdlib -Wl,-z,relro,-z,now -Wl,--as-needed candidate.o -o candidate.so -lm -lc -lgcc
//      -fsanitize=thread and =address add exactly one .init_array entry (the sanitizer's own registration).
#pragma once

// Each one needs those above it.

#include "kf/simt/runtime.h"
#include "kf/simt/vector.h"
#include "kf/simt/sync.h"
#include "kf/simt/atomics.h"
#include "kf/simt/math.h"
#include "kf/simt/intrinsics.h"
#include "kf/simt/module.h"
// clang-format on
