// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/candidate/plan_checks.h"

#include "core/candidate/spelling.h"

#include <algorithm>
#include <array>
#include <map>

namespace kf::detail {

namespace {

class PlanChecker {
public:
    PlanChecker(const Candidate& candidate, std::vector<Error>& errors) : m_candidate(candidate), m_errors(errors) {}

    void run(bool all_read) {
        std::size_t launches = 0, products = 0;
        for (const Statement& statement : m_candidate.plan.statements) {
            check_names(statement);
            check_prepare(statement);
            if (const auto* launch = std::get_if<LaunchStatement>(&statement.body)) {
                if (++launches == max_launches + 1)
                    add("limits-launches", "the plan has more than " + std::to_string(max_launches) + " launches",
                        "fuse kernels or loop inside one", statement.place);
                check_kernel(*launch, statement);
            }
            products += std::holds_alternative<GemmStatement>(statement.body) ? 1 : 0;
        }
        if (all_read && m_errors.empty() && launches + products == 0)
            add("parse-no-launch", "the text has no `launch` and no `gemm` statement",
                m_candidate.language == Language::cuda
                    ? "add a plan line such as `#pragma kf launch k<<<grid, block>>>(x, out)`"
                    : "add a plan line such as `# kf launch k<<<grid>>>(x, out)`",
                Place{m_candidate.file_name});
    }

private:
    void add(std::string code, std::string message, std::string remedy, const Place& place) {
        m_errors.push_back(make_error(std::move(code), std::move(message), std::move(remedy), place));
    }

    // Names share one space. Statements with `when` may share a name when at most one of them holds; resolving checks
    // it.
    void check_names(const Statement& statement) {
        std::string name;
        if (const auto* tune = std::get_if<TuneStatement>(&statement.body))
            name = tune->name;
        else if (const auto* define = std::get_if<DefineStatement>(&statement.body))
            name = define->name;
        else if (const auto* scratch = std::get_if<ScratchStatement>(&statement.body))
            name = scratch->name;
        else if (const auto* map = std::get_if<TensormapStatement>(&statement.body))
            name = map->name;
        else
            return;
        static constexpr std::array reserved = {"when", "where", "sm_count", "warp_size", "resident"};
        if (is_builtin_function(name) || std::find(reserved.begin(), reserved.end(), name) != reserved.end()) {
            add("parse-name", "the name `" + name + "` has a meaning of its own in plans", "choose another name",
                statement.place);
            return;
        }
        const auto [found, fresh] = m_names.emplace(name, &statement);
        if (fresh)
            return;
        const bool alternatives =
            statement.when && found->second->when && statement.body.index() == found->second->body.index();
        if (!alternatives)
            add("parse-duplicate",
                "the name `" + name + "` is given twice, first in line " + std::to_string(found->second->place.line),
                "choose another name, or give both statements a `when`", statement.place);
    }

    void check_prepare(const Statement& statement) {
        const bool allowed = std::holds_alternative<ScratchStatement>(statement.body) ||
                             std::holds_alternative<FillStatement>(statement.body) ||
                             std::holds_alternative<LaunchStatement>(statement.body) ||
                             std::holds_alternative<GemmStatement>(statement.body) ||
                             std::holds_alternative<TensormapStatement>(statement.body);
        if (statement.in_prepare && !allowed)
            add("parse-prepare", "found `" + label_of(statement) + "` inside `prepare`",
                "accepted there: scratch, fill, launch, gemm, tensormap", statement.place);
    }

    void check_kernel(const LaunchStatement& launch, const Statement& statement) {
        const std::string name = launch.kernel_name();
        const bool arguments = launch.kernel.find('<') != std::string::npos;
        std::size_t found = 0, usable = 0, external = 0;
        for (const Kernel& kernel : m_candidate.kernel_list) {
            if (kernel.name != name)
                continue;
            ++found;
            external += kernel.extern_c ? 1 : 0;
            usable += kernel.is_template == arguments ? 1 : 0;
        }
        if (found == 0) {
            if (m_candidate.kernels_complete)
                add("parse-kernel", "launch of unknown kernel `" + name + "`",
                    m_candidate.kernels.empty()
                        ? std::string(m_candidate.language == Language::cuda ? "the text has no `__global__` function"
                                                                             : "the text has no `@triton.jit` function")
                        : suggestion(name, m_candidate.kernels, "found"),
                    statement.place);
            return;
        }
        if (external == found)
            add("parse-kernel", "the kernel `" + name + "` is `extern \"C\"`",
                "remove `extern \"C\"`: argument types are read from its C++ name", statement.place);
        else if (usable == 0 && m_candidate.kernels_complete && m_candidate.language == Language::cuda)
            add("parse-kernel",
                arguments ? "the kernel `" + name + "` is no template" : "the kernel `" + name + "` is a template",
                arguments ? "launch it as `" + name + "<<<…>>>`" : "launch it as `" + name + "<…><<<…>>>`",
                statement.place);
    }

    const Candidate& m_candidate;
    std::vector<Error>& m_errors;
    std::map<std::string, const Statement*> m_names;
};

} // namespace

void check_plan(const Candidate& candidate, bool all_read, std::vector<Error>& errors) {
    PlanChecker(candidate, errors).run(all_read);
}

} // namespace kf::detail
