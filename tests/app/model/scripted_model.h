// SPDX-License-Identifier: GPL-3.0-or-later
// A model that says what a test tells it, in the process of the test: no network, every request kept.
#pragma once

#include "core/engine/run.h"
#include "core/task/task_reader.h"
#include "tests/app/cli_fixture.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

namespace kf {

class ScriptedModel : public ModelTransport, public std::enable_shared_from_this<ScriptedModel> {
public:
    using Answer = std::function<ChatOutcome(const ChatRequest&, const std::stop_token&)>;

    static ChatReply saying(const std::string& content) {
        ChatReply reply;
        reply.content = content;
        reply.reasoning = "let me think";
        reply.finish_reason = "stop";
        reply.usage = TokenUsage{100, 20, 5, 0.25, true};
        reply.pieces = {{ReplyPiece::Kind::reasoning, reply.reasoning, 0.1}, {ReplyPiece::Kind::content, content, 0.2}};
        reply.first_token_s = 0.1;
        reply.seconds = 0.5;
        return reply;
    }
    static ModelError failing(ModelFailure failure, const std::string& message = "the server says no") {
        ModelError error;
        error.failure = failure;
        error.message = message;
        error.remedy = "do something about it";
        return error;
    }

    void then(ChatOutcome outcome) {
        then([outcome = std::move(outcome)](const ChatRequest&, const std::stop_token&) { return outcome; });
    }
    void then(Answer answer) {
        const std::lock_guard lock(m_mutex);
        m_answers.push_back(std::move(answer));
    }
    std::vector<ChatRequest> requests() const {
        const std::lock_guard lock(m_mutex);
        return m_requests;
    }
    std::size_t asked() const { return requests().size(); }

    ChatOutcome ask(const ChatRequest& request, const std::stop_token& stop,
                    const std::function<void(const ReplyPiece&)>& on_piece) override {
        Answer answer;
        {
            const std::lock_guard lock(m_mutex);
            m_requests.push_back(request);
            if (m_answers.empty())
                return failing(ModelFailure::forbidden, "the script is at its end");
            answer = std::move(m_answers.front());
            m_answers.pop_front();
        }
        ChatOutcome outcome = answer(request, stop);
        if (const auto* reply = std::get_if<ChatReply>(&outcome))
            for (const ReplyPiece& piece : reply->pieces)
                on_piece(piece);
        return outcome;
    }
    Json describe() const override { return Json{{"provider", "scripted"}, {"url", "none:"}, {"model", "scripted-1"}}; }

private:
    mutable std::mutex m_mutex;
    std::deque<Answer> m_answers;
    std::vector<ChatRequest> m_requests;
};

class ScriptedTransports : public ModelTransports {
public:
    explicit ScriptedTransports(std::shared_ptr<ScriptedModel> model) : m_model(std::move(model)) {}
    Status check(const ModelSettings& settings) override {
        return settings.model == "unknown" ? make_error("model-missing", "no such model", "name another") : Status();
    }
    Result<std::shared_ptr<ModelTransport>> open(const ModelSettings& settings) override {
        ++opened;
        if (auto checked = check(settings); !checked)
            return checked.error();
        return std::shared_ptr<ModelTransport>(m_model);
    }
    bool knows_cost(const ModelSettings&) override { return cost_known; }
    std::atomic<int> opened = 0;
    std::atomic<bool> cost_known = true;

private:
    std::shared_ptr<ScriptedModel> m_model;
};

// Runs in the test's own process, judged by the scripted evaluator.
class ModelTest : public CliTest {
protected:
    void SetUp() override {
        CliTest::SetUp();
        auto found = find_task("stage1/silu_mul", KF_SOURCE_DIR "/tasks");
        ASSERT_TRUE(found) << to_string(found.error());
        task = std::move(*found);
        settings.evaluator.program = KF_BIN_DIR "/kf_fake_evaluator";
        settings.evaluator.launcher = {"env", "KF_FAKE_STATE=" + (home / "state").string(),
                                       "KERNELFORGE_HOME=" + home.string()};
        settings.synthesizer = SynthesizerKind::model;
        settings.model.provider = "scripted";
        settings.model.model = "scripted-1";
        settings.model.retries = 2;
        settings.start_file = kernel("start.cu", {"speed 1"});
        settings.stop.not_faster_limit = 0;
        settings.stop.turns = 1;
    }
    // A kernel that is another one for each `n`: comments do not make a difference.
    static std::string candidate(int n, const std::vector<std::string>& directives, const std::string& plan = "") {
        std::string text;
        for (const std::string& directive : directives)
            text += "// fake: " + directive + "\n";
        return text + plan + "#pragma kf launch copy<<<1, 32>>>(x, out)\n" +
               "#include <cuda_bf16.h>\n"
               "__global__ void copy(const __nv_bfloat16* x, __nv_bfloat16* out) { out[0] = x[" +
               std::to_string(n) + "]; }\n";
    }
    static ChatReply reply(int n, const std::vector<std::string>& directives, const std::string& plan = "") {
        return ScriptedModel::saying("Here it is.\n\n```cuda\n" + candidate(n, directives, plan) + "```\n");
    }
    std::unique_ptr<kf::Run> create(bool with_model = true) {
        auto run = kf::Run::create(task, settings, home / "data" / "runs", with_model ? transports : nullptr);
        EXPECT_TRUE(run) << (run ? "" : to_string(run.error()));
        return run ? std::move(*run) : nullptr;
    }
    static std::vector<Event> of_type(const std::vector<Event>& events, EventType type) {
        std::vector<Event> some;
        std::copy_if(events.begin(), events.end(), std::back_inserter(some),
                     [&](const Event& event) { return event.type == type; });
        return some;
    }
    static std::string text_of(const ChatRequest& request) {
        std::string text;
        for (const ChatMessage& message : request.messages)
            text += message.content + "\n";
        return text;
    }

    Task task;
    RunSettings settings;
    std::shared_ptr<ScriptedModel> model = std::make_shared<ScriptedModel>();
    std::shared_ptr<ScriptedTransports> transports = std::make_shared<ScriptedTransports>(model);
};

} // namespace kf
