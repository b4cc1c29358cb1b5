// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/texts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kf::ui {
namespace {

TEST(Texts, ASpeedUpBecomesAChangeOfTime) {
    const Change win = change_of({1.0715, 1.0692, 1.0738});
    EXPECT_NEAR(win.percent, -6.673, 1e-3);
    // The time lies in [1/1.0738, 1/1.0692] = [0.93127, 0.93528]: half of that is 0.2 %.
    EXPECT_NEAR(win.half, 0.2003, 1e-3);
    EXPECT_EQ(change_text({1.0715, 1.0692, 1.0738}), u"−6.7 % ± 0.2");
    EXPECT_EQ(change_text({0.9814, 0.9785, 0.9843}), u"+1.9 % ± 0.3");
    EXPECT_EQ(change_text({1.0, 0.996, 1.004}), u"0.0 % ± 0.4");
    EXPECT_EQ(change_text({1.0715, 1.0714, 1.0716}), u"−6.67 % ± 0.01");
    EXPECT_EQ(change_text({0.25, 0.24, 0.26}), u"+300 % ± 16");
    EXPECT_EQ(change_text({2, 0, 0}), u"−50.0 %"); // unbounded
    EXPECT_EQ(change_text({2, 1.5, std::numeric_limits<double>::infinity()}), u"−50.0 %");
    for (const double none :
         {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        EXPECT_EQ(change_text({none, 1, 1}), u"") << none;
}

TEST(Texts, Figures) {
    EXPECT_EQ(speed_text(1.1612), u"1.16×");
    EXPECT_EQ(speed_text(11.84), u"11.8×");
    EXPECT_EQ(speed_text(0), u"");
    EXPECT_EQ(time_text(1.512e-3, {QStringLiteral("ms"), 1e-3, 3, true}), u"1.512");
    EXPECT_EQ(time_text(std::nan(""), {}), u"");
    EXPECT_EQ(time_with_unit(0, {}), u"");
    EXPECT_EQ(plain("a\nb\x1b[31mc\xff").contains(u'\n'), false);
    EXPECT_EQ(error_text({}), u"");
    EvaluationFigures infinite;
    infinite.compared = true;
    infinite.max_error = std::numeric_limits<double>::infinity();
    EXPECT_EQ(error_text(infinite), u"not finite");
}

TEST(Texts, SlimResultsGiveTheSameFigures) {
    const Json result{{"cases_total", 18},
                      {"cases",
                       {{{"passed", true}, {"comparisons", {{{"max_abs_error", 0.5}, {"map", {1, 2, 3}}}}}},
                        {{"passed", false}, {"comparisons", {{{"max_abs_error", "inf"}, {"worst_row_ratio", 3}}}}}}},
                      {"failure",
                       {{"pattern", "row"},
                        {"place", "out"},
                        {"message", "m"},
                        {"evidence", std::string(8000, 'x')},
                        {"case", {{"passed", false}, {"comparisons", {{{"max_abs_error", 2}}}}}}}},
                      {"duel", {{"decision", {{"rounds", 6}, {"reason", "budget"}, {"p", 0.5}}}}}};
    const Json slim = slim_result(result);
    EXPECT_LT(slim.dump().size(), 600u);
    const auto a = evaluation_figures({{"result", result}}), b = evaluation_figures({{"result", slim}});
    EXPECT_EQ(a.cases, 2);
    EXPECT_EQ(a.pattern, "row");
    EXPECT_FALSE(a.correct);
    EXPECT_TRUE(std::isinf(a.max_error));
    EXPECT_EQ(a.cases, b.cases);
    EXPECT_EQ(a.cases_total, b.cases_total);
    EXPECT_EQ(a.max_error, b.max_error);
    EXPECT_EQ(a.error_ratio, b.error_ratio);
    EXPECT_EQ(a.correct, b.correct);
    EXPECT_EQ(a.pattern + a.place + a.message + a.reason, b.pattern + b.place + b.message + b.reason);
    EXPECT_EQ(a.rounds, b.rounds);
    for (const Json& strange : {Json(), Json(7), Json::array({1}), Json{{"cases", 3}, {"failure", "x"}, {"duel", {1}}}})
        EXPECT_EQ(evaluation_figures({{"result", slim_result(strange)}}).cases, 0);
}

} // namespace
} // namespace kf::ui
