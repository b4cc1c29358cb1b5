// SPDX-License-Identifier: GPL-3.0-or-later
// A run with a model, from the window: started and steered by mouse and keys. What a person says must be in the journal
// and in the next request that the model's server gets.
#include "core/journal/reader.h"
#include "tests/support/loopback/server.h"
#include "tests/ui/e2e/window_test.h"
#include "ui/docks/hint_line.h"
#include "ui/docks/transcript_pane.h"
#include "ui/window/settings.h"
#include "ui/window/steer_sheet.h"

#include <QAccessible>
#include <QClipboard>
#include <QLineEdit>
#include <QMenu>

#include <condition_variable>
#include <mutex>

namespace kf::scenes {
namespace {

using loopback::LoopbackServer;

std::string kernel(int n, const std::string& directive) {
    return "// fake: " + directive +
           "\n#pragma kf launch copy<<<1, 32>>>(x, out)\n#include <cuda_bf16.h>\n__global__ void copy(const "
           "__nv_bfloat16* x, __nv_bfloat16* out) { out[0] = x[" +
           std::to_string(n) + "]; }\n";
}

class ModelWindowTest : public WindowTest {
protected:
    void SetUp() override {
        Json rules = Json::array();
        for (int i = 1; i <= 8; ++i)
            rules.push_back(Json{{"name", "reply " + std::to_string(i)},
                                 {"times", 1},
                                 {"thinking", "I think of " + std::to_string(i)},
                                 {"reply", "This is reply " + std::to_string(i) + ".\n\n```cuda\n" +
                                               kernel(i, "speed 1." + std::to_string(i)) + "```\n"}});
        auto script = loopback::Script::parse(
            Json{{"models", {"loopback", "loopback-2"}}, {"rules", rules}, {"fallback", {{"reply", "No more."}}}}, ".");
        ASSERT_TRUE(script) << to_string(script.error());
        server = std::make_unique<LoopbackServer>(std::move(*script));
        ASSERT_TRUE(server->listening());
        // Each request waits until the test lets it through.
        server->on_request([this](const loopback::SeenRequest& request) {
            if (request.method != "POST")
                return;
            std::unique_lock lock(m_mutex);
            m_seen.push_back(request); // the server itself cannot be asked while this one waits
            m_changed.wait_for(lock, std::chrono::seconds(100), [this] { return m_let > 0; });
            --m_let;
        });
    }
    void TearDown() override {
        let(100);
        WindowTest::TearDown();
        server.reset();
    }
    void let(int requests = 1) {
        const std::lock_guard lock(m_mutex);
        m_let += requests;
        m_changed.notify_all();
    }
    void use_model(int turns) {
        ui::Settings settings; // of the player's home
        ASSERT_TRUE(settings.set(u"model/url"_s, QString::fromStdString(server->url())));
        ASSERT_TRUE(settings.set(u"model/name"_s, u"loopback"_s));
        ASSERT_TRUE(settings.set(u"runs/turns"_s, turns));
        ASSERT_TRUE(settings.save());
    }
    void start_by_mouse() {
        ASSERT_TRUE(player.until([&] { return !player.window().start_page().task().isEmpty(); }, 20)) << "no tasks";
        auto* run = player.window().findChild<QPushButton*>(u"start.model"_s);
        ASSERT_TRUE(player.until([&] { return run && run->isVisible() && run->isEnabled(); }, 20));
        ASSERT_TRUE(run->text().contains(u"Run with a model"_s)) << run->text().toStdString();
        player.click(run);
        ASSERT_TRUE(player.until([&] { return !state().start.task.empty(); }, 60)) << "the run did not begin";
        ASSERT_TRUE(player.until(
            [&] { return player.window().controller().state() == ui::RunController::State::running; }, 30));
    }
    // The bodies of the requests so far.
    std::vector<Json> asked() const {
        std::vector<Json> bodies;
        const std::lock_guard lock(m_mutex);
        for (const loopback::SeenRequest& request : m_seen)
            bodies.push_back(request.body);
        return bodies;
    }
    std::string authorization() const {
        const std::lock_guard lock(m_mutex);
        return m_seen.empty() ? "" : get_string(m_seen.back().headers, "authorization");
    }
    // The n-th request, once it is there; its messages as one text in "text".
    Json request(std::size_t n, double seconds = 60) {
        player.until([&] { return asked().size() >= n; }, seconds);
        if (asked().size() < n) {
            ADD_FAILURE() << "request " << n << " did not come";
            return {};
        }
        Json body = asked()[n - 1];
        std::string text;
        for (const Json& message : body.at("messages"))
            text += get_string(message, "content") + "\n";
        body["text"] = text;
        return body;
    }
    static bool has(const Json& body, const std::string& words) {
        return get_string(body, "text").find(words) != std::string::npos;
    }
    // What the journal on disk has of an order.
    std::vector<Steering> told(const std::string& what) {
        std::vector<Steering> some;
        for (const Steering& one : state_of(only_run()).steering)
            if (one.what == what)
                some.push_back(one);
        return some;
    }
    void wait_for(const std::string& what, std::size_t count = 1) {
        EXPECT_TRUE(player.until([&] { return told(what).size() >= count; }, 30)) << what << " is not in the journal";
        for (const Steering& one : told(what))
            EXPECT_EQ(one.who, "workbench") << what;
    }
    // An action by the palette, as somebody would who does not know its key.
    void by_palette(const QString& words) {
        player.key("Ctrl+Shift+P");
        player.type(words);
        QTest::qWait(150);
        player.key("Return");
    }
    bool sheet_open() {
        auto* sheet = player.window().findChild<ui::SteerSheet*>();
        return sheet && sheet->isVisible();
    }

    std::unique_ptr<LoopbackServer> server;

private:
    mutable std::mutex m_mutex;
    std::vector<loopback::SeenRequest> m_seen;
    std::condition_variable m_changed;
    int m_let = 0;
};

TEST_F(ModelWindowTest, StartedAndSteeredByMouseAndKeys) {
    use_scripted_task({"speed 1"});
    use_model(2);
    player.open(faked(), true);
    start_by_mouse();
    const Json first = request(1);
    EXPECT_EQ(get_string(first, "model"), "loopback");
    ASSERT_TRUE(player.until([&] { return state().turns.contains(1); }, 30));

    // A hint: the key, then the words and Enter.
    player.key("Ctrl+Shift+H");
    player.type(u"mind the second half"_s);
    player.key("Return");
    wait_for("hint");
    EXPECT_EQ(get_string(told("hint").front().data, "text"), "mind the second half");
    EXPECT_TRUE(player.until(
        [&] {
            return player.window().workspace().pane(u"transcript"_s)->text_twin().contains(u"mind the second half"_s);
        },
        10))
        << "it is not seen to wait";

    // A fork from the start kernel.
    click_turn(0);
    player.key("Ctrl+Shift+F");
    ASSERT_TRUE(sheet_open());
    player.type(u"leave the rows as they are"_s);
    player.key("Return");
    EXPECT_FALSE(sheet_open());
    wait_for("fork");
    EXPECT_EQ(get_int(told("fork").front().data, "turn", -1), 0);

    // Another model, by the button in the bar.
    auto* in_bar = player.window().findChild<QPushButton*>(u"bar.model"_s);
    ASSERT_TRUE(in_bar && in_bar->isVisible());
    EXPECT_TRUE(in_bar->text().contains(u"loopback"_s)) << in_bar->text().toStdString();
    by_palette(u"Change model"_s);
    ASSERT_TRUE(sheet_open());
    player.type(u"loopback-2"_s);
    player.key("Return");
    wait_for("model");
    EXPECT_TRUE(player.until([&] { return in_bar->text().contains(u"loopback-2"_s); }, 10))
        << in_bar->text().toStdString();

    // Three turns more than were allowed, by the keyboard.
    by_palette(u"Budgets"_s);
    ASSERT_TRUE(sheet_open());
    player.key("Ctrl+A");
    player.type(u"4"_s);
    player.key("Return");
    EXPECT_FALSE(sheet_open()) << "Enter sets them";
    wait_for("budget");
    EXPECT_EQ(state_of(only_run()).start.budgets.value("turns", 0), 4);

    let();
    const Json second = request(2);
    EXPECT_EQ(get_string(second, "model"), "loopback-2");
    EXPECT_TRUE(has(second, "mind the second half"));
    EXPECT_TRUE(has(second, "leave the rows as they are"));
    EXPECT_FALSE(has(first, "mind the second half"));
    RunState now = state_of(only_run());
    ASSERT_TRUE(now.turns.contains(2));
    EXPECT_EQ(now.turns.at(2).parent, 0) << "it was forked from the start kernel";

    // Whoever selects the newest turn follows it: turn 1 is not the newest any more once the window has turn 2.
    ASSERT_TRUE(player.until([&] { return state().turns.contains(2); }, 30));

    // The reply of turn 1 is in the transcript, and the person goes on from its text.
    click_turn(1);
    ui::Pane* transcript = player.window().workspace().pane(u"transcript"_s);
    EXPECT_TRUE(player.until([&] { return transcript->text_twin().contains(u"This is reply 1."_s); }, 10))
        << qPrintable(transcript->text_twin());
    player.pane(u"editor"_s);
    ASSERT_TRUE(player.until([&] { return !state().turns.at(1).source.empty(); }, 30));
    player.window().editor()->show_turn(1);
    player.window().editor()->take_into_draft();
    ASSERT_TRUE(player.until([&] { return draft().source().contains("x[1]"); }, 10));
    draft().setFocus();
    player.key("Ctrl+End");
    player.type(u"// by hand"_s);
    by_palette(u"Edit and continue"_s);
    ASSERT_TRUE(sheet_open());
    player.type(u"go on from mine"_s);
    player.key("Return");
    wait_for("edit");
    ASSERT_TRUE(player.until(
        [&] {
            now = state_of(only_run());
            return now.turns.contains(3) && now.turns.at(3).finished;
        },
        60));
    EXPECT_EQ(now.turns.at(3).author, "human");
    EXPECT_EQ(now.turns.at(3).parent, 1) << "the turn whose text was edited";
    let();
    const Json third = request(3);
    EXPECT_TRUE(has(third, "// by hand"));
    EXPECT_TRUE(has(third, "go on from mine"));
    EXPECT_EQ(state_of(only_run()).turns.at(4).parent, 3);

    // With the two turns that it was started with, it would have ended before.
    let(10);
    EXPECT_TRUE(player.until([&] { return player.window().store().status() == RunStatus::finished; }, 60));
    EXPECT_EQ(state().stop->reason, "turns");
    int by_model = 0;
    for (const auto& [number, turn] : state().turns)
        by_model += turn.author == "model" && turn.finished;
    EXPECT_EQ(by_model, 4) << "the person's turn took one of the model's";
}

// A key that is typed for this session reaches the provider, and nothing that stays.
TEST_F(ModelWindowTest, AKeyOfThisSessionIsNowhereElse) {
    const QString secret = u"sk-marked-4c7e19aa52d0"_s;
    const auto finds = [&](const QString& text) { return text.contains(secret) || text.contains(secret.mid(3)); };
    use_scripted_task({"speed 1"});
    use_model(1);
    player.open(faked(), true);
    ASSERT_TRUE(player.until([&] { return !player.window().start_page().task().isEmpty(); }, 20));
    player.act("view.settings");
    auto* field = player.window().findChild<QLineEdit*>(u"provider.key"_s);
    auto* keep = player.window().findChild<QPushButton*>(u"provider.session"_s);
    ASSERT_TRUE(field && keep);
    field->setFocus();
    player.type(secret);
    ASSERT_EQ(field->text(), secret);
    EXPECT_EQ(field->displayText(), QString(secret.size(), field->displayText().at(0))) << "dots";
    // Another text of the same length looks the same.
    field->setCursorPosition(0);
    player.settle(1);
    const QImage typed = field->grab().toImage();
    field->setText(QString(secret.size(), u'W'));
    field->setCursorPosition(0);
    player.settle(1);
    EXPECT_EQ(field->grab().toImage(), typed) << "what is typed can be seen";
    field->setText(secret);
    QGuiApplication::clipboard()->setText(u"nothing"_s);
    player.key("Ctrl+A");
    player.key("Ctrl+C");
    EXPECT_EQ(QGuiApplication::clipboard()->text(), u"nothing"_s);
    const auto accessible_texts = [&] {
        QStringList texts;
        for (auto* widget : player.window().findChildren<QWidget*>()) {
            texts << widget->accessibleName() << widget->accessibleDescription() << widget->toolTip()
                  << widget->statusTip() << widget->objectName();
            if (QAccessibleInterface* one = QAccessible::queryAccessibleInterface(widget)) {
                for (const QAccessible::Text part :
                     {QAccessible::Name, QAccessible::Description, QAccessible::Value, QAccessible::Help})
                    texts << one->text(part);
                if (QAccessibleTextInterface* text = one->textInterface())
                    texts << text->text(0, text->characterCount());
            }
        }
        for (ui::Pane* pane : player.window().workspace().all_panes())
            texts << pane->text_twin();
        return texts.join(u'\n');
    };
    EXPECT_FALSE(finds(accessible_texts())) << "while it stands in the field";
    player.click(keep);
    EXPECT_TRUE(field->text().isEmpty());
    EXPECT_FALSE(field->isUndoAvailable()) << "undo would bring it back";
    EXPECT_FALSE(finds(accessible_texts()));
    player.key("Escape");
    start_by_mouse();
    const Json first = request(1);
    ASSERT_FALSE(first.is_null());
    EXPECT_EQ(authorization(), "Bearer " + secret.toStdString());
    EXPECT_FALSE(qEnvironmentVariableIsSet("KERNELFORGE_SESSION_KEY")) << "only while the run is started";
    EXPECT_FALSE(finds(QString::fromStdString(first.dump())));
    let(10);
    ASSERT_TRUE(player.until([&] { return player.window().store().status() == RunStatus::finished; }, 60));
    EXPECT_FALSE(finds(accessible_texts()));
    player.close(); // session and settings are written
    namespace fs = std::filesystem;
    std::size_t files = 0;
    bool settings_seen = false, journal_seen = false;
    for (const auto& entry : fs::recursive_directory_iterator(player.home().toStdString())) {
        if (!entry.is_regular_file())
            continue;
        ++files;
        settings_seen = settings_seen || entry.path().extension() == ".ini";
        journal_seen = journal_seen || entry.path().filename() == "journal.jsonl";
        const auto bytes = read_file(entry.path());
        ASSERT_TRUE(bytes) << entry.path();
        EXPECT_EQ(bytes->find(secret.mid(3).toStdString()), std::string::npos) << entry.path();
    }
    EXPECT_TRUE(settings_seen && journal_seen) << files << " files";
    EXPECT_FALSE(finds(QGuiApplication::clipboard()->text()));
}

} // namespace
} // namespace kf::scenes
