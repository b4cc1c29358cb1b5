// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/compiler.h"

#include "core/base/deadline.h"
#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/helpers/nvrtc/cubin.h"
#include "core/helpers/nvrtc/log.h"
#include "core/helpers/nvrtc/state.h"
#include "core/helpers/nvrtc/tools.h"

#include <algorithm>
#include <chrono>

namespace kf::nvrtc {
namespace {

constexpr std::size_t log_limit = 16 << 10;
constexpr std::size_t most_diagnostics = 8;
constexpr std::string_view cg_limit = "-D_CG_LIMIT_INCLUDED_DEPENDENCIES";

CompileFailure failure_of(std::string code, std::string message, std::string remedy = {}) {
    CompileFailure failure;
    failure.code = std::move(code);
    failure.message = std::move(message);
    failure.remedy = std::move(remedy);
    return failure;
}

std::string virtual_arch(const std::string& arch) {
    return "compute_" + arch.substr(3);
}

// Options that shape the machine code; paths are added apart, so that the list can be shown and hashed anywhere.
std::vector<std::string> options_of(const CompileRequest& request, bool to_ptx, bool whole_cooperative_groups) {
    std::vector<std::string> options{"-arch=" + (to_ptx ? virtual_arch(request.arch) : request.arch),
                                     "--std=" + request.standard, "-default-device",
                                     "-diag-suppress=161"}; // plan lines are unknown pragmas
    if (request.lineinfo)
        options.emplace_back("-lineinfo");
    if (request.fast_math)
        options.emplace_back("--use_fast_math");
    if (request.maxreg > 0 && !to_ptx)
        options.push_back("--maxrregcount=" + std::to_string(request.maxreg));
    if (!to_ptx)
        options.emplace_back("-Xptxas=-v");
    // As shipped, cooperative_groups.h pulls in a large part of libcu++ (1.1 s instead of 0.06 s, 1044 stray
    // variables).
    if (!whole_cooperative_groups)
        options.emplace_back(cg_limit);
    for (const auto& [name, value] : request.defines)
        options.push_back("-D" + name + "=" + std::to_string(value));
    return options;
}

std::vector<std::string> with_paths(std::vector<std::string> options, const std::vector<IncludeRoot>& roots) {
    for (const IncludeRoot& root : roots)
        options.push_back("--include-path=" + root.folder.string());
    return options;
}

bool includes_cooperative_groups(const std::string& source) {
    for (const IncludedName& include : scan_includes(source))
        if (include.name.starts_with("cooperative_groups"))
            return true;
    return false;
}

// Notes that the candidate's error is in a launch's name expression.
CompileFailure name_failure(const std::string& expression, const std::vector<Diagnostic>& errors) {
    std::string reason;
    for (const Diagnostic& d : errors)
        if (d.line == 0)
            reason += (reason.empty() ? "" : "; ") + d.message;
    CompileFailure failure = failure_of(
        "name-expression",
        "the kernel \"" + expression +
            "\" of a launch cannot be found: " + (reason.empty() ? "it names no __global__ function" : reason),
        "name a __global__ function of the text, with its namespace and all template arguments that cannot be deduced");
    failure.diagnostics.push_back({"error", {}, 0, 0, failure.message, {}});
    failure.error_count = 1;
    return failure;
}

// The expression as it was asked for; the compiler prints it back with other blanks.
std::string original_expression(const std::string& printed, const std::vector<std::string>& asked) {
    const auto squeezed = [](std::string text) {
        std::erase(text, ' ');
        return text;
    };
    for (const std::string& expression : asked)
        if (squeezed(expression) == squeezed(printed))
            return expression;
    return printed;
}

} // namespace

Compiler::Compiler(Toolkit toolkit, std::unique_ptr<Library> library)
    : m_toolkit(std::move(toolkit)), m_library(std::move(library)) {}

Result<std::unique_ptr<Compiler>> Compiler::create(const ToolkitSettings& settings) {
    auto toolkit = find_toolkit(settings);
    if (!toolkit)
        return toolkit.error();
    auto library = Library::open(*toolkit);
    if (!library)
        return library.error();
    add_headers_beside(*toolkit, (*library)->path(), settings);
    return std::unique_ptr<Compiler>(new Compiler(std::move(toolkit).value(), std::move(library).value()));
}

Result<CompileReply> Compiler::compile(const CompileRequest& asked, const std::function<bool()>& cancelled) {
    ++m_compiles;
    std::string source = asked.source;
    if (!asked.source_path.empty()) {
        auto text = read_file(asked.source_path, max_source_bytes + 1);
        if (!text && text.error().code != "file-too-large")
            return text.error();
        source = text.ok() ? std::move(text).value() : std::string(max_source_bytes + 1, ' ');
    }
    if (source.size() > max_source_bytes)
        return CompileReply(
            failure_of("source-too-large", "the candidate is larger than 1 MiB", "a candidate has at most 1 MiB"));
    if (const std::size_t zero = source.find('\0'); zero != std::string::npos) {
        const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
        CompileFailure failure = failure_of("compile-error", "the text contains a zero byte", "remove it");
        failure.diagnostics.push_back({"error", asked.name, static_cast<int>(line), 0, failure.message, {}});
        failure.error_count = 1;
        return CompileReply(std::move(failure));
    }
    if (auto known = m_library->check_architecture(asked.arch); !known)
        return CompileReply(failure_of(known.error().code, known.error().message, known.error().remedy));

    std::vector<IncludeRoot> roots = m_toolkit.roots;
    for (const std::string& folder : asked.include_paths) {
        std::error_code error;
        if (!std::filesystem::path(folder).is_absolute() || !std::filesystem::is_directory(folder, error))
            return make_error("bad-params", "include path " + folder + " is no absolute path of a folder",
                              "correct the setting that names it");
        roots.push_back({folder, "extra"});
    }
    if (const auto findings = check_includes(source, asked.name, roots, m_toolkit.headers_missing); !findings.empty()) {
        CompileFailure failure = failure_of(findings[0].code, findings[0].diagnostic.message, findings[0].remedy);
        for (const IncludeFinding& finding : findings)
            if (failure.diagnostics.size() < most_diagnostics)
                failure.diagnostics.push_back(finding.diagnostic);
        failure.error_count = static_cast<int>(findings.size());
        return CompileReply(std::move(failure));
    }

    auto reply = attempt(asked, source, roots, false, cancelled);
    // The parts of cooperative groups that need libcu++: once more with everything. The options in the answer say so.
    if (reply && includes_cooperative_groups(source))
        if (const auto* failure = std::get_if<CompileFailure>(&*reply); failure && failure->code == "compile-error") {
            auto second = attempt(asked, source, roots, true, cancelled);
            if (!second || std::holds_alternative<CompileOutput>(*second))
                return second;
        }
    return reply;
}

Result<CompileReply> Compiler::attempt(const CompileRequest& request, const std::string& source,
                                       const std::vector<IncludeRoot>& roots, bool whole_cooperative_groups,
                                       const std::function<bool()>& cancelled) {
    const bool to_ptx = request.assembler == Assembler::ptxas;
    const auto options = options_of(request, to_ptx, whole_cooperative_groups);
    auto program = Program::create(*m_library, source, request.name);
    if (!program)
        return program.error();
    for (const std::string& expression : request.name_expressions)
        if (auto added = program->add_name_expression(expression); !added)
            return CompileReply(
                failure_of("name-expression", added.error().message, "correct the launch's kernel name"));

    const auto start = std::chrono::steady_clock::now();
    const auto outcome = program->compile(with_paths(options, roots), deadline_after(request.seconds), cancelled);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::string log = program->log();
    switch (outcome) {
    case Program::Outcome::ok:
        break;
    case Program::Outcome::compile_error:
        return CompileReply(explain(request, source, options, roots, log));
    case Program::Outcome::cancelled:
        if (cancelled && cancelled())
            return make_error("cancelled", "the compile was cancelled");
        return CompileReply(failure_of("compile-timeout",
                                       "the compile took more than " + std::to_string(request.seconds) + " s",
                                       "unroll less, or use fewer template instances"));
    case Program::Outcome::out_of_memory:
        return make_error("out-of-memory", "NVRTC ran out of memory", "raise the helper's memory limit");
    case Program::Outcome::invalid_option:
        return make_error("nvrtc-failed", "NVRTC refuses an option: " + cut_log(log, 300));
    case Program::Outcome::internal:
        return make_error("nvrtc-failed", "NVRTC failed: " + cut_log(log, 300), "the second try with ptxas may work");
    }

    CompileOutput out;
    std::string assembler_log = log;
    if (to_ptx) {
        auto ptx = program->ptx();
        if (!ptx)
            return ptx.error();
        auto assembled = assemble(m_toolkit, *ptx, request.arch, request.maxreg, request.lineinfo,
                                  std::max(1.0, request.seconds - seconds), cancelled);
        if (!assembled)
            return assembled.error();
        if (!assembled->ok)
            return CompileReply(explain(request, source, options, roots, assembled->log));
        out.cubin = std::move(assembled->cubin);
        assembler_log = assembled->log;
        log += assembled->log;
        seconds += assembled->seconds;
    } else {
        auto cubin = program->cubin();
        if (!cubin)
            return cubin.error();
        out.cubin = std::move(cubin).value();
    }
    if (out.cubin.size() > max_cubin_bytes)
        return CompileReply(failure_of("cubin-too-large",
                                       "the machine code has " + std::to_string(out.cubin.size()) + " bytes",
                                       "unroll less, or use fewer template instances"));

    for (const std::string& expression : request.name_expressions) {
        auto lowered = program->lowered_name(expression);
        if (!lowered)
            return CompileReply(name_failure(expression, {}));
        out.lowered_names[expression] = std::move(lowered).value();
    }
    out.size = static_cast<std::int64_t>(out.cubin.size());
    out.sha256 = kf::sha256(out.cubin);
    out.seconds = seconds;
    out.nvrtc_version = m_library->version();
    out.assembler = request.assembler;
    out.options = options;
    out.warnings = parse_compiler_log(log, request.name, roots).warnings;
    std::erase_if(out.warnings, [](const Diagnostic& d) { return d.file.starts_with('<'); }); // of headers
    if (out.warnings.size() > most_diagnostics)
        out.warnings.resize(most_diagnostics);
    out.log = cut_log(std::move(log), log_limit);
    const HeaderSet headers = m_headers.hash(source, roots);
    out.header_hash = headers.hash;
    out.header_count = static_cast<int>(headers.files.size());

    auto cubin = read_cubin(out.cubin);
    if (!cubin)
        return cubin.error();
    out.kernels = parse_assembler_log(assembler_log);
    for (KernelFigures& figures : out.kernels) {
        for (const auto& [expression, lowered] : out.lowered_names)
            if (lowered == figures.name)
                figures.expression = expression;
        if (const CubinSection* bank = cubin->find(".nv.constant0." + figures.name); bank && figures.constant < 0)
            figures.constant = static_cast<std::int64_t>(bank->size);
    }
    out.state = state_symbols(*cubin);
    judge_state(out.state, source, headers.files);
    out.undefined = undefined_functions(*cubin);

    if (request.want_sass)
        if (auto added = add_sass(out, request, cancelled); !added)
            return added.error();
    if (out.cubin.size() > max_inline_cubin_bytes) {
        if (request.output_folder.empty())
            return make_error("output-folder-needed",
                              "the cubin has " + std::to_string(out.size) + " bytes, more than a line carries",
                              "give an output_folder");
        const auto path = std::filesystem::path(request.output_folder) / (out.sha256 + ".cubin");
        if (auto written = write_file_atomic(path, out.cubin); !written)
            return written.error();
        out.cubin_path = path.string();
        out.cubin.clear();
    }
    return CompileReply(std::move(out));
}

CompileFailure Compiler::explain(const CompileRequest& request, const std::string& source,
                                 const std::vector<std::string>& options, const std::vector<IncludeRoot>& roots,
                                 const std::string& log) {
    ParsedLog parsed = parse_compiler_log(log, request.name, roots);
    const bool of_text =
        std::any_of(parsed.errors.begin(), parsed.errors.end(), [](const Diagnostic& d) { return d.line > 0; });
    if (!parsed.bad_expression.empty() && !of_text) {
        CompileFailure failure =
            name_failure(original_expression(parsed.bad_expression, request.name_expressions), parsed.errors);
        failure.log = cut_log(log, log_limit);
        return failure;
    }
    // Of the text's own errors and those about the launches' names, the text's come first.
    if (of_text && !parsed.bad_expression.empty()) {
        std::vector<Diagnostic> kept;
        for (Diagnostic& d : parsed.errors)
            if (d.line > 0)
                kept.push_back(std::move(d));
        parsed.errors = std::move(kept);
        parsed.ptx_lines.assign(parsed.errors.size(), 0);
    }
    CompileFailure failure;
    failure.code = "compile-error";
    failure.error_count = static_cast<int>(parsed.errors.size());
    failure.log = cut_log(log, log_limit);
    const bool of_assembler = !of_text && (log.find("ptxas") != std::string::npos) && !parsed.errors.empty();
    if (of_assembler) {
        failure.code = "ptx-error";
        // The same text to PTX shows which source line each PTX line came from.
        auto again = options;
        std::erase_if(again, [](const std::string& o) {
            return o.starts_with("-arch=") || o == "-Xptxas=-v" || o == "-lineinfo" || o.starts_with("--maxrregcount=");
        });
        again.push_back("-arch=" + virtual_arch(request.arch));
        again.emplace_back("-lineinfo");
        if (auto program = Program::create(*m_library, source, request.name)) {
            bool named = true;
            for (const std::string& expression : request.name_expressions)
                named = named && program->add_name_expression(expression).ok();
            if (named &&
                program->compile(with_paths(again, roots), deadline_after(request.seconds), {}) == Program::Outcome::ok)
                if (const auto ptx = program->ptx()) {
                    const auto lines = source_lines_of_ptx(*ptx, request.name);
                    for (std::size_t i = 0; i < parsed.errors.size(); ++i)
                        if (const auto at = static_cast<std::size_t>(parsed.ptx_lines[i]);
                            at > 0 && at < lines.size() && lines[at] > 0) {
                            parsed.errors[i].file = request.name;
                            parsed.errors[i].line = lines[at];
                        }
                }
        }
    }
    failure.diagnostics = std::move(parsed.errors);
    if (failure.diagnostics.size() > most_diagnostics)
        failure.diagnostics.resize(most_diagnostics);
    if (failure.diagnostics.empty()) {
        failure.message = "the compiler refused the text without naming an error";
        failure.diagnostics.push_back({"error", request.name, 0, 0, failure.message, {}});
        failure.error_count = 1;
    }
    failure.message = first_line(failure);
    return failure;
}

Status Compiler::add_sass(CompileOutput& out, const CompileRequest& request, const std::function<bool()>& cancelled) {
    auto text = disassemble(m_toolkit, out.cubin, 30, cancelled);
    if (!text) {
        if (text.error().code == "cancelled")
            return text.error();
        out.sass_missing = text.error().message;
        out.sass_remedy = text.error().remedy;
        return {};
    }
    out.sass = std::move(text).value();
    if (out.sass.size() > max_inline_sass_bytes && !request.output_folder.empty()) {
        const auto path = std::filesystem::path(request.output_folder) / (out.sha256 + ".sass");
        if (auto written = write_file_atomic(path, out.sass); !written)
            return written.error();
        out.sass_path = path.string();
        out.sass.clear();
    } else if (out.sass.size() > max_inline_sass_bytes) {
        out.sass_missing = "the SASS has " + std::to_string(out.sass.size()) + " bytes, more than a line carries";
        out.sass_remedy = "give an output_folder";
        out.sass.clear();
    }
    return {};
}

Result<std::vector<StateSymbol>> Compiler::state(std::string_view bytes, std::string_view source) {
    auto cubin = read_cubin(bytes);
    if (!cubin)
        return cubin.error();
    auto symbols = state_symbols(*cubin);
    if (!source.empty())
        judge_state(symbols, source, m_headers.hash(source, m_toolkit.roots).files);
    return symbols;
}

} // namespace kf::nvrtc
