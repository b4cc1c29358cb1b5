// SPDX-License-Identifier: GPL-3.0-or-later
// What kf-nvrtc is asked and what it answers, as plain values: the evaluator includes this file and nothing of NVRTC.
// A candidate that does not compile is an ordinary answer (CompileFailure); only a broken helper is a protocol error.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kf::nvrtc {

// Who turns PTX into machine code. `ptxas` is the second try after a crash: NVRTC's front end makes PTX in this process
// and the toolkit's ptxas program, a process of its own, assembles it. Names and error lines stay the same.
enum class Assembler { nvrtc, ptxas };

struct CompileRequest {
    std::string source;                        // the candidate's whole text, plan lines included
    std::string source_path;                   // or a file that holds it, for a text too large for one line
    std::string name = "candidate.cu";         // file name for diagnostics and line tables; no folder
    std::string arch;                          // "sm_90a"
    std::vector<std::string> name_expressions; // "swiglu<BLOCK, half>", macros allowed
    std::map<std::string, std::int64_t> defines;
    bool fast_math = false;
    int maxreg = 0; // 0: no limit
    bool lineinfo = true;
    std::string standard = "c++17";
    std::vector<std::string> include_paths; // configured by the owner (CUTLASS), never by the candidate
    std::string output_folder;              // where a cubin too large for a line goes
    bool want_sass = false;
    double seconds = 60; // deadline of the compile; the owner's own deadline is the one that kills
    Assembler assembler = Assembler::nvrtc;
};

struct Diagnostic {
    std::string severity; // "error", "warning"
    std::string file;     // the candidate's name, or "<cuda_fp16.hpp>" for a header
    int line = 0;         // 0 unknown
    int column = 0;       // 0 unknown
    std::string message;
    std::vector<std::string> notes; // at most two
};

// Figures of one kernel from the assembler's log; -1 where the log does not say.
struct KernelFigures {
    std::string name;                                 // lowered name, as the module knows it
    std::string expression;                           // the name expression that asked for it, "" for other entries
    bool entry = true;                                // false: a device function that was not inlined
    int registers = -1;                               // a thread
    std::int64_t spill_stores = -1, spill_loads = -1; // bytes a thread
    std::int64_t stack = -1;                          // bytes a thread
    std::int64_t shared = -1;                         // static, bytes a block
    std::int64_t constant = -1;                       // bytes of bank 0, parameters included
    int barriers = -1;
};

// A writable variable of a cubin's global memory: what could carry state from one launch to the next.
struct StateSymbol {
    std::string name;       // as in the module
    std::string demangled;  // "k<128>(float*)::counter" or the plain name
    std::string identifier; // the variable's own name: "counter"
    std::string section;    // ".nv.global", ".nv.global.init"
    std::uint64_t size = 0; // bytes
    bool initialised = false;
    // "candidate": its name stands in the candidate's text; "header": a header's own; "compiler": text of an
    // assert and the like; "unknown": none of these.
    std::string origin = "unknown";
    bool constant = false; // the candidate's text declares it const or constexpr, and nothing else by that name
    bool suspect() const {
        return (origin == "candidate" || origin == "unknown") && !constant;
    } // state that outlives a launch
};

struct CompileOutput {
    std::string cubin;      // the bytes; empty when they are in cubin_path
    std::string cubin_path; // set when the cubin is larger than one line carries
    std::string sha256;
    std::int64_t size = 0;
    std::map<std::string, std::string> lowered_names; // name expression → lowered name
    std::vector<KernelFigures> kernels;
    std::vector<StateSymbol> state;
    std::vector<std::string> undefined; // functions called but not defined: vprintf, or a device-side launch
    std::vector<Diagnostic> warnings;
    std::string log;
    double seconds = 0;        // inside the compiler
    std::string nvrtc_version; // "13.0"
    Assembler assembler = Assembler::nvrtc;
    std::vector<std::string> options; // as given to the compiler, machine paths left out
    std::string header_hash;          // of every header that the text can reach
    int header_count = 0;
    std::string sass; // empty when not asked for, not to be had, or in sass_path
    std::string sass_path;
    std::string sass_missing; // why there is no SASS although it was asked for
    std::string sass_remedy;
};

// The candidate is at fault. Codes: include-refused, header-missing, compile-error, name-expression, ptx-error,
// arch-unsupported, source-too-large, compile-timeout, cubin-too-large.
struct CompileFailure {
    std::string code;
    std::string message;
    std::string remedy;
    std::vector<Diagnostic> diagnostics; // the first errors only
    int error_count = 0;                 // all of them
    std::string log;                     // cut to 16 KiB
};

using CompileReply = std::variant<CompileOutput, CompileFailure>;

Json to_json(const CompileRequest& request);
// Error "bad-params" names the field.
Result<CompileRequest> request_from_json(const Json& json);
Json to_json(const CompileReply& reply);
Result<CompileReply> reply_from_json(const Json& json);
Json to_json(const std::vector<StateSymbol>& symbols);
std::vector<StateSymbol> state_symbols_from_json(const Json& json);
// "swiglu.cu:3:14: error: …" of the first diagnostic, else the message.
std::string first_line(const CompileFailure& failure);

} // namespace kf::nvrtc
