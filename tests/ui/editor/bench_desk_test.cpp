// SPDX-License-Identifier: GPL-3.0-or-later
// Orders and answers: the newest wins, whatever comes and whenever.
#include "tests/ui/editor/support.h"
#include "ui/editor/bench_desk.h"

#include <gtest/gtest.h>

namespace kf::ui {
namespace {

using What = BenchDesk::What;
using Phase = BenchDesk::Phase;

BenchOrder order(const char* source) {
    BenchOrder result;
    result.source = source;
    return result;
}

TEST(BenchDesk, The_newest_order_wins) {
    FakeJudge judge;
    BenchDesk desk(judge);
    int answers = 0;
    QObject::connect(&desk, &BenchDesk::answered, &desk, [&] { ++answers; });
    desk.order(What::bench, order("one"));
    desk.order(What::bench, order("two"));
    EXPECT_EQ(desk.phase(), Phase::waiting);
    EXPECT_TRUE(desk.waiting_text().startsWith(QStringLiteral("queued: served after the running evaluation · 0.")));

    BenchAnswer replaced;
    replaced.order = 1;
    replaced.replaced = true;
    desk.on_answer(What::bench, replaced);
    desk.on_answer(What::bench, answer(1, faster_screen(2.0, 1, 18), 7));
    desk.on_answer(What::compile, answer(2, faster_screen(2.0, 1, 18), 7));
    EXPECT_EQ(desk.phase(), Phase::waiting) << "an older order's number, or another kind's, is not ours";
    EXPECT_EQ(answers, 0);

    desk.on_progress(2, Json{{"event", "stage_started"}, {"stage", "verify"}});
    EXPECT_TRUE(desk.waiting_text().startsWith(QStringLiteral("checking cases · ")));
    desk.on_answer(What::bench, answer(2, faster_screen(1 / 0.935, 2, 18), 9));
    EXPECT_EQ(desk.phase(), Phase::answered);
    EXPECT_EQ(desk.result().text.toStdString(), "−6.5 % · screen · 2 of 18 cases");
    EXPECT_EQ(desk.result().kind, VerdictKind::faster);
    EXPECT_EQ(desk.turn(), 9);
    EXPECT_EQ(desk.source(), QByteArray("two"));
    EXPECT_EQ(answers, 1);
    desk.on_answer(What::bench, answer(2, failed_compile(1, 1, "late"), 9));
    EXPECT_EQ(desk.result().kind, VerdictKind::faster) << "told once";

    Evaluation all = faster_screen(1 / 0.935, 18, 18);
    desk.update(all);
    EXPECT_EQ(desk.result().text.toStdString(), "−6.5 % · screen · 18 cases");
    EXPECT_DOUBLE_EQ(desk.result().progress, 1.0);
}

TEST(BenchDesk, What_cannot_be_judged_says_why) {
    FakeJudge judge;
    BenchDesk desk(judge);
    desk.order(What::bench, order(" \n"));
    EXPECT_EQ(desk.phase(), Phase::failed);
    EXPECT_TRUE(judge.benches.empty());

    desk.order(What::compile, order("x"));
    desk.on_answer(What::compile, answer(1, failed_compile(3, 4, "no such name"), -1));
    EXPECT_EQ(desk.result().text.toStdString(), "compile error");
    EXPECT_TRUE(desk.result().leads_to_issues);

    desk.order(What::bench, order("x"));
    BenchAnswer infrastructure;
    infrastructure.order = 2;
    infrastructure.outcome.outcome = Outcome::infrastructure;
    infrastructure.outcome.what = "the evaluator was lost";
    infrastructure.outcome.retry_sensible = true;
    desk.on_answer(What::bench, infrastructure);
    EXPECT_EQ(desk.phase(), Phase::failed);
    EXPECT_EQ(desk.error()->remedy, "press F5 again");

    desk.order(What::bench, order("x"));
    BenchAnswer refused;
    refused.order = 3;
    refused.error = make_error("control-lost", "the run does not answer", "start it again");
    desk.on_answer(What::bench, refused);
    EXPECT_EQ(desk.error()->code, "control-lost");
    desk.forget();
    EXPECT_EQ(desk.phase(), Phase::idle);
}

// A judge that answers before it returns (it refuses at once).
class Hasty final : public Judge {
public:
    std::uint64_t bench(const BenchOrder&) override {
        desk->on_answer(What::bench, answer(5, faster_screen(1.5, 1, 1), 3));
        return 5;
    }
    std::uint64_t compile(const QString&, const BenchOrder&) override { return 6; }
    BenchDesk* desk = nullptr;
};

TEST(BenchDesk, An_answer_may_come_before_the_number) {
    Hasty judge;
    BenchDesk desk(judge);
    judge.desk = &desk;
    desk.order(What::bench, order("x"));
    EXPECT_EQ(desk.phase(), Phase::answered);
    EXPECT_EQ(desk.turn(), 3);
}

} // namespace
} // namespace kf::ui
