// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runners/cpu/compile.h"

#include "core/base/files.h"
#include "core/base/sha256.h"
#include "core/process/child.h"
#include "core/runners/cpu/abi.h"
#include "core/runners/cpu/compile_cache.h"
#include "core/runners/cpu/lexer.h"
#include "core/runners/cpu/translation_unit.h"

#include <algorithm>
#include <csignal>
#include <mutex>
#include <optional>

namespace kf {
namespace fs = std::filesystem;
namespace {

// Raised whenever the driver itself makes another object from the same request.
constexpr const char* kDriverVersion = "1";
constexpr std::uint64_t kObjectLimit = std::uint64_t{64} << 20;
constexpr std::size_t kLogLimit = 64 << 10;

// Files inside the sandbox.
constexpr const char* kSimt = "/kf/simt";
constexpr const char* kWork = "/kf/work";

bool has_word(std::string_view source, std::string_view word) {
    const TokenStream stream = tokenize(source);
    return std::any_of(stream.tokens.begin(), stream.tokens.end(), [&](const Token& token) { return token.is(word); });
}

std::vector<std::string> code_flags(const CpuCompileRequest& request, bool volatile_yields) {
    std::vector<std::string> flags = {"-std=c++20",
                                      "-O2",
                                      "-g1",
                                      "-fPIC",
                                      "-fvisibility=hidden",
                                      "-fno-gnu-unique",
                                      "-fno-exceptions",
                                      "-fno-strict-aliasing",
                                      "-fwrapv",
                                      "-ffp-contract=fast",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-fno-stack-protector",
                                      "-fcf-protection=none",
                                      "-Wa,--keep-locals"};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
        flags.insert(flags.end(), {"-mavx2", "-mfma", "-mf16c"});
#endif
    if (request.fast_math)
        flags.insert(flags.end(), {"-freciprocal-math", "-fno-signed-zeros"});
    switch (request.mode) {
    case CpuMode::plain:
        flags.insert(flags.end(), {"-fsanitize=alignment", "-fno-sanitize-recover=alignment"});
        if (volatile_yields)
            flags.insert(flags.end(), {"-fsanitize=thread", "--param=tsan-distinguish-volatile=1",
                                       "--param=tsan-instrument-func-entry-exit=0", "-DKF_SIMT_VOLATILE=1"});
        break;
    case CpuMode::asan:
        flags.insert(flags.end(), {"-fsanitize=alignment", "-fno-sanitize-recover=alignment", "-fsanitize=address",
                                   "-fno-omit-frame-pointer", "-g", "-DKF_SIMT_ASAN=1"});
        break;
    case CpuMode::tsan:
        flags.insert(flags.end(), {"-fsanitize=alignment", "-fno-sanitize-recover=alignment", "-fsanitize=thread",
                                   "--param=tsan-distinguish-volatile=1", "-g"});
        break;
    }
    return flags;
}

// No start files and no default libraries: the sanitizers' functions come from the runner, which has them once.
std::vector<std::string> link_flags() {
    return {"-shared",    "-nostartfiles",      "-nodefaultlibs", "-Wl,--as-needed",    "-Wl,-z,relro",
            "-Wl,-z,now", "-Wl,-z,noexecstack", "-Wl,-z,text",    "-Wl,--build-id=none"};
}

Result<std::vector<std::string>> define_flags(const CpuCompileRequest& request) {
    std::vector<std::string> flags;
    for (const auto& [name, value] : request.defines) {
        const bool good = !name.empty() && !(name[0] >= '0' && name[0] <= '9') && name.rfind("KF_", 0) != 0 &&
                          std::all_of(name.begin(), name.end(),
                                      [](unsigned char c) { return c == '_' || (c < 128 && std::isalnum(c)); });
        if (!good)
            return make_error("compile-request", "'" + name.substr(0, 80) + "' cannot be the name of a define");
        // The smallest 64-bit integer has no literal.
        const std::string text = value == INT64_MIN ? "(-9223372036854775807LL-1)"
                                 : value < 0        ? "(" + std::to_string(value) + ")"
                                                    : std::to_string(value);
        flags.push_back("-D" + name + "=" + text);
    }
    return flags;
}

Result<std::string> compiler_version(const std::string& compiler) {
    static std::mutex mutex;
    static std::map<std::string, std::string> known;
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(compiler); found != known.end())
        return found->second;
    ChildSpec spec;
    spec.argv = {compiler, "--version"};
    RunLimits limits;
    limits.deadline = after(std::chrono::seconds(20));
    const Result<Finished> finished = run_to_end(spec, limits);
    if (!finished && finished.error().code == "program-missing")
        return make_error("program-missing", "the C++ compiler '" + compiler + "' was not found",
                          "install the package g++; the CPU device compiles candidates with it");
    if (!finished)
        return finished.error();
    if (!finished->succeeded())
        return make_error("compile-crash", "'" + compiler + " --version' failed: " + finished->ending());
    return known[compiler] = finished->out.substr(0, finished->out.find('\n'));
}

class PrivateFolder {
public:
    explicit PrivateFolder(fs::path path) : m_path(std::move(path)) {}
    ~PrivateFolder() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

class Compile {
public:
    Compile(const CpuCompileRequest& request, CpuCompileReport& report) : m_request(request), m_report(report) {}

    Result<CpuBinary> run() {
        if (const Status status = prepare(); !status)
            return status.error();
        const std::optional<CompileCache> cache =
            m_request.cache_folder.empty() ? std::nullopt : std::optional(CompileCache(m_request.cache_folder));
        if (cache)
            if (std::optional<CpuBinary> hit = cache->find(m_binary.key)) {
                hit->mode = m_request.mode;
                return *std::move(hit);
            }
        Result<CpuBinary> binary = make();
        if (binary && cache)
            if (const Status status = cache->store(*binary); !status)
                binary->log += "note: not cached: " + to_string(status.error()) + "\n";
        return binary;
    }

private:
    // Everything that needs no compiler run; ends with the key.
    Status prepare() {
        m_report.findings = screen_cpu(m_request.source, m_request.file_name);
        if (!m_report.findings.empty())
            return m_report.findings.front().to_error();
        Result<std::string> unit = make_translation_unit(m_request.source, m_request.file_name, m_request.expressions);
        if (!unit)
            return unit.error();
        m_unit = *std::move(unit);
        m_simt = m_request.simt_folder.empty() ? resource_folder() / "resources" / "simt" : m_request.simt_folder;
        if (std::error_code ignored; m_request.simt_folder.empty() && !fs::is_directory(m_simt, ignored))
            m_simt = resource_folder() / "simt";
        std::error_code error;
        m_simt = fs::weakly_canonical(m_simt, error);
        const Result<std::string> headers = hash_of_headers(m_simt);
        if (!headers)
            return headers.error();
        const Result<std::string> version = compiler_version(m_request.compiler);
        if (!version)
            return version.error();
        m_binary.compiler = *version;
        m_binary.mode = m_request.mode;
        m_binary.volatile_yields = m_request.mode == CpuMode::plain && has_word(m_request.source, "volatile");
        m_code_flags = code_flags(m_request, m_binary.volatile_yields);
        const Result<std::vector<std::string>> defines = define_flags(m_request);
        if (!defines)
            return defines.error();
        m_code_flags.insert(m_code_flags.end(), defines->begin(), defines->end());
        m_binary.flags = m_code_flags;
        const std::vector<std::string> linking = link_flags();
        m_binary.flags.insert(m_binary.flags.end(), linking.begin(), linking.end());
        std::string flags;
        for (const std::string& flag : m_binary.flags)
            flags += flag + '\0';
        m_binary.key = sha256_of_parts({kDriverVersion, std::to_string(KF_CPU_ABI_VERSION), m_unit, flags,
                                        to_string(m_request.mode), m_request.compiler, *version, *headers});
        return {};
    }

    Result<CpuBinary> make() {
        const SteadyTime start = std::chrono::steady_clock::now();
        m_deadline = after(std::chrono::duration<double>(m_request.seconds));
        const bool sandboxed = probe_sandbox().available;
        if (!sandboxed && !m_request.trusted)
            return make_error("sandbox-unavailable",
                              "a model's candidate is compiled only inside a sandbox: " + probe_sandbox().reason,
                              probe_sandbox().remedy);
        Result<fs::path> folder = make_private_folder("kernelforge-compile-");
        if (!folder)
            return folder.error();
        const PrivateFolder work(*folder);
        if (const Status status = write_file_atomic(work.path() / "unit.cpp", m_unit); !status)
            return status.error();
        m_outside_work = work.path();
        m_sandboxed = sandboxed;

        if (needs_preprocessed_screen(m_request.source)) {
            const Result<Finished> output = step({"-E", work_file("unit.cpp")}, true, true);
            if (!output)
                return output.error();
            m_report.findings = screen_preprocessed(output->out, m_request.file_name);
            if (!m_report.findings.empty())
                return m_report.findings.front().to_error();
        }
        const Result<Finished> compiled = step({"-c", work_file("unit.cpp"), "-o", work_file("unit.o")}, true, false);
        if (!compiled)
            return compiled.error();
        m_binary.log = compiled->err.substr(0, kLogLimit);
        std::vector<std::string> link = {work_file("unit.o"), "-o", work_file("candidate.so")};
        const std::vector<std::string> flags = link_flags();
        link.insert(link.end(), flags.begin(), flags.end());
        link.insert(link.end(), {"-lm", "-lstdc++", "-lgcc", "-lc"});
        if (const Result<Finished> linked = step(link, false, false); !linked)
            return linked.error();

        Result<std::string> object = read_file(work.path() / "candidate.so", kObjectLimit);
        if (!object)
            return object.error();
        const Result<ElfFacts> facts = read_elf(*object);
        if (!facts)
            return facts.error();
        if (const Status status = inspect_candidate(*facts, m_request.mode, m_binary.volatile_yields); !status) {
            Error error = status.error();
            error.place.file = m_request.file_name;
            return error;
        }
        m_binary.object = *std::move(object);
        m_binary.sha256 = sha256(m_binary.object);
        m_binary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return std::move(m_binary);
    }

    std::string work_file(const char* name) const {
        // Outside the sandbox by name alone, from the work folder: its random path would get into the object, and equal
        // requests would give different bytes.
        return m_sandboxed ? std::string(kWork) + "/" + name : std::string(name);
    }

    // One run of the compiler.
    Result<Finished> step(const std::vector<std::string>& arguments, bool with_code_flags, bool want_output) {
        ChildSpec spec;
        spec.argv = {m_request.compiler, "-pipe"};
        if (with_code_flags) {
            spec.argv.insert(spec.argv.end(), m_code_flags.begin(), m_code_flags.end());
            spec.argv.insert(spec.argv.end(),
                             {"-I", m_sandboxed ? std::string(kSimt) : m_simt.string(), "-fdiagnostics-color=never",
                              "-fno-diagnostics-show-caret", "-fdiagnostics-column-unit=byte", "-fmax-errors=20",
                              "-ftemplate-depth=256", "-fconstexpr-ops-limit=10000000", "-Wno-unknown-pragmas",
                              "-Wno-attributes"});
        }
        spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
        spec.env = {{"LC_ALL", "C.UTF-8"}, {"SOURCE_DATE_EPOCH", "0"}}; // __DATE__ must not make results differ
        spec.limits.file_size = kObjectLimit;
        spec.limits.cpu_seconds = static_cast<std::uint64_t>(m_request.seconds) + 1;
        spec.limits.address_space = m_request.memory_bytes;
        spec.limits.processes = 32;
        spec.cwd = m_outside_work;
        if (m_sandboxed) {
            spec.sandbox.emplace();
            spec.sandbox->binds = {{m_simt, kSimt, false}, {m_outside_work, kWork, true}};
            spec.cwd = kWork;
        } else {
            // The random work folder must not get into the object: equal requests give equal bytes.
            if (with_code_flags)
                spec.argv.push_back("-ffile-prefix-map=" + m_outside_work.string() + "=" + kWork);
            spec.env["TMPDIR"] = m_outside_work.string();
            spec.limits.processes.reset();
        }
        RunLimits limits;
        limits.deadline = m_deadline;
        limits.memory_bytes = m_request.memory_bytes;
        limits.processes = 64;
        limits.cancelled = m_request.cancelled;
        limits.output_bytes = want_output ? std::size_t{64} << 20 : 64 << 10;
        Result<Finished> finished = run_to_end(spec, limits);
        if (!finished || finished->succeeded())
            return finished;
        return failure(*finished);
    }

    Error failure(const Finished& finished) {
        m_report.log = finished.err.substr(0, kLogLimit);
        const Place place{m_request.file_name, 0, 0};
        if (finished.cancelled)
            return make_error("cancelled", "the compile was cancelled");
        if (finished.timed_out || finished.signal == SIGXCPU)
            return make_error("compile-timeout",
                              "the compile took longer than " + std::to_string(static_cast<int>(m_request.seconds)) +
                                  " s",
                              "reduce unrolling and template instantiation", place);
        if (finished.flooded)
            return make_error("compile-flood", "the compiler wrote more messages than are read", {}, place);
        if (finished.signal == SIGXFSZ || finished.err.find("File size limit exceeded") != std::string::npos ||
            finished.err.find("File too large") != std::string::npos)
            return make_error("compile-size",
                              "the compiled candidate has more than " + std::to_string(kObjectLimit >> 20) + " MiB",
                              "make constant tables smaller", place);
        const bool no_memory = finished.err.find("virtual memory exhausted") != std::string::npos ||
                               finished.err.find("out of memory") != std::string::npos ||
                               finished.err.find("std::bad_alloc") != std::string::npos ||
                               finished.err.find("Cannot allocate memory") != std::string::npos ||
                               finished.err.find("failed to map segment") != std::string::npos;
        if (finished.memory_exceeded || no_memory)
            return make_error("compile-memory",
                              "the compile took more than " + std::to_string(m_request.memory_bytes >> 20) + " MiB",
                              "reduce unrolling and template instantiation", place);
        if (finished.err.rfind("bwrap: ", 0) == 0)
            return make_error("sandbox-unavailable",
                              "the sandbox failed: " + finished.err.substr(0, finished.err.find('\n')));
        if (finished.signal != 0 || finished.err.find("internal compiler error") != std::string::npos ||
            finished.err.find("Killed signal terminated program") != std::string::npos)
            return make_error("compile-crash",
                              "the compiler crashed: " + finished.ending() + ": " +
                                  finished.err.substr(0, finished.err.find('\n')),
                              {}, place);
        m_report.diagnostics = parse_gcc_output(finished.err, m_request.file_name);
        return compile_error(m_report.diagnostics, m_request.expressions, m_request.file_name, finished.err);
    }

    const CpuCompileRequest& m_request;
    CpuCompileReport& m_report;
    CpuBinary m_binary;
    std::string m_unit;
    std::vector<std::string> m_code_flags;
    fs::path m_simt;
    fs::path m_outside_work;
    bool m_sandboxed = false;
    SteadyTime m_deadline;
};

} // namespace

Result<CpuBinary> compile_cpu(const CpuCompileRequest& request, CpuCompileReport* report) {
    CpuCompileReport unused;
    return Compile(request, report ? *report : unused).run();
}

bool is_candidate_failure(const Error& error) {
    static const char* const codes[] = {"compile-error", "compile-kernel", "compile-timeout", "compile-memory",
                                        "compile-flood", "compile-size",   "elf-malformed"};
    return error.code.rfind("refused-", 0) == 0 ||
           std::any_of(std::begin(codes), std::end(codes), [&](const char* code) { return error.code == code; });
}

} // namespace kf
