// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/statement_parser.h"

#include "core/candidate/cursor.h"
#include "core/candidate/spelling.h"

#include <algorithm>
#include <set>

namespace kf::detail {

namespace {

constexpr std::string_view tune_form = "`tune BLOCK in {128, 256}`";
constexpr std::string_view define_form = "`define NCOLS = EXPR`";
constexpr std::string_view option_form = "`option fast_math maxreg(64)`";
constexpr std::string_view requires_form = "`requires sm_90a`";
constexpr std::string_view scratch_form = "`scratch h: f16[M, 2*N]`";
constexpr std::string_view fill_form = "`fill out = 0`";
constexpr std::string_view launch_form = "`launch k<<<grid, block, shared>>>(arguments)`";
constexpr std::string_view triton_form = "`launch k<<<grid>>>(arguments) warps(4)`";
constexpr std::string_view gemm_form = "`gemm h = x @ w.T + b`";
constexpr std::string_view tensormap_form = "`tensormap t = x[view d0, d1] box[64, 64]`";
constexpr std::string_view prepare_form = "`prepare {` … `}`";
constexpr std::string_view unordered_form = "`unordered out`";

const std::vector<std::string>& statement_words() {
    static const std::vector<std::string> words = {"tune",   "define", "option",  "requires",  "scratch",  "fill",
                                                   "launch", "gemm",   "prepare", "tensormap", "unordered"};
    return words;
}

class StatementParser {
public:
    StatementParser(const StatementText& text, Language language) : m_text(text), m_c(text), m_language(language) {}

    Result<Statement> parse() {
        Statement statement{PrepareEnd{}, std::nullopt, m_c.place(0), single_line(m_text.text), false};
        const std::size_t when = m_c.find_word("when");
        const std::size_t end = m_c.end();
        if (when != std::string_view::npos)
            m_c.limit_to(when);
        statement.body = body();
        if (!m_c.failed() && !m_c.at_end())
            m_c.fail("parse-syntax", "expected the end of the statement, found " + m_c.found_at(m_c.position()),
                     "write " + std::string(m_form));
        if (!m_c.failed() && when != std::string_view::npos) {
            m_c.limit_to(end);
            if (std::holds_alternative<TuneStatement>(statement.body))
                m_c.fail("parse-syntax", "`when` cannot follow `tune`",
                         "a tunable exists for every case; narrow its values with `where EXPR`", when);
            if (std::holds_alternative<PrepareBegin>(statement.body) ||
                std::holds_alternative<PrepareEnd>(statement.body))
                m_c.fail("parse-syntax", "`when` cannot follow `prepare`", "put it on the statements inside", when);
            statement.when = m_c.expression(m_c.trim(when + 4, end), "the condition of `when`");
        }
        if (m_c.failed())
            return m_c.error();
        return statement;
    }

private:
    static std::string single_line(std::string text) {
        std::replace(text.begin(), text.end(), '\n', ' ');
        return text;
    }

    StatementBody body() {
        if (m_c.at_end()) {
            m_c.fail("parse-statement", "nothing follows `#pragma kf`", "accepted: " + list_of(statement_words()));
            return PrepareEnd{};
        }
        if (m_c.accept("}")) {
            m_form = "`}` alone";
            return PrepareEnd{};
        }
        const std::size_t begin = m_c.position();
        const std::string word = m_c.peek_word();
        m_c.move_to(begin + word.size());
        if (word == "tune")
            return tune();
        if (word == "define")
            return define();
        if (word == "option")
            return option();
        if (word == "requires")
            return requires_statement();
        if (word == "scratch")
            return scratch();
        if (word == "fill")
            return fill();
        if (word == "launch")
            return launch();
        if (word == "gemm")
            return gemm();
        if (word == "tensormap")
            return tensormap();
        if (word == "unordered")
            return unordered();
        if (word == "prepare") {
            m_form = prepare_form;
            m_c.require("{", prepare_form);
            return PrepareBegin{};
        }
        m_c.fail("parse-statement", "unknown statement " + m_c.found_at(begin), suggestion(word, statement_words()),
                 begin);
        return PrepareEnd{};
    }

    std::string macro_name(std::string_view form) {
        m_c.at_end();
        const std::size_t at = m_c.position();
        std::string name = m_c.identifier("a name", form);
        if (!m_c.failed()) {
            const std::string problem = macro_name_problem(name);
            if (!problem.empty())
                m_c.fail("parse-name", "the name `" + name + "` " + problem,
                         "names of tunables and defines are macros: use [A-Z][A-Z0-9_]{2,}, such as BLOCK", at);
        }
        return name;
    }

    StatementBody tune() {
        m_form = tune_form;
        TuneStatement tune;
        const std::size_t end = m_c.end();
        const std::size_t where = m_c.find_word("where");
        if (where != std::string_view::npos)
            m_c.limit_to(where);
        tune.name = macro_name(tune_form);
        m_c.require("in", tune_form);
        m_c.require("{", tune_form);
        do {
            m_c.at_end();
            const std::size_t at = m_c.position();
            const std::int64_t value = m_c.whole_number("a value", tune_form, INT64_MIN, INT64_MAX);
            if (!m_c.failed() && std::find(tune.values.begin(), tune.values.end(), value) != tune.values.end())
                m_c.fail("parse-duplicate", "the value " + std::to_string(value) + " occurs twice", "remove one", at);
            if (tune.values.size() >= max_tune_values)
                m_c.fail("limits-tune-values",
                         "the tunable has more than " + std::to_string(max_tune_values) + " values",
                         "keep the best ones", at);
            tune.values.push_back(value);
        } while (m_c.accept(","));
        m_c.require("}", tune_form);
        if (where != std::string_view::npos && !m_c.failed()) {
            if (!m_c.at_end())
                m_c.expected("`where` or the end of the statement", tune_form);
            m_c.limit_to(end);
            tune.where = m_c.expression(m_c.trim(where + 5, end), "the condition of `where`");
            m_c.move_to(end);
        }
        return tune;
    }

    StatementBody define() {
        m_form = define_form;
        std::string name = macro_name(define_form);
        m_c.require("=", define_form);
        return DefineStatement{std::move(name), rest("the value")};
    }

    Expression rest(std::string_view what) {
        const Cursor::Slice slice = m_c.trim(m_c.position(), m_c.end());
        Expression value = m_c.expression(slice, what);
        m_c.move_to(m_c.end());
        return value;
    }

    StatementBody option() {
        m_form = option_form;
        static const std::vector<std::string> known = {"fast_math", "maxreg"};
        OptionStatement option;
        do {
            m_c.at_end();
            const std::size_t begin = m_c.position();
            const std::string word = m_c.identifier("an option", option_form);
            if (m_c.failed())
                break;
            if (word == "fast_math" && !option.fast_math) {
                option.fast_math = true;
                option.texts.push_back(word);
            } else if (word == "maxreg" && !option.maxreg) {
                m_c.require("(", option_form);
                option.maxreg = static_cast<int>(m_c.whole_number("the register limit", option_form, 16, 255));
                m_c.require(")", option_form);
                option.texts.push_back("maxreg(" + std::to_string(*option.maxreg) + ")");
            } else if (word == "fast_math" || word == "maxreg") {
                m_c.fail("parse-duplicate", "the option `" + word + "` is given twice", "remove one", begin);
            } else {
                m_c.fail("parse-attribute", "unknown option `" + word + "`", suggestion(word, known), begin);
            }
        } while (!m_c.failed() && !m_c.at_end());
        return option;
    }

    StatementBody requires_statement() {
        m_form = requires_form;
        m_c.at_end();
        const std::size_t at = m_c.position();
        RequiresStatement required{m_c.identifier("an architecture", requires_form)};
        const std::string& text = required.architecture;
        std::size_t digits = 3;
        while (digits < text.size() && is_digit(text[digits]))
            ++digits;
        const bool good =
            text.starts_with("sm_") && digits >= 5 && digits <= 6 &&
            (digits == text.size() || (digits + 1 == text.size() && (text.back() == 'a' || text.back() == 'f')));
        if (!m_c.failed() && !good)
            m_c.fail("parse-value", "`" + text + "` is no architecture", "write sm_80, sm_90a, sm_100f or the like",
                     at);
        return required;
    }

    StatementBody scratch() {
        m_form = scratch_form;
        ScratchStatement scratch;
        scratch.name = m_c.identifier("a name", scratch_form);
        m_c.require(":", scratch_form);
        m_c.at_end();
        const std::size_t at = m_c.position();
        const std::string word = m_c.identifier("a dtype", scratch_form);
        if (m_c.failed())
            return scratch;
        if (const std::optional<DType> dtype = parse_dtype(word)) {
            scratch.dtype = *dtype;
        } else {
            static const std::vector<std::string> names = {"f64", "f32", "f16", "bf16", "e4m3", "e5m2",
                                                           "i64", "i32", "i8",  "u8",   "bool"};
            m_c.fail("parse-dtype", "unknown dtype `" + word + "`", suggestion(word, names), at);
        }
        m_c.require("[", scratch_form);
        scratch.shape = bracketed("the shape", scratch_form);
        return scratch;
    }

    std::vector<Expression> bracketed(std::string_view what, std::string_view form) {
        if (m_c.failed())
            return {};
        const Cursor::Slice slice = m_c.inside('[', ']', form);
        if (m_c.failed())
            return {};
        return m_c.expressions(slice, what);
    }

    StatementBody fill() {
        m_form = fill_form;
        std::string buffer = m_c.identifier("a tensor", fill_form);
        m_c.require("=", fill_form);
        return FillStatement{std::move(buffer), rest("the value")};
    }

    StatementBody launch() {
        const bool triton = m_language == Language::triton;
        const std::string_view form = triton ? triton_form : launch_form;
        m_form = form;
        LaunchStatement launch;
        launch.kernel = kernel_expression(form);
        launch_extents(launch, form);
        m_c.require("(", form);
        if (!m_c.failed()) {
            const Cursor::Slice slice = m_c.inside('(', ')', form);
            if (!m_c.failed() && !slice.empty())
                for (const Cursor::Slice& part : m_c.split(slice, ','))
                    launch.arguments.push_back(argument(part));
        }
        launch_attributes(launch);
        return launch;
    }

    std::string kernel_expression(std::string_view form) {
        m_c.at_end();
        const std::size_t begin = m_c.position();
        const std::size_t open = m_c.text().find("<<<", begin);
        m_c.identifier("a kernel", form);
        if (m_c.failed())
            return {};
        if (open == std::string_view::npos) {
            m_c.accept("::");
            m_c.expected("`<<<`", form);
            return {};
        }
        const Cursor::Slice slice = m_c.trim(begin, open);
        // Only what a template argument list needs: this text becomes part of generated code.
        static constexpr std::string_view inner = "<>, +-*/%()\n\t.&|!=?";
        int depth = 0, parentheses = 0; // of < > outside ( ), and of ( )
        for (std::size_t i = slice.begin; i < slice.end; ++i) {
            const char c = m_c.text()[i];
            parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (parentheses == 0)
                depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            const bool allowed = is_identifier_char(c) || c == ':' || c == ' ' || c == '\n' ||
                                 ((depth > 0 || c == '>') && inner.find(c) != std::string_view::npos);
            if (!allowed || depth < 0 || parentheses < 0) {
                m_c.fail("parse-syntax", "found " + m_c.found_at(i) + " in the kernel's name",
                         "write the name as in C++: `ns::kernel<BLOCK, half>`", i);
                return {};
            }
        }
        if (depth != 0)
            m_c.fail("parse-syntax", "the kernel's template arguments are not closed", "write " + std::string(form),
                     open);
        m_c.move_to(open + 3);
        std::string text = single_line(std::string(m_c.text_of(slice)));
        return text;
    }

    void launch_extents(LaunchStatement& launch, std::string_view form) {
        if (m_c.failed())
            return;
        const std::size_t begin = m_c.position();
        const std::size_t close = m_c.text().find(">>>", begin);
        if (close == std::string_view::npos) {
            m_c.move_to(m_c.end());
            m_c.expected("`>>>`", form);
            return;
        }
        const std::vector<Cursor::Slice> parts = m_c.split({begin, close}, ',');
        const std::size_t most = m_language == Language::triton ? 1 : 3;
        const std::size_t least = m_language == Language::triton ? 1 : 2;
        if (parts.size() > most || parts.size() < least) {
            m_c.fail("parse-syntax", "found " + std::to_string(parts.size()) + " launch extents",
                     "write " + std::string(form), parts.size() > most ? parts[most].begin : close);
            return;
        }
        launch.grid = m_c.extents(parts[0], "the grid");
        if (parts.size() > 1)
            launch.block = m_c.extents(parts[1], "the block");
        if (parts.size() > 2)
            launch.shared = m_c.expression(parts[2], "the shared memory");
        m_c.move_to(close + 3);
    }

    LaunchArgument argument(const Cursor::Slice& slice) {
        LaunchArgument argument{{}, std::nullopt, m_c.expression(slice, "an argument"), m_c.place(slice.begin)};
        if (m_c.failed() || !is_identifier_start(m_c.text()[slice.begin]))
            return argument;
        std::size_t end = slice.begin;
        while (end < slice.end && is_identifier_char(m_c.text()[end]))
            ++end;
        const Cursor::Slice tail = m_c.trim(end, slice.end);
        const std::string name(m_c.text().substr(slice.begin, end - slice.begin));
        if (tail.empty()) {
            argument.buffer = name;
        } else if (m_c.text()[tail.begin] == '+' && !looser_than_plus(tail)) {
            argument.buffer = name;
            argument.offset = m_c.expression(m_c.trim(tail.begin + 1, tail.end), "the offset");
        }
        return argument;
    }

    // Comparisons, logic and ?: outside parentheses take `NAME + …` as their operand.
    bool looser_than_plus(const Cursor::Slice& slice) const {
        int depth = 0;
        for (std::size_t i = slice.begin; i < slice.end; ++i) {
            const char c = m_c.text()[i];
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth == 0 && std::string_view("?<>=!&|").find(c) != std::string_view::npos)
                return true;
        }
        return false;
    }

    void launch_attributes(LaunchStatement& launch) {
        static const std::vector<std::string> cuda = {"cluster", "cooperative", "overlap"};
        static const std::vector<std::string> triton = {"warps", "stages", "ctas"};
        const std::vector<std::string>& known = m_language == Language::triton ? triton : cuda;
        std::set<std::string> seen;
        while (!m_c.failed() && !m_c.at_end()) {
            const std::size_t at = m_c.position();
            const std::string word = m_c.peek_word();
            if (word.empty() || is_digit(word.front()))
                return; // parse() says what was found
            if (!known_attribute(word, known, seen, at))
                return;
            m_c.move_to(at + word.size());
            if (word == "cooperative") {
                launch.cooperative = true;
            } else if (word == "overlap") {
                launch.overlap = true;
            } else {
                m_c.require("(", "`" + word + "(EXPR)`");
                if (m_c.failed())
                    return;
                const std::size_t open = m_c.position() - 1;
                const Cursor::Slice slice = m_c.inside('(', ')', "`" + word + "(EXPR)`");
                if (word == "cluster")
                    launch.cluster = m_c.extents({open, m_c.position()}, "the cluster");
                else
                    (word == "warps"    ? launch.warps
                     : word == "stages" ? launch.stages
                                        : launch.ctas) = m_c.expression(slice, "`" + word + "`");
            }
        }
    }

    bool known_attribute(const std::string& word, const std::vector<std::string>& known, std::set<std::string>& seen,
                         std::size_t at) {
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            m_c.fail("parse-attribute", "unknown attribute `" + word + "`", suggestion(word, known), at);
            return false;
        }
        if (!seen.insert(word).second) {
            m_c.fail("parse-duplicate", "the attribute `" + word + "` is given twice", "remove one", at);
            return false;
        }
        return true;
    }

    GemmOperand operand() {
        GemmOperand operand{m_c.identifier("a tensor", gemm_form), false};
        if (m_c.accept(".")) {
            if (!m_c.accept("T"))
                m_c.expected("`T`", gemm_form);
            operand.transposed = true;
        }
        return operand;
    }

    StatementBody gemm() {
        m_form = gemm_form;
        static const std::vector<std::string> known = {"relu", "gelu_tanh", "tune"};
        GemmStatement gemm;
        gemm.out = m_c.identifier("a tensor", gemm_form);
        m_c.require("=", gemm_form);
        gemm.a = operand();
        m_c.require("@", gemm_form);
        gemm.b = operand();
        if (m_c.accept("+"))
            gemm.bias = m_c.identifier("a bias", gemm_form);
        std::set<std::string> seen;
        while (!m_c.failed() && !m_c.at_end()) {
            const std::size_t at = m_c.position();
            const std::string word = m_c.peek_word();
            if (word.empty() || is_digit(word.front()))
                break;
            if (!known_attribute(word, known, seen, at))
                break;
            m_c.move_to(at + word.size());
            if (word == "tune") {
                m_c.require("(", "`tune(8)`");
                gemm.tune = static_cast<int>(m_c.whole_number("the number of algorithms", "`tune(8)`", 1, 64));
                m_c.require(")", "`tune(8)`");
            } else if (!gemm.epilogue.empty()) {
                m_c.fail("parse-duplicate", "a second epilogue `" + word + "`", "a gemm has one epilogue", at);
            } else {
                gemm.epilogue = word;
            }
        }
        return gemm;
    }

    StatementBody tensormap() {
        m_form = tensormap_form;
        static const std::vector<std::string> known = {"box", "strides", "swizzle", "fill"};
        TensormapStatement map;
        map.name = m_c.identifier("a name", tensormap_form);
        m_c.require("=", tensormap_form);
        map.buffer = m_c.identifier("a tensor", tensormap_form);
        m_c.require("[", tensormap_form);
        m_c.require("view", tensormap_form);
        map.view = bracketed("the view", tensormap_form);
        std::set<std::string> seen;
        while (!m_c.failed() && !m_c.at_end()) {
            const std::size_t at = m_c.position();
            const std::string word = m_c.peek_word();
            if (word.empty() || is_digit(word.front()))
                break;
            if (!known_attribute(word, known, seen, at))
                break;
            m_c.move_to(at + word.size());
            if (word == "box" || word == "strides") {
                m_c.require("[", tensormap_form);
                (word == "box" ? map.box : map.strides) = bracketed("`" + word + "`", tensormap_form);
            } else if (word == "swizzle") {
                map.swizzle = choice({"none", "32B", "64B", "128B"}, "`swizzle(128B)`");
            } else {
                map.fill = choice({"zero", "nan"}, "`fill(zero)`");
            }
        }
        if (!m_c.failed() && map.box.empty())
            m_c.expected("`box[…]`", tensormap_form);
        return map;
    }

    std::string choice(const std::vector<std::string>& known, std::string_view form) {
        m_c.require("(", form);
        if (m_c.failed())
            return {};
        std::string word = m_c.peek_word();
        if (std::find(known.begin(), known.end(), word) == known.end())
            m_c.fail("parse-attribute", "found " + m_c.found_at(m_c.position()), suggestion(word, known));
        m_c.move_to(m_c.position() + word.size());
        m_c.require(")", form);
        return word;
    }

    StatementBody unordered() {
        m_form = unordered_form;
        UnorderedStatement unordered;
        do {
            unordered.outputs.push_back(m_c.identifier("an output", unordered_form));
        } while (m_c.accept(","));
        return unordered;
    }

    const StatementText& m_text;
    Cursor m_c;
    Language m_language;
    std::string_view m_form = "a statement"; // of the statement at hand, for remedies
};

} // namespace

Result<Statement> parse_statement(const StatementText& text, Language language) {
    return StatementParser(text, language).parse();
}

} // namespace kf::detail
