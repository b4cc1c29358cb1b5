// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/random.h"
#include "core/task/task.h"
#include "tests/core/task/task_text.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

namespace kf {
namespace {

using testing_text::reference;
using testing_text::replaced;
using testing_text::swiglu;

Task good() {
    Result<Task> task = parse_task(swiglu, reference, "task.json");
    EXPECT_TRUE(task.ok()) << to_string(task.error());
    return std::move(task).value();
}
Error refused(const std::string& from, const std::string& to) {
    const Result<Task> task = parse_task(replaced(swiglu, from, to), reference, "task.json");
    EXPECT_FALSE(task.ok()) << from << " -> " << to;
    return task ? Error{} : task.error();
}

TEST(Task, ReadsEveryField) {
    const Task task = good();
    EXPECT_EQ(task.name, "swiglu_bias");
    EXPECT_EQ(task.title, "SwiGLU with bias");
    EXPECT_EQ(task.stage, "stage3");
    EXPECT_EQ(task.library, std::vector<std::string>{"gemm"});
    EXPECT_EQ(task.sizes.at("small").at("N"), 3584);
    ASSERT_EQ(task.inputs.size(), 3u);
    EXPECT_EQ(task.inputs[0].role, Role::activation);
    EXPECT_EQ(task.inputs[1].role, Role::weight);
    EXPECT_EQ(task.inputs[1].shape[0].print(), "2 * N");
    EXPECT_EQ(task.inputs[2].fill.a, 0.5);
    EXPECT_EQ(task.inputs[0].fill.row_scale->at(1), 100);
    EXPECT_EQ(task.inputs[0].align, 256);
    EXPECT_EQ(task.outputs.at(0).compare, CompareKind::close);
    EXPECT_EQ(task.tolerance.atol, 5e-3);
    EXPECT_EQ(task.symbol_names(), (std::vector<std::string>{"K", "M", "N"}));
    EXPECT_EQ(task.find_input("b"), &task.inputs[2]);
    EXPECT_EQ(task.find_input("out"), nullptr);
    EXPECT_EQ(task.find_output("out"), &task.outputs[0]);
    EXPECT_EQ(task.hash.size(), 64u);
    EXPECT_NE(task.hash, parse_task(replaced(swiglu, "SwiGLU", "swiGLU"), reference, "task.json")->hash);
    EXPECT_NE(task.hash, parse_task(swiglu, std::string(reference) + " ", "task.json")->hash);
}

TEST(Task, CasesAreSmallestFirstAndHeldOutLast) {
    const Task task = good();
    ASSERT_EQ(task.cases.size(), 4u);
    EXPECT_EQ(task.cases[0].label(), "K=8 M=1 N=8 · normal");
    EXPECT_EQ(task.cases[1].symbols.at("N"), 343);
    EXPECT_EQ(task.cases[2].regime, Regime::spiky);
    EXPECT_EQ(task.cases[2].size, "cpu");
    EXPECT_TRUE(task.cases[3].held_out);
}

TEST(Task, ACaseTakesMissingSymbolsFromTheCpuSize) {
    const Result<Task> task =
        parse_task(replaced(swiglu, R"({"M": 1, "N": 8, "K": 8})", R"({"M": 1})"), reference, "task.json");
    ASSERT_TRUE(task.ok());
    EXPECT_TRUE(std::any_of(task->cases.begin(), task->cases.end(), [](const TaskCase& task_case) {
        return task_case.size.empty() && task_case.symbols == Symbols{{"K", 64}, {"M", 1}, {"N", 96}};
    }));
}

TEST(Task, CasesForADevice) {
    const Task task = good();
    const auto labels = [&](const std::string& size, bool held_out) {
        std::vector<std::string> names;
        for (const TaskCase& task_case : cases_for(task, size, held_out))
            names.push_back(task_case.label() + (task_case.held_out ? " held out" : ""));
        return names;
    };
    EXPECT_EQ(labels("cpu", false), (std::vector<std::string>{"K=8 M=1 N=8 · normal", "K=136 M=257 N=343 · normal",
                                                              "K=64 M=64 N=96 · spiky", "K=64 M=64 N=96 · normal"}));
    EXPECT_EQ(
        labels("primary", true),
        (std::vector<std::string>{"K=8 M=1 N=8 · normal", "K=136 M=257 N=343 · normal", "K=4096 M=4096 N=14336 · spiky",
                                  "K=4096 M=4096 N=14336 · normal", "K=96 M=33 N=1031 · normal held out"}));
    EXPECT_EQ(labels("nosuch", false).size(), 2u);
    const Result<Task> two = parse_task(replaced(swiglu, R"([{"size": "primary", "weight": 1}])",
                                                 R"([{"size": "primary"}, {"size": "small", "weight": 2}])"),
                                        reference, "task.json");
    ASSERT_TRUE(two.ok());
    EXPECT_EQ(cases_for(*two, "small", false).size(), 5u); // both timed sizes in full
    EXPECT_EQ(cases_for(*two, "cpu", false).size(), 4u);
}

TEST(Task, ShapesAndBytes) {
    const Task task = good();
    const Symbols symbols = {{"M", 3}, {"N", 5}, {"K", 7}};
    EXPECT_EQ(*shape_of(task.inputs[1].shape, symbols), (Shape{10, 7}));
    EXPECT_EQ(*bytes_of(task.inputs[1], symbols), 140);
    EXPECT_EQ(element_count({}), 1);
    EXPECT_EQ(shape_of(task.inputs[1].shape, {{"M", 3}}).error().code, "expression-unknown-name");
    EXPECT_EQ(shape_of(task.inputs[1].shape, {{"N", 0}, {"K", 1}}).error().code, "task-shape");
    EXPECT_EQ(shape_of(task.inputs[1].shape, {{"N", -4}, {"K", 1}}).error().code, "task-shape");
    EXPECT_EQ(shape_of(task.inputs[1].shape, {{"N", 1 << 20}, {"K", 1 << 20}}).error().code, "task-shape");
    EXPECT_EQ(shape_of(task.inputs[1].shape, {{"N", std::int64_t{1} << 62}, {"K", 8}}).error().code,
              "expression-overflow");
}

TEST(Task, TravelsOverTheWire) {
    const Task task = good();
    const Result<Json> wire = parse_json(dump_line(task_to_wire(task)), "wire");
    const Result<Task> back = task_from_wire(*wire);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->hash, task.hash);
    EXPECT_EQ(back->inputs.size(), 3u);
    EXPECT_EQ(task_from_wire(Json::array()).error().code, "task-wire");
    EXPECT_EQ(task_from_wire({{"json", 5}, {"reference", ""}}).error().code, "task-wire");
    EXPECT_EQ(task_from_wire({{"json", "{"}, {"reference", "def f"}}).error().code, "json-syntax");
}

struct Refusal {
    const char* from;
    const char* to;
    const char* code;
    int line, column; // 0: any
    const char* text; // part of message or remedy
};

TEST(TaskErrors, NameCodePlaceAndRemedy) {
    const Refusal refusals[] = {
        {R"("title")", R"("titel")", "task-unknown-key", 2, 26, "did you mean 'title'"},
        {R"("name": "swiglu_bias")", R"("name": "../x")", "task-name", 2, 12, "lower-case"},
        {R"("name": "swiglu_bias", )", "", "task-missing", 0, 0, "'name' is missing"},
        {R"("stage": 3)", R"("stage": 0)", "task-range", 0, 0, "from 1 to 9"},
        {R"("stage": 3)", R"("stage": 3.5)", "task-type", 0, 0, "expected an integer"},
        {R"("stage": 3)", R"("stage": "3")", "task-type", 0, 0, "found a string"},
        {R"(["gemm"])", R"(["conv"])", "task-library", 0, 0, "gemm"},
        {R"({"M": 64, "N")", R"({"M": -64, "N")", "task-range", 3, 26, "-64"},
        {R"({"M": 64, "N")", R"({"M": 0, "N")", "task-range", 3, 26, "sizes.cpu.M"},
        {R"({"M": 64, "N")", R"({"M": 18446744073709551615, "N")", "task-range", 3, 0, "out of range"},
        {R"({"M": 64, "N")", R"({"N")", "task-unknown-symbol", 0, 0, "'M' is not in 'cpu'"},
        {R"({"M": 1024, "N": 3584,)", R"({"N": 3584,)", "task-missing", 0, 0, "'M' is missing"},
        {R"("cpu": {)", R"("cpu2": {)", "task-missing", 0, 0, "size 'cpu'"},
        {R"("primary": {)", R"("prim": {)", "task-missing", 0, 0, "size 'primary'"},
        {R"("sizes": {)", R"("sizes": {"a/b": {}, )", "task-name", 0, 0, "a/b"},
        {R"("size": "primary")", R"("size": "huge")", "task-unknown-size", 5, 23, "cpu, primary, small"},
        {R"([{"size": "primary", "weight": 1}])", "[]", "task-missing", 0, 0, "no size is timed"},
        {R"("weight": 1)", R"("weight": 0)", "task-range", 0, 0, "weight"},
        {R"({"size": "primary", "weight": 1})", R"({"size": "cpu"}, {"size": "cpu"})", "task-duplicate", 0, 0, "twice"},
        {R"("name": "x")", R"("name": "w")", "task-duplicate", 0, 0, "two tensors"},
        {R"("name": "x")", R"("name": "M")", "task-duplicate", 7, 15, "symbol"},
        {R"("name": "out")", R"("name": "x")", "task-duplicate", 0, 0, "two tensors"},
        {R"("name": "x")", R"("name": "2x")", "task-name", 7, 15, "not a digit first"},
        {R"("name": "x")", R"("name": "x-y")", "task-name", 0, 0, "letters"},
        {R"("name": "x")", R"("name": "min")", "task-name", 0, 0, "meaning of its own"},
        {R"("name": "x")", R"("name": "acc")", "task-name", 0, 0, "meaning of its own"},
        {R"("name": "x")", R"("name": "lambda")", "task-name", 0, 0, "meaning of its own"},
        {R"("dtype": "f16", "shape": ["M", "K"])", R"("dtype": "fp16", "shape": ["M", "K"])", "task-dtype", 7, 0,
         "bf16"},
        {R"(["M", "K"])", R"(["M", "Q"])", "task-unknown-symbol", 7, 51, "did you mean 'K'"},
        {R"(["M", "K"])", R"(["M", "K +"])", "expression-syntax", 7, 54, "found the end"},
        {R"(["M", "K"])", R"json(["M", "K/(M-M)"])json", "expression-division-by-zero", 7, 52, "input 'x'"},
        {R"(["M", "K"])", R"(["M", "K - 8"])", "task-shape", 7, 51, "size 0"},
        {R"(["M", "K"])", R"(["M", 2.5])", "task-type", 0, 0, "expression"},
        {R"(["M", "K"])", R"(["M", "K*1.0"])", "task-type", 0, 0, "real"},
        {R"(["M", "K"])", R"("M")", "task-type", 0, 0, "a list"},
        {R"(["M", "K"])", R"([1,1,1,1,1,1,1,1,1])", "task-shape", 0, 0, "8 axes"},
        {R"({"normal": [0, 0.02]})", R"({"normal": [0, 0]})", "task-range", 0, 0, "above 0"},
        {R"({"normal": [0, 0.02]})", R"({"normal": [0]})", "task-type", 0, 0, "two numbers"},
        {R"({"normal": [0, 0.02]})", R"({"gauss": [0, 1]})", "task-unknown-key", 0, 0, "known keys"},
        {R"({"normal": [0, 0.02]})", R"({})", "task-fill", 0, 0, "no kind"},
        {R"({"normal": [0, 0.02]})", R"({"normal": [0, 1], "uniform": [0, 1]})", "task-fill", 0, 0, "two kinds"},
        {R"({"normal": [0, 0.02]})", R"({"index": "N"})", "task-fill", 0, 0, "integers"},
        {R"({"normal": [0, 0.02]})", R"({"uniform": [1, 1]})", "task-range", 0, 0, "low end"},
        {R"("row_scale": [0.01, 100])", R"("row_scale": [0, 100])", "task-range", 0, 0, "row scales"},
        {R"("role": "weight")", R"("role": "wait")", "task-role", 0, 0, "inout"},
        {R"("role": "weight")", R"("align": 3)", "task-range", 0, 0, "power of two"},
        {R"("role": "weight")", R"("align": 1)", "task-range", 0, 0, "holds an element"},
        {R"("compare": "close")", R"("compare": "equal")", "task-compare", 10, 0, "index_of"},
        {R"("compare": "close")", R"json("compare": "index_of(q)")json", "task-compare", 0, 0, "integer"},
        {R"("compare": "close")", R"("compare": "codes")", "task-compare", 0, 0, "one byte"},
        {R"("compare": "close")", R"("compare": "close", "rows": 3)", "task-range", 0, 0, "2 axes"},
        {R"({"regime": "spiky"})", R"({"regime": "spikey"})", "task-regime", 11, 0, "mixed"},
        {R"({"regime": "spiky"})", R"({"regime": "specials"})", "task-regime", 0, 0, "allows_specials"},
        {R"({"regime": "spiky"})", R"({"regmie": "spiky"})", "task-unknown-symbol", 11, 72, "did you mean 'regime'"},
        {R"({"regime": "spiky"})", R"({"M": 1, "N": 8, "K": 8})", "task-duplicate", 0, 0, "twice"},
        {R"({"regime": "spiky"})", R"({"M": "1"})", "task-type", 0, 0, "found a string"},
        {R"({"regime": "spiky"})", R"(["spiky"])", "task-type", 0, 0, "object"},
        {R"("atol": 5e-3, )", "", "task-missing", 0, 0, "'atol' is missing"},
        {R"("atol": 5e-3)", R"("atol": -1)", "task-range", 0, 0, "below 1"},
        {R"("atol": 5e-3)", R"("atol": 1e999)", "json-syntax", -1, 0, "overflow"},
        {R"("tolerance": {"atol": 5e-3, "rtol": 1e-2},)", "", "task-missing", 0, 0, "'tolerance' is missing"},
        {R"("2*M*N"})", R"("0*M*N"})", "task-range", 0, 0, "at least 1"},
        {R"("4*M*N*K")", R"("4*M*N*K - 9223372036854775807*K")", "expression-overflow", 14, 0, "work.flops"},
        {R"("4*M*N*K")", R"("4*M*N*k")", "task-unknown-symbol", 14, 0, "did you mean 'K'"},
        {R"("work")", R"("golden_split": "B", "work")", "task-unknown-symbol", 0, 0, "K, M, N"},
        {R"("work")", R"("syncs": 1, "work")", "task-type", 0, 0, "true or false"},
        {R"("work")", R"("work": {}, "work")", "task-duplicate", 14, 15, "given twice"},
    };
    for (const Refusal& refusal : refusals) {
        const Error error = refused(refusal.from, refusal.to);
        EXPECT_EQ(error.code, refusal.code) << refusal.to << ": " << to_string(error);
        EXPECT_EQ(error.place.file, "task.json") << refusal.to;
        if (refusal.line >= 0) { // the JSON library gives no place for a number that does not fit
            EXPECT_GT(error.place.line, 0) << refusal.to << ": " << to_string(error);
        }
        if (refusal.line > 0) {
            EXPECT_EQ(error.place.line, refusal.line) << to_string(error);
        }
        if (refusal.column > 0) {
            EXPECT_EQ(error.place.column, refusal.column) << to_string(error);
        }
        EXPECT_NE((error.message + " " + error.remedy).find(refusal.text), std::string::npos) << to_string(error);
    }
}

TEST(TaskErrors, FillsOfIntegerTypes) {
    using testing_text::one_input;
    EXPECT_TRUE(one_input("i32", R"(["C"])", R"({"index": "C", "low": -1})").ok());
    EXPECT_TRUE(one_input("i64", R"(["R", "C"])", R"({"zipf": 1.1, "bound": "C"})").ok());
    EXPECT_TRUE(one_input("u8", R"(["C"])", R"({"bytes": true})").ok());
    EXPECT_TRUE(one_input("i32", R"(["C"])", R"({"permutation": true})").ok());
    EXPECT_EQ(one_input("i32", R"(["C"])", R"({"normal": [0, 1]})").error().code, "task-fill");
    EXPECT_EQ(one_input("i32", R"(["C"])", R"({"bytes": true})").error().code, "task-fill");
    EXPECT_EQ(one_input("i32", R"(["C"])", R"({"index": "C - C"})").error().code, "task-range");
    EXPECT_EQ(one_input("i32", R"(["C"])", R"({"index": "Q"})").error().code, "task-unknown-symbol");
    EXPECT_EQ(one_input("i32", R"(["C"])", R"({"zipf": 1.1})").error().code, "task-missing");
    EXPECT_EQ(one_input("i32", R"(["C"])", R"({"zipf": 0, "bound": "C"})").error().code, "task-range");
    EXPECT_EQ(one_input("i32", R"(["C"])", R"({"permutation": true, "bound": "C"})").error().code, "task-unknown-key");
}

TEST(TaskErrors, InoutIsAnOutputOfTheSameShape) {
    const std::string inout =
        replaced(replaced(swiglu, R"("shape": ["M", "K"],)", R"("shape": ["M", "N"], "role": "inout",)"),
                 R"({"name": "out")", R"({"name": "x")");
    EXPECT_TRUE(parse_task(inout, reference, "t").ok()) << to_string(parse_task(inout, reference, "t").error());
    EXPECT_EQ(parse_task(replaced(inout, R"("shape": ["M", "N"], "compare")", R"("shape": ["M", "K"], "compare")"),
                         reference, "t")
                  .error()
                  .code,
              "task-shape");
}

TEST(TaskErrors, HostileFiles) {
    for (std::size_t length = 0; length < swiglu.size(); length += 50)
        EXPECT_FALSE(parse_task(swiglu.substr(0, length), reference, "task.json").ok()) << length;
    EXPECT_EQ(parse_task(std::string(2 << 20, ' '), reference, "t").error().code, "json-too-large");
    EXPECT_EQ(parse_task(std::string(500, '['), reference, "t").error().code, "json-too-deep");
    EXPECT_EQ(parse_task("[]", reference, "t").error().code, "task-type");
    EXPECT_EQ(parse_task("null", reference, "t").error().code, "task-type");
    EXPECT_EQ(parse_task(swiglu, "", "t").error().code, "task-reference");
    EXPECT_EQ(parse_task(swiglu, std::string(300 << 10, 'd'), "t").error().code, "task-reference");
    EXPECT_FALSE(parse_task(replaced(swiglu, "2*N", std::string(5000, '(')), reference, "t").ok());
    EXPECT_FALSE(parse_task(replaced(swiglu, "SwiGLU with", "\xff\xfe"), reference, "t").ok());
    EXPECT_FALSE(parse_task(replaced(swiglu, R"({"M": 64,)", R"({"\u0000": 64,)"), reference, "t").ok());
    EXPECT_FALSE(parse_task(replaced(swiglu, R"("x")", "\"" + std::string(1000, 'x') + "\""), reference, "t").ok());
    std::string many = "{}";
    for (int i = 0; i < 300; ++i)
        many += ", {}";
    EXPECT_FALSE(parse_task(replaced(swiglu, R"({"regime": "spiky"})", many), reference, "t").ok());
}

// Every value of the file replaced by every kind of value, and every member removed: an error or a task, never a crash.
void mutate(const Json& original, const Json::json_pointer& at, int& refusals, int& accepted) {
    const auto attempt = [&](const Json& edited) {
        const Result<Task> task = parse_task(edited.dump(), reference, "task.json");
        (task ? accepted : refusals) += 1;
        if (!task) {
            EXPECT_FALSE(task.error().message.empty());
        }
    };
    for (const Json& value : {Json(nullptr), Json(true), Json(-1), Json(1e300), Json("M"), Json(""), Json::array(),
                              Json::object(), Json::array({Json::object()}), Json{{"M", {1, 2}}, {"M/0", 3}}}) {
        Json edited = original;
        edited[at] = value;
        attempt(edited);
    }
    const Json& here = original[at];
    if (here.is_object()) {
        for (const auto& [key, ignored] : here.items()) {
            Json edited = original;
            edited[at].erase(key);
            attempt(edited);
            mutate(original, at / key, refusals, accepted);
        }
    } else if (here.is_array()) {
        for (std::size_t i = 0; i < here.size(); ++i)
            mutate(original, at / i, refusals, accepted);
    }
}

TEST(TaskErrors, EveryFieldMutated) {
    int refusals = 0, accepted = 0;
    mutate(*parse_json(swiglu, "t"), Json::json_pointer(), refusals, accepted);
    EXPECT_GT(refusals, 700);
    EXPECT_GT(accepted, 20); // titles, expressions "M" and the like
}

TEST(TaskErrors, RandomBytesInTheText) {
    SplitMix64 random(3);
    for (int i = 0; i < 2000; ++i) {
        std::string text(swiglu);
        for (int k = 0; k < 3; ++k)
            text[random.below(text.size())] = static_cast<char>(random.below(256));
        const Result<Task> task = parse_task(text, reference, "task.json");
        ASSERT_TRUE(task.ok() || !task.error().code.empty());
    }
}

class TaskFolders : public ::testing::Test {
protected:
    void SetUp() override {
        root = *make_private_folder("kf-task-test-");
        std::filesystem::create_directories(root / "stage3" / "swiglu_bias");
        std::filesystem::create_directories(root / "stage3" / "empty");
        std::ofstream(root / "stage3" / "swiglu_bias" / "task.json") << swiglu;
        std::ofstream(root / "stage3" / "swiglu_bias" / "reference.py") << reference;
    }
    void TearDown() override { std::filesystem::remove_all(root); }
    std::filesystem::path root;
};

TEST_F(TaskFolders, FoundByNameStageAndPath) {
    const auto folder = root / "stage3" / "swiglu_bias";
    EXPECT_EQ(list_task_folders(root), std::vector<std::filesystem::path>{folder});
    EXPECT_TRUE(list_task_folders(root / "nosuch").empty());
    for (const std::string& name : {std::string("swiglu_bias"), std::string("stage3/swiglu_bias"), folder.string(),
                                    (folder / "task.json").string()}) {
        const Result<Task> task = find_task(name, root);
        ASSERT_TRUE(task.ok()) << name;
        EXPECT_EQ(task->folder, folder);
        EXPECT_EQ(task->hash, good().hash);
    }
    for (const char* name : {"", "swiglu", "stage1/swiglu_bias", "empty", "..", "/"}) {
        const Result<Task> task = find_task(name, root);
        ASSERT_FALSE(task.ok()) << name;
        EXPECT_EQ(task.error().code, "task-unknown") << name;
    }
    EXPECT_NE(find_task("swiglu_bais", root).error().remedy.find("did you mean 'swiglu_bias'"), std::string::npos);
    std::filesystem::remove(folder / "reference.py");
    EXPECT_EQ(find_task("swiglu_bias", root).error().code, "file-missing");
}

TEST(Regimes, NamesRoundTrip) {
    for (const Regime regime :
         {Regime::normal, Regime::spiky, Regime::cancel, Regime::integers, Regime::mixed, Regime::specials})
        EXPECT_EQ(parse_regime(to_string(regime)), regime);
    EXPECT_FALSE(parse_regime("Normal"));
}

} // namespace
} // namespace kf
