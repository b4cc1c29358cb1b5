// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/candidate.h"
#include "core/candidate/spelling.h"

#include <algorithm>

namespace kf {

namespace {

// Points of the raw product that enumeration may visit before it gives up.
constexpr std::size_t max_visits = std::size_t{1} << 17;

const Statement* statement_of(const Plan& plan, const TuneStatement* tune) {
    for (const Statement& statement : plan.statements)
        if (std::get_if<TuneStatement>(&statement.body) == tune)
            return &statement;
    return nullptr;
}

// Defines whose `when` holds for the point, in order. One that cannot be evaluated is left out: only the `where` that
// names it will complain.
void add_defines(const Plan& plan, SymbolTable& table) {
    for (const Statement& statement : plan.statements) {
        const auto* define = std::get_if<DefineStatement>(&statement.body);
        if (!define)
            continue;
        if (statement.when) {
            const Result<std::int64_t> holds = statement.when->integer(table);
            if (!holds || *holds == 0)
                continue;
        }
        if (const Result<std::int64_t> value = define->value.integer(table); value)
            table.set(define->name, *value);
    }
}

Error where_error(const Error& error) {
    return make_error("plan-expression", "the condition of `where`: " + error.message, error.remedy, error.place);
}

class Enumerator {
public:
    Enumerator(const Plan& plan, const Scope& scope, std::size_t limit)
        : m_plan(plan), m_tunables(plan.tunables()), m_scope(scope), m_limit(limit) {
        // A `where` is decided as soon as the last tunable that it names has a value.
        m_ready.resize(m_tunables.size());
        for (const TuneStatement* tune : m_tunables) {
            if (!tune->where)
                continue;
            std::size_t last = 0;
            for (const std::string& name : tune->where->names()) {
                const std::size_t index = index_of(name);
                if (index < m_tunables.size())
                    last = std::max(last, index);
                else if (!scope.value(name))
                    last = m_tunables.size() - 1; // a define, or unknown
            }
            m_ready[last].push_back(&*tune->where);
        }
        for (const Statement& statement : plan.statements)
            m_has_defines = m_has_defines || std::holds_alternative<DefineStatement>(statement.body);
    }

    Result<std::vector<TunableValues>> run() {
        m_values.resize(m_tunables.size());
        if (const Status status = visit(0); !status)
            return status.error();
        return std::move(m_points);
    }

private:
    std::size_t index_of(const std::string& name) const {
        std::size_t index = 0;
        while (index < m_tunables.size() && m_tunables[index]->name != name)
            ++index;
        return index;
    }

    Result<bool> allowed(std::size_t depth) const {
        if (m_ready[depth].empty())
            return true;
        SymbolTable table(&m_scope);
        for (std::size_t i = 0; i <= depth; ++i)
            table.set(m_tunables[i]->name, m_values[i]);
        if (depth + 1 == m_tunables.size() && m_has_defines)
            add_defines(m_plan, table);
        for (const Expression* where : m_ready[depth]) {
            const Result<std::int64_t> holds = where->integer(table);
            if (!holds)
                return where_error(holds.error());
            if (*holds == 0)
                return false;
        }
        return true;
    }

    Error too_large(const std::string& what) const {
        const TuneStatement* first = m_tunables.empty() ? nullptr : m_tunables.front();
        const Statement* statement = statement_of(m_plan, first);
        return make_error("limits-tune-space", what, "give fewer values, or narrow them with `where`",
                          statement ? statement->place : Place{});
    }

    Status visit(std::size_t depth) {
        if (depth == m_tunables.size()) {
            if (m_points.size() >= m_limit)
                return too_large("the tune space has more than " + std::to_string(m_limit) + " points");
            TunableValues point;
            for (std::size_t i = 0; i < m_tunables.size(); ++i)
                point[m_tunables[i]->name] = m_values[i];
            m_points.push_back(std::move(point));
            return {};
        }
        for (const std::int64_t value : m_tunables[depth]->values) {
            if (++m_visits > max_visits)
                return too_large("the tune space is too large to list");
            m_values[depth] = value;
            const Result<bool> holds = allowed(depth);
            if (!holds)
                return holds.error();
            if (!*holds)
                continue;
            if (const Status status = visit(depth + 1); !status)
                return status;
        }
        return {};
    }

    const Plan& m_plan;
    std::vector<const TuneStatement*> m_tunables;
    const Scope& m_scope;
    std::size_t m_limit;
    bool m_has_defines = false;
    std::vector<std::vector<const Expression*>> m_ready;
    std::vector<std::int64_t> m_values;
    std::vector<TunableValues> m_points;
    std::size_t m_visits = 0;
};

} // namespace

Result<TunableValues> complete_tunables(const Plan& plan, const TunableValues& chosen) {
    TunableValues values;
    std::vector<std::string> names;
    for (const TuneStatement* tune : plan.tunables()) {
        values[tune->name] = tune->values.front();
        names.push_back(tune->name);
    }
    for (const auto& [name, value] : chosen) {
        const auto found =
            std::find_if(plan.statements.begin(), plan.statements.end(), [&](const Statement& statement) {
                const auto* tune = std::get_if<TuneStatement>(&statement.body);
                return tune && tune->name == name;
            });
        if (found == plan.statements.end())
            return make_error("plan-tunable", "the plan has no tunable `" + name + "`",
                              names.empty() ? "it has none" : detail::suggestion(name, names, "tunables"));
        const std::vector<std::int64_t>& accepted = std::get<TuneStatement>(found->body).values;
        if (std::find(accepted.begin(), accepted.end(), value) == accepted.end()) {
            std::vector<std::string> texts;
            for (const std::int64_t each : accepted)
                texts.push_back(std::to_string(each));
            return make_error("plan-tunable", "`" + name + "` = " + std::to_string(value) + " is not in the tune space",
                              "accepted: " + detail::list_of(texts, max_tune_values), found->place);
        }
        values[name] = value;
    }
    return values;
}

Result<bool> tune_allows(const Plan& plan, const Scope& scope, const TunableValues& values) {
    SymbolTable table(&scope);
    for (const auto& [name, value] : values)
        table.set(name, value);
    add_defines(plan, table);
    for (const TuneStatement* tune : plan.tunables()) {
        if (!tune->where)
            continue;
        const Result<std::int64_t> holds = tune->where->integer(table);
        if (!holds)
            return where_error(holds.error());
        if (*holds == 0)
            return false;
    }
    return true;
}

Result<std::vector<TunableValues>> tune_space(const Plan& plan, const Scope& scope, std::size_t limit) {
    return Enumerator(plan, scope, limit).run();
}

} // namespace kf
