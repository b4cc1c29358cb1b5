// SPDX-License-Identifier: GPL-3.0-or-later
// Keys and HTTP for a run that asks a model, and `models`, which lists what a provider has. A program that was built
// without Qt has neither and says so.
#include "app/kernelforge/commands.h"
#include "app/kernelforge/exit_code.h"
#include "app/kernelforge/interrupt.h"
#include "app/kernelforge/model_options.h"
#include "core/llm/provider.h"
#include "core/process/environment.h"
#include "core/render/terminal_text.h"

#if KF_HAS_NET
#include "core/net/application.h"
#include "core/net/keys.h"
#include "core/net/model_client.h"
#endif

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <stop_token>
#include <thread>
#include <unistd.h>

namespace kf::cli {

#if KF_HAS_NET
namespace {

// The window hands a key that was typed there to the run it starts in this variable (ui/window).
constexpr std::string_view session_key_variable = "KERNELFORGE_SESSION_KEY";

class LiveTransports final : public ModelTransports {
public:
    explicit LiveTransports(std::string key_from)
        : m_key_from(std::move(key_from)), m_main(std::this_thread::get_id()) {
        net::ensure_application();
        if (m_key_from.empty())
            return;
        withhold_from_children({m_key_from});
        if (char* value = std::getenv(m_key_from.c_str())) {
            m_named = ApiKey::make(value);
            // It was given to this program alone: /proc shall not show it either, nor a child before its exec.
            if (m_key_from == session_key_variable)
                for (volatile char* byte = value; *byte; ++byte)
                    *byte = '-';
        }
    }

    Status check(const ModelSettings& settings) override {
        auto provider = provider_of(settings);
        if (!provider)
            return provider.error();
        if (settings.model.empty())
            return make_error("model-missing", "no model is named",
                              "name one; `kernelforge models --provider " + provider->id + "` lists them");
        auto key = key_of(*provider);
        return key ? Status() : Status(key.error());
    }

    Result<std::shared_ptr<ModelTransport>> open(const ModelSettings& settings) override {
        auto provider = provider_of(settings);
        if (!provider)
            return provider.error();
        auto key = key_of(*provider);
        if (!key)
            return key.error();
        return std::shared_ptr<ModelTransport>(std::make_shared<net::ModelClient>(*provider, *key));
    }

    bool knows_cost(const ModelSettings& settings) override {
        const auto provider = provider_of(settings);
        return provider && provider->knows_cost(settings.model);
    }

    // The key, agreed to; none where none is needed. In the main thread a person and the keyring may be asked.
    Result<ApiKey> key_of(const Provider& provider) {
        const bool main = std::this_thread::get_id() == m_main;
        if (!m_key_from.empty() && main && !m_named_used) {
            if (!m_named)
                return make_error("key-missing", "--use-key-from: the environment has no variable " + m_key_from,
                                  "set it, or leave the option out");
            if (!*m_named)
                return make_error(m_named->error().code, m_key_from + ": " + m_named->error().message,
                                  m_named->error().remedy);
            m_keys.use_for_session(provider, **m_named);
            m_named_used = true;
        }
        net::FoundKey found = m_keys.find(provider, main);
        if (found.key.present() && !found.agreed) {
            if (!main || !agree(provider, found.variable))
                return make_error("key-not-agreed",
                                  "a key for " + provider.name + " was found in " + found.variable +
                                      ", and nobody said yet that it may be used",
                                  "add --use-key-from " + found.variable);
            m_keys.use_for_session(provider, found.key);
        } else if (found.key.present() && found.origin == net::KeyOrigin::keyring) {
            m_keys.use_for_session(provider, found.key); // other threads cannot ask the keyring
        }
        if (found.key.present() || !provider.needs_key)
            return found.key;
        if (!found.problem.empty())
            return make_error("key-unusable", found.problem, "set it again");
        return make_error("key-missing", "there is no key for " + provider.name,
                          provider.key_variables.empty()
                              ? "set a variable with it and name it with --use-key-from"
                              : "set " + provider.key_variables.front() + ", or store one in the window's settings");
    }

    static Result<Provider> provider_of(const ModelSettings& settings) {
        auto list = load_providers();
        if (!list)
            return list.error();
        if (const Provider* known = list->find(settings.provider);
            known && (settings.url.empty() || settings.url == known->base_url))
            return *known;
        return choose_provider(*list, settings.url.empty() ? settings.provider : settings.url);
    }

private:
    bool agree(const Provider& provider, const std::string& variable) {
        if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
            return false;
        std::fprintf(stderr, "kernelforge: use the key in %s for %s (%s)? [y/N] ", variable.c_str(),
                     plain_text(provider.name).c_str(), plain_text(provider.base_url).c_str());
        std::string answer;
        if (!std::getline(std::cin, answer) || (answer != "y" && answer != "Y" && answer != "yes"))
            return false;
        if (auto kept = m_keys.agree(provider, variable); !kept)
            std::fprintf(stderr, "kernelforge: %s\n", plain_text(to_string(kept.error())).c_str());
        return true;
    }

    std::string m_key_from;
    std::optional<Result<ApiKey>> m_named; // in that variable; none: there is no such
    std::thread::id m_main;
    net::Keys m_keys;
    bool m_named_used = false;
};

int list_models(const ModelOptions& options, bool json) {
    ModelSettings wanted;
    auto list = load_providers();
    if (!list)
        return fail(exit_bad_input, list.error());
    auto provider = choose_provider(*list, options.provider.empty() ? list->default_id : options.provider);
    if (!provider)
        return fail(exit_bad_input, provider.error());
    LiveTransports transports(options.key_from);
    auto key = transports.key_of(*provider);
    if (!key)
        return fail(exit_bad_input, key.error());
    const Interrupts interrupts;
    std::stop_source stop;
    const std::jthread watch([&](const std::stop_token& done) {
        while (!done.stop_requested() && interrupts.count() == 0)
            interrupts.wait(100);
        stop.request_stop();
    });
    net::ModelClient client(*provider, *key);
    auto answer = client.list_models(stop.get_token());
    if (const auto* error = std::get_if<ModelError>(&answer))
        return fail(error->failure == ModelFailure::cancelled ? exit_stopped : exit_infrastructure,
                    make_error(std::string(to_string(error->failure)), error->message, error->remedy));
    const auto& names = std::get<std::vector<std::string>>(answer);
    if (json) {
        std::puts(dump_line(Json{{"provider", provider->id}, {"url", provider->base_url}, {"models", names}}).c_str());
        return exit_ok;
    }
    for (const std::string& name : names)
        std::printf("%s%s\n", plain_text(name).c_str(), name == provider->default_model ? "  (default)" : "");
    return exit_ok;
}

} // namespace

std::shared_ptr<ModelTransports> model_transports(const std::string& key_from) {
    return std::make_shared<LiveTransports>(key_from);
}

void withhold_keys() {
    const auto list = load_providers(); // a wrong one is told by the command that needs it
    withhold_from_children(net::key_variables(list ? *list : ProviderList()));
}
#else
namespace {

int list_models(const ModelOptions&, bool) {
    return fail(exit_bad_input, make_error("model-missing", "this build has no network client: it cannot ask a model",
                                           "use one that was built with Qt (KERNELFORGE_UI=ON)"));
}

} // namespace

std::shared_ptr<ModelTransports> model_transports(const std::string&) {
    return nullptr;
}

void withhold_keys() {} // children get an allow-list without them, and nothing here reads one
#endif

void add_models(CLI::App& app, Action& action) {
    struct Options {
        ModelOptions model;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("models", "the models that a provider has");
    options->model.add_provider_to(*command);
    command->add_flag("--json", options->json, "one JSON object");
    command->callback(
        [options, &action] { action = [options] { return list_models(options->model, options->json); }; });
}

} // namespace kf::cli
