// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/messages.h"

#include "core/protocol/base64.h"

#include <limits>

namespace kf::nvrtc {
namespace {

Error bad_param(const std::string& field, const std::string& expected) {
    return make_error("bad-params", "compile: `" + field + "` is missing or has the wrong type", "give " + expected);
}

std::string to_text(Assembler assembler) {
    return assembler == Assembler::ptxas ? "ptxas" : "nvrtc";
}

Json diagnostics_to_json(const std::vector<Diagnostic>& diagnostics) {
    Json list = Json::array();
    for (const Diagnostic& d : diagnostics) {
        Json item = {{"severity", d.severity}, {"message", d.message}};
        if (!d.file.empty())
            item["file"] = d.file;
        if (d.line > 0)
            item["line"] = d.line;
        if (d.column > 0)
            item["column"] = d.column;
        if (!d.notes.empty())
            item["notes"] = d.notes;
        list.push_back(std::move(item));
    }
    return list;
}

std::vector<std::string> strings_of(const Json& list) {
    std::vector<std::string> out;
    if (list.is_array())
        for (const Json& item : list)
            if (item.is_string())
                out.push_back(item.get<std::string>());
    return out;
}

std::vector<Diagnostic> diagnostics_from_json(const Json& list) {
    std::vector<Diagnostic> out;
    if (!list.is_array())
        return out;
    for (const Json& item : list)
        out.push_back(Diagnostic{get_string(item, "severity"), get_string(item, "file"),
                                 static_cast<int>(get_int(item, "line")), static_cast<int>(get_int(item, "column")),
                                 get_string(item, "message"), strings_of(get_member(item, "notes"))});
    return out;
}

Json figures_to_json(const KernelFigures& f) {
    Json item = {{"name", f.name}, {"entry", f.entry}};
    if (!f.expression.empty())
        item["expression"] = f.expression;
    const std::pair<const char*, std::int64_t> numbers[] = {
        {"registers", f.registers},     {"spill_stores", f.spill_stores},
        {"spill_loads", f.spill_loads}, {"stack", f.stack},
        {"shared", f.shared},           {"constant", f.constant},
        {"barriers", f.barriers}};
    for (const auto& [key, value] : numbers)
        if (value >= 0)
            item[key] = value;
    return item;
}

KernelFigures figures_from_json(const Json& item) {
    KernelFigures f;
    f.name = get_string(item, "name");
    f.expression = get_string(item, "expression");
    f.entry = get_bool(item, "entry", true);
    f.registers = static_cast<int>(get_int(item, "registers", -1));
    f.spill_stores = get_int(item, "spill_stores", -1);
    f.spill_loads = get_int(item, "spill_loads", -1);
    f.stack = get_int(item, "stack", -1);
    f.shared = get_int(item, "shared", -1);
    f.constant = get_int(item, "constant", -1);
    f.barriers = static_cast<int>(get_int(item, "barriers", -1));
    return f;
}

} // namespace

Json to_json(const CompileRequest& r) {
    return {
        {"source", r.source},
        {"source_path", r.source_path},
        {"name", r.name},
        {"arch", r.arch},
        {"name_expressions", r.name_expressions},
        {"defines", r.defines},
        {"options", {{"fast_math", r.fast_math}, {"maxreg", r.maxreg}, {"lineinfo", r.lineinfo}, {"std", r.standard}}},
        {"include_paths", r.include_paths},
        {"output_folder", r.output_folder},
        {"want_sass", r.want_sass},
        {"seconds", r.seconds},
        {"assembler", to_text(r.assembler)}};
}

Result<CompileRequest> request_from_json(const Json& json) {
    if (!json.is_object())
        return bad_param("params", "an object");
    CompileRequest r;
    r.source = get_string(json, "source");
    r.source_path = get_string(json, "source_path");
    if (r.source.empty() == r.source_path.empty())
        return bad_param("source",
                         "the candidate's text in `source`, or the path of a file that holds it in `source_path`");
    r.name = get_string(json, "name", r.name);
    if (r.name.empty() || r.name.size() > 200 || r.name.find_first_of("/\\\n\r\"") != std::string::npos)
        return bad_param("name", "a file name without folders, quotes and line ends");
    if (!get_member(json, "arch").is_string())
        return bad_param("arch", "an architecture such as \"sm_90a\"");
    r.arch = json["arch"].get<std::string>();
    const Json& names = get_member(json, "name_expressions");
    if (!names.is_null() && !names.is_array())
        return bad_param("name_expressions", "a list of name expressions");
    r.name_expressions = strings_of(names);
    if (names.is_array() && r.name_expressions.size() != names.size())
        return bad_param("name_expressions", "a list of name expressions");
    const Json& defines = get_member(json, "defines");
    if (!defines.is_null() && !defines.is_object())
        return bad_param("defines", "an object NAME → integer");
    if (defines.is_object())
        for (const auto& [name, value] : defines.items()) {
            const bool well_named = !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
                                    name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                                           "0123456789_") == std::string::npos;
            if (!well_named || !value.is_number_integer() ||
                (value.is_number_unsigned() &&
                 value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())))
                return bad_param("defines." + name, "a macro name with a 64-bit integer");
            r.defines[name] = value.get<std::int64_t>();
        }
    const Json& options = get_member(json, "options");
    if (!options.is_null() && !options.is_object())
        return bad_param("options", "an object");
    r.fast_math = get_bool(options, "fast_math");
    const std::int64_t maxreg = get_int(options, "maxreg");
    if (maxreg < 0 || maxreg > 255)
        return bad_param("options.maxreg", "a register count of 0 (no limit) to 255");
    r.maxreg = static_cast<int>(maxreg);
    r.lineinfo = get_bool(options, "lineinfo", true);
    r.standard = get_string(options, "std", r.standard);
    if (r.standard != "c++17" && r.standard != "c++20")
        return bad_param("options.std", "c++17 or c++20");
    r.include_paths = strings_of(get_member(json, "include_paths"));
    r.output_folder = get_string(json, "output_folder");
    r.want_sass = get_bool(json, "want_sass");
    r.seconds = get_double(json, "seconds", r.seconds);
    if (!(r.seconds > 0) || r.seconds > 3600)
        return bad_param("seconds", "a deadline between 0 and 3600");
    const std::string assembler = get_string(json, "assembler", "nvrtc");
    if (assembler != "nvrtc" && assembler != "ptxas")
        return bad_param("assembler", "\"nvrtc\" or \"ptxas\"");
    r.assembler = assembler == "ptxas" ? Assembler::ptxas : Assembler::nvrtc;
    return r;
}

Json to_json(const CompileReply& reply) {
    if (const auto* failure = std::get_if<CompileFailure>(&reply))
        return {{"ok", false},
                {"code", failure->code},
                {"message", failure->message},
                {"remedy", failure->remedy},
                {"diagnostics", diagnostics_to_json(failure->diagnostics)},
                {"error_count", failure->error_count},
                {"log", failure->log}};
    const auto& out = std::get<CompileOutput>(reply);
    Json json = {{"ok", true},
                 {"sha256", out.sha256},
                 {"size", out.size},
                 {"lowered_names", out.lowered_names},
                 {"warnings", diagnostics_to_json(out.warnings)},
                 {"log", out.log},
                 {"seconds", out.seconds},
                 {"nvrtc_version", out.nvrtc_version},
                 {"assembler", to_text(out.assembler)},
                 {"options", out.options},
                 {"header_hash", out.header_hash},
                 {"header_count", out.header_count},
                 {"state", to_json(out.state)},
                 {"undefined", out.undefined}};
    if (out.cubin_path.empty())
        json["cubin"] = base64_encode(out.cubin);
    else
        json["cubin_path"] = out.cubin_path;
    json["kernels"] = Json::array();
    for (const KernelFigures& f : out.kernels)
        json["kernels"].push_back(figures_to_json(f));
    if (!out.sass_path.empty())
        json["sass"] = {{"path", out.sass_path}};
    else if (!out.sass.empty())
        json["sass"] = out.sass;
    else if (!out.sass_missing.empty())
        json["sass"] = {{"missing", out.sass_missing}, {"remedy", out.sass_remedy}};
    return json;
}

Result<CompileReply> reply_from_json(const Json& json) {
    if (!json.is_object() || !get_member(json, "ok").is_boolean())
        return make_error("bad-reply", "the compile helper's answer has no `ok`");
    if (!json["ok"].get<bool>()) {
        CompileFailure failure{get_string(json, "code"),
                               get_string(json, "message"),
                               get_string(json, "remedy"),
                               diagnostics_from_json(get_member(json, "diagnostics")),
                               static_cast<int>(get_int(json, "error_count")),
                               get_string(json, "log")};
        if (failure.code.empty())
            return make_error("bad-reply", "the compile helper's failure has no code");
        return CompileReply(std::move(failure));
    }
    CompileOutput out;
    out.sha256 = get_string(json, "sha256");
    out.size = get_int(json, "size");
    out.cubin_path = get_string(json, "cubin_path");
    if (out.cubin_path.empty()) {
        auto bytes = base64_decode(get_string(json, "cubin"));
        if (!bytes)
            return bytes.error();
        out.cubin = std::move(bytes).value();
        if (static_cast<std::int64_t>(out.cubin.size()) != out.size)
            return make_error("bad-reply", "the cubin has " + std::to_string(out.cubin.size()) +
                                               " bytes, the answer says " + std::to_string(out.size));
    }
    if (const Json& names = get_member(json, "lowered_names"); names.is_object())
        for (const auto& [expression, lowered] : names.items())
            if (lowered.is_string())
                out.lowered_names[expression] = lowered.get<std::string>();
    if (const Json& kernels = get_member(json, "kernels"); kernels.is_array())
        for (const Json& item : kernels)
            out.kernels.push_back(figures_from_json(item));
    out.warnings = diagnostics_from_json(get_member(json, "warnings"));
    out.log = get_string(json, "log");
    out.seconds = get_double(json, "seconds");
    out.nvrtc_version = get_string(json, "nvrtc_version");
    out.assembler = get_string(json, "assembler") == "ptxas" ? Assembler::ptxas : Assembler::nvrtc;
    out.options = strings_of(get_member(json, "options"));
    out.header_hash = get_string(json, "header_hash");
    out.state = state_symbols_from_json(get_member(json, "state"));
    out.undefined = strings_of(get_member(json, "undefined"));
    out.header_count = static_cast<int>(get_int(json, "header_count"));
    const Json& sass = get_member(json, "sass");
    if (sass.is_string())
        out.sass = sass.get<std::string>();
    out.sass_path = get_string(sass, "path");
    out.sass_missing = get_string(sass, "missing");
    out.sass_remedy = get_string(sass, "remedy");
    return CompileReply(std::move(out));
}

Json to_json(const std::vector<StateSymbol>& symbols) {
    Json list = Json::array();
    for (const StateSymbol& s : symbols)
        list.push_back({{"name", s.name},
                        {"demangled", s.demangled},
                        {"identifier", s.identifier},
                        {"section", s.section},
                        {"size", s.size},
                        {"initialised", s.initialised},
                        {"origin", s.origin},
                        {"constant", s.constant},
                        {"suspect", s.suspect()}});
    return list;
}

std::vector<StateSymbol> state_symbols_from_json(const Json& json) {
    std::vector<StateSymbol> out;
    if (json.is_array())
        for (const Json& item : json)
            out.push_back(StateSymbol{get_string(item, "name"), get_string(item, "demangled"),
                                      get_string(item, "identifier"), get_string(item, "section"),
                                      static_cast<std::uint64_t>(get_int(item, "size")), get_bool(item, "initialised"),
                                      get_string(item, "origin", "unknown"), get_bool(item, "constant")});
    return out;
}

std::string first_line(const CompileFailure& failure) {
    for (const Diagnostic& d : failure.diagnostics)
        if (d.severity == "error")
            return to_string(make_error(failure.code, d.message, {}, Place{d.file, d.line, d.column}));
    return failure.message;
}

} // namespace kf::nvrtc
