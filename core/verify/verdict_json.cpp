// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/verify/field_reader.h"
#include "core/verify/verdict.h"

#include <cmath>

namespace kf {
namespace {

Json place_to_json(const Place& place) {
    return Json{{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Result<Place> place_from_json(const Json& json) {
    FieldReader reader(json, "place");
    Place place;
    reader.read("file", place.file);
    reader.read("line", place.line);
    reader.read("column", place.column);
    if (!reader.ok())
        return reader.error();
    return place;
}

Json bad_element_to_json(const BadElement& element) {
    return Json{
        {"index", element.index}, {"expected", number_to_json(element.expected)}, {"got", number_to_json(element.got)}};
}

Result<BadElement> bad_element_from_json(const Json& json) {
    FieldReader reader(json, "element");
    BadElement element;
    reader.read("expected", element.expected);
    reader.read("got", element.got);
    reader.read_list("index", element.index, [](const Json& item) -> Result<std::int64_t> {
        if (!item.is_number_integer())
            return make_error("verdict-invalid", "element.index holds something that is not a whole number");
        return item.get<std::int64_t>();
    });
    if (!reader.ok())
        return reader.error();
    return element;
}

Json bad_elements_to_json(const std::vector<BadElement>& elements) {
    Json list = Json::array();
    for (const BadElement& element : elements)
        list.push_back(bad_element_to_json(element));
    return list;
}

Result<ErrorMap> map_from_json(const Json& json) {
    FieldReader reader(json, "map");
    ErrorMap map;
    reader.read("rows", map.rows);
    reader.read("columns", map.columns);
    reader.read_list("bad", map.bad, [](const Json& item) -> Result<std::uint32_t> {
        if (!item.is_number_unsigned() || item.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
            return make_error("verdict-invalid", "map.bad holds something that is not a count");
        return item.get<std::uint32_t>();
    });
    if (reader.ok() && (map.rows < 0 || map.columns < 0 || map.rows > 64 || map.columns > 64 ||
                        map.bad.size() != static_cast<std::size_t>(map.rows) * static_cast<std::size_t>(map.columns)))
        reader.fail("bad", "does not hold rows × columns cells, or more than 64 × 64");
    if (!reader.ok())
        return reader.error();
    return map;
}

Result<Diagnostic> diagnostic_from_json(const Json& json) {
    FieldReader reader(json, "diagnostic");
    Diagnostic diagnostic;
    reader.read("severity", diagnostic.severity);
    reader.read("message", diagnostic.message);
    std::optional<Place> place;
    reader.read_optional("place", place, place_from_json);
    diagnostic.place = place.value_or(Place{});
    if (!reader.ok())
        return reader.error();
    return diagnostic;
}

// Symbols, regime and seed: what a case is repeated from.
template<class Case> void put_case(Json& json, const Case& value) {
    json["symbols"] = symbols_to_json(value.symbols);
    json["regime"] = std::string(to_string(value.regime));
    json["seed"] = value.seed;
}

template<class Case> void read_case(FieldReader& reader, Case& value) {
    if (const Json* symbols = reader.find("symbols")) {
        auto parsed = symbols_from_json(*symbols, reader.path("symbols"));
        if (parsed)
            value.symbols = std::move(*parsed);
        else
            reader.fail(parsed.error());
    }
    reader.read_enum("regime", value.regime, parse_regime, false);
    reader.read("seed", value.seed);
}

} // namespace

Json number_to_json(double value) {
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

Result<double> number_from_json(const Json& json, const std::string& field) {
    if (json.is_number())
        return json.get<double>();
    if (json == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    if (json == "inf")
        return std::numeric_limits<double>::infinity();
    if (json == "-inf")
        return -std::numeric_limits<double>::infinity();
    return make_error("verdict-invalid", field + " is not a number", "a number, or \"nan\", \"inf\", \"-inf\"");
}

Json symbols_to_json(const Symbols& symbols) {
    Json json = Json::object();
    for (const auto& [name, value] : symbols)
        json[name] = value;
    return json;
}

Result<Symbols> symbols_from_json(const Json& json, const std::string& field) {
    if (!json.is_object())
        return make_error("verdict-invalid", field + " is not an object of name and size");
    Symbols symbols;
    for (const auto& [name, value] : json.items()) {
        if (!value.is_number_integer())
            return make_error("verdict-invalid", field + "." + name + " is not a whole number");
        symbols[name] = value.get<std::int64_t>();
    }
    return symbols;
}

Json to_json(const Comparison& c) {
    Json json{{"output", c.output},
              {"accepted", c.accepted},
              {"elements", c.elements},
              {"bad", c.bad},
              {"max_abs_error", number_to_json(c.max_abs_error)},
              {"max_rel_error", number_to_json(c.max_rel_error)},
              {"worst_row_ratio", number_to_json(c.worst_row_ratio)},
              {"worst_row_rms_ratio", number_to_json(c.worst_row_rms_ratio)},
              {"nan_got", c.nan_got},
              {"nan_expected", c.nan_expected},
              {"inf_got", c.inf_got},
              {"inf_expected", c.inf_expected},
              {"failed_elementwise", c.failed_elementwise},
              {"failed_row", c.failed_row},
              {"failed_nonfinite", c.failed_nonfinite},
              {"failed_exact", c.failed_exact},
              {"pattern", std::string(to_string(c.pattern))},
              {"pattern_text", c.pattern_text}};
    if (!c.first_bad.empty())
        json["first_bad"] = bad_elements_to_json(c.first_bad);
    if (!c.worst.empty())
        json["worst"] = bad_elements_to_json(c.worst);
    if (c.map.rows > 0)
        json["map"] = Json{{"rows", c.map.rows}, {"columns", c.map.columns}, {"bad", c.map.bad}};
    return json;
}

Result<Comparison> comparison_from_json(const Json& json) {
    FieldReader reader(json, "comparison");
    Comparison c;
    reader.read("output", c.output);
    reader.read("accepted", c.accepted);
    reader.read("elements", c.elements);
    reader.read("bad", c.bad);
    reader.read("max_abs_error", c.max_abs_error);
    reader.read("max_rel_error", c.max_rel_error);
    reader.read("worst_row_ratio", c.worst_row_ratio);
    reader.read("worst_row_rms_ratio", c.worst_row_rms_ratio);
    reader.read("nan_got", c.nan_got);
    reader.read("nan_expected", c.nan_expected);
    reader.read("inf_got", c.inf_got);
    reader.read("inf_expected", c.inf_expected);
    reader.read("failed_elementwise", c.failed_elementwise);
    reader.read("failed_row", c.failed_row);
    reader.read("failed_nonfinite", c.failed_nonfinite);
    reader.read("failed_exact", c.failed_exact);
    reader.read_enum("pattern", c.pattern, parse_pattern, false);
    reader.read("pattern_text", c.pattern_text);
    reader.read_list("first_bad", c.first_bad, bad_element_from_json);
    reader.read_list("worst", c.worst, bad_element_from_json);
    std::optional<ErrorMap> map;
    reader.read_optional("map", map, map_from_json);
    if (map)
        c.map = std::move(*map);
    if (!reader.ok())
        return reader.error();
    return c;
}

Json to_json(const CaseReport& report) {
    Json json;
    put_case(json, report);
    json["held_out"] = report.held_out;
    json["passed"] = report.passed;
    json["seconds"] = number_to_json(report.seconds);
    json["comparisons"] = Json::array();
    for (const Comparison& comparison : report.comparisons)
        json["comparisons"].push_back(to_json(comparison));
    return json;
}

Result<CaseReport> case_from_json(const Json& json) {
    FieldReader reader(json, "case");
    CaseReport report;
    read_case(reader, report);
    reader.read("held_out", report.held_out);
    reader.read("passed", report.passed);
    reader.read("seconds", report.seconds);
    reader.read_list("comparisons", report.comparisons, comparison_from_json);
    if (!reader.ok())
        return reader.error();
    return report;
}

Json to_json(const ShrunkCase& shrunk) {
    Json json;
    put_case(json, shrunk);
    json["attempts"] = shrunk.attempts;
    json["first_bad"] = bad_elements_to_json(shrunk.first_bad);
    return json;
}

Result<ShrunkCase> shrunk_from_json(const Json& json) {
    FieldReader reader(json, "shrunk");
    ShrunkCase shrunk;
    read_case(reader, shrunk);
    reader.read("attempts", shrunk.attempts);
    reader.read_list("first_bad", shrunk.first_bad, bad_element_from_json);
    if (!reader.ok())
        return reader.error();
    return shrunk;
}

Json to_json(const Failure& failure) {
    Json json{{"stage", std::string(to_string(failure.stage))},
              {"class", std::string(to_string(failure.failure))},
              {"place", failure.place},
              {"pattern", std::string(to_string(failure.pattern))},
              {"message", failure.message},
              {"remedy", failure.remedy},
              {"source", place_to_json(failure.source)},
              {"evidence", failure.evidence}};
    json["diagnostics"] = Json::array();
    for (const Diagnostic& diagnostic : failure.diagnostics)
        json["diagnostics"].push_back(Json{{"severity", diagnostic.severity},
                                           {"place", place_to_json(diagnostic.place)},
                                           {"message", diagnostic.message}});
    if (failure.failing_case)
        json["case"] = to_json(*failure.failing_case);
    if (failure.shrunk)
        json["shrunk"] = to_json(*failure.shrunk);
    return json;
}

Result<Failure> failure_from_json(const Json& json) {
    FieldReader reader(json, "failure");
    Failure failure;
    reader.read_enum("stage", failure.stage, parse_stage, true);
    reader.read_enum("class", failure.failure, parse_failure_class, true);
    reader.read("place", failure.place);
    reader.read_enum("pattern", failure.pattern, parse_pattern, false);
    reader.read("message", failure.message);
    reader.read("remedy", failure.remedy);
    std::optional<Place> source;
    reader.read_optional("source", source, place_from_json);
    failure.source = source.value_or(Place{});
    reader.read_list("diagnostics", failure.diagnostics, diagnostic_from_json);
    reader.read_optional("case", failure.failing_case, case_from_json);
    reader.read_optional("shrunk", failure.shrunk, shrunk_from_json);
    reader.read("evidence", failure.evidence);
    if (!reader.ok())
        return reader.error();
    return failure;
}

Json to_json(const StageReport& report) {
    return Json{{"stage", std::string(to_string(report.stage))},
                {"outcome", std::string(to_string(report.outcome))},
                {"seconds", number_to_json(report.seconds)},
                {"note", report.note},
                {"evidence", report.evidence}};
}

Result<StageReport> stage_from_json(const Json& json) {
    FieldReader reader(json, "stage");
    StageReport report;
    reader.read_enum("stage", report.stage, parse_stage, true);
    reader.read_enum("outcome", report.outcome, parse_stage_outcome, true);
    reader.read("seconds", report.seconds);
    reader.read("note", report.note);
    if (const Json* evidence = reader.find("evidence"))
        report.evidence = *evidence;
    if (!reader.ok())
        return reader.error();
    return report;
}

} // namespace kf
