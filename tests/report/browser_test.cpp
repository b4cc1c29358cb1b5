// SPDX-License-Identifier: GPL-3.0-or-later
// The report in a real browser: at two widths, light and dark, clicked through by keys and links, printed, and without
// scripts. KF_SHOTS=FOLDER keeps the pictures.
#include "tests/report/browser.h"
#include "tests/report/report_fixture.h"

#include <cstdlib>

namespace kf {
namespace {

// Every text that is seen, with its contrast to what lies under it: those below 4.5.
constexpr const char* poor_contrast = R"JS((() => {
  const parse = text => { const m = text.match(/[\d.]+/g).map(Number); return text.startsWith('color(srgb') ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = c => { const l = c.slice(0, 3).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
  const bad = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest('script,title,desc,.sr,.skip')) continue;
    const style = getComputedStyle(element);
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.unshift(parse(getComputedStyle(e).backgroundColor));
    const ground = layers.reduce((under, top) => over(top, under), [255, 255, 255, 1]);
    const ink = over(parse(element.closest('svg') ? style.fill : style.color), ground);
    const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) bad.push(node.data.trim().slice(0, 40) + ' ' + ratio.toFixed(2) + ' ' + element.className.toString());
  }
  return [...new Set(bad)].slice(0, 12).join('\n');
})())JS";

// Controls that a finger cannot hit.
constexpr const char* small_targets =
    R"JS((() => Array.from(document.querySelectorAll('button,input,summary,.point .hit'))
  .filter(e => e.checkVisibility() && !e.closest('.chart.narrow') && e.getBoundingClientRect().height < 23.5)
  .map(e => e.outerHTML.slice(0, 80) + e.getBoundingClientRect().height).slice(0, 5).join('\n'))())JS";

class ReportBrowser : public ReportTest {
protected:
    void SetUp() override {
        ReportTest::SetUp();
        auto started = Browser::start(home / "profile");
        if (!started && started.error().code == "browser-missing")
            GTEST_SKIP()
                << "there is no Chromium here (apt-get install chromium): the page is checked by a parser only";
        ASSERT_TRUE(started) << to_string(started.error());
        browser = std::move(*started);
    }
    void TearDown() override {
        browser.reset();
        ReportTest::TearDown();
    }
    void show(std::string_view name) {
        const auto report = read(fixture(name));
        ASSERT_TRUE(report);
        const auto opened = browser->open(write("shown.html", page(*report)));
        ASSERT_TRUE(opened) << to_string(opened.error());
    }
    Json value(const std::string& expression) {
        auto result = browser->evaluate(expression);
        EXPECT_TRUE(result) << (result ? "" : to_string(result.error()));
        return result ? *result : Json();
    }
    void press(const std::string& key) {
        const auto pressed = browser->press(key);
        EXPECT_TRUE(pressed) << key;
    }
    void keep(const std::string& name, const std::string& bytes) {
        if (const char* folder = std::getenv("KF_SHOTS"))
            std::ofstream(std::filesystem::path(folder) / name, std::ios::binary) << bytes;
    }

    std::unique_ptr<Browser> browser;
};

TEST_F(ReportBrowser, LooksRightAtTwoWidthsInLightAndDark) {
    for (const char* name : {"swiglu", "turns_10000", "failures", "long_names", "hostile"}) {
        show(name);
        std::string light;
        for (const bool dark : {false, true})
            for (const int width : {400, 480, 1440, 1600}) {
                SCOPED_TRACE(std::string(name) + " " + std::to_string(width) + (dark ? " dark" : " light"));
                ASSERT_TRUE(browser->look(width, 1000, dark));
                EXPECT_EQ(value("document.documentElement.scrollWidth <= innerWidth"), true)
                    << "the page scrolls sideways";
                EXPECT_EQ(value("(() => { const t = document.querySelector('table.turns'); return !t || "
                                "t.scrollWidth <= t.parentElement.clientWidth; })()"),
                          true)
                    << "the table is cut";
                EXPECT_EQ(value(poor_contrast), "");
                EXPECT_EQ(value(small_targets), "");
                EXPECT_EQ(value("Array.from(document.querySelectorAll('.chart')).filter(c => c.checkVisibility() && "
                                "c.getBBox().width < 100).length"),
                          0);
                auto picture = browser->picture();
                ASSERT_TRUE(picture);
                EXPECT_EQ(picture->substr(1, 3), "PNG");
                if (width == 1440) {
                    EXPECT_NE(*picture, light) << "light and dark look the same";
                }
                if (width == 1440 && !dark)
                    light = *picture;
                keep(std::string(name) + "-" + std::to_string(width) + (dark ? "-dark" : "-light") + ".png", *picture);
            }
        for (const std::string& trouble : browser->troubles())
            ADD_FAILURE() << name << ": " << trouble;
    }
}

TEST_F(ReportBrowser, KeysWalkFindFoldAndSwapTheColours) {
    show("swiglu");
    ASSERT_TRUE(browser->look(1440, 1000, false));
    const std::string here = "document.activeElement.closest('details.turn')?.id";
    press("j");
    EXPECT_EQ(value(here), "turn-0");
    press("j");
    press("j");
    EXPECT_EQ(value(here), "turn-2");
    press("k");
    EXPECT_EQ(value(here), "turn-1");
    EXPECT_EQ(value("document.getElementById('turn-1').getBoundingClientRect().top < 200"), true);
    EXPECT_EQ(value("document.getElementById('turn-1').open"), true);
    press("Enter");
    EXPECT_EQ(value("document.getElementById('turn-1').open"), false);
    press("o");
    EXPECT_EQ(value("Array.from(document.querySelectorAll('details.turn')).every(t => t.open)"), true);

    press("/");
    EXPECT_EQ(value("document.activeElement.id"), "find");
    for (const char* key : {"c", "r", "a", "s", "h"})
        press(key);
    EXPECT_EQ(value("document.getElementById('find').value"), "crash");
    EXPECT_EQ(value("document.getElementById('turn-5').hidden"), false);
    EXPECT_EQ(value("document.getElementById('turn-8').hidden"), true);
    press("Enter");
    EXPECT_EQ(value(here), "turn-5");
    press("Escape");
    EXPECT_EQ(value("document.querySelectorAll('details.turn[hidden]').length"), 0);

    const std::string ground = "getComputedStyle(document.body).backgroundColor";
    EXPECT_EQ(value(ground), "rgb(244, 246, 249)");
    press("t");
    EXPECT_EQ(value(ground), "rgb(15, 18, 22)");
    press("t");
    EXPECT_EQ(value(ground), "rgb(244, 246, 249)");
    press("?");
    EXPECT_EQ(value("document.getElementById('keys').open"), true);
    press("Escape");
    EXPECT_EQ(value("document.getElementById('keys').open"), false);
    for (const std::string& trouble : browser->troubles())
        ADD_FAILURE() << trouble;
}

TEST_F(ReportBrowser, APointOfTheTimelineLeadsToItsTurn) {
    show("beam"); // so many turns that they are folded; points overlap, the last one lies on top
    ASSERT_TRUE(browser->look(1440, 1000, false));
    const Json turn =
        value("Array.from(document.querySelectorAll('.chart.wide .point')).at(-1).getAttribute('href').slice(1)");
    ASSERT_TRUE(turn.is_string());
    const std::string target = "document.getElementById('" + turn.get<std::string>() + "')";
    EXPECT_EQ(value(target + ".open"), false);
    // Clicked where a person clicks it.
    const Json place =
        value("(() => { const p = Array.from(document.querySelectorAll('.chart.wide .point .hit')).at(-1); "
              "p.scrollIntoView({block: 'center', "
              "behavior: 'instant'}); const r = p.getBoundingClientRect(); return [r.x + 12, r.y + 12]; })()");
    for (const char* type : {"mousePressed", "mouseReleased"})
        ASSERT_TRUE(
            browser->call("Input.dispatchMouseEvent",
                          {{"type", type}, {"x", place[0]}, {"y", place[1]}, {"button", "left"}, {"clickCount", 1}}));
    EXPECT_EQ(value("new Promise(done => setTimeout(() => done(" + target + ".open), 200))"), true);
}

TEST_F(ReportBrowser, PrintsWithEverythingOpenedAndFoldsItAgain) {
    show("swiglu");
    const Json before = value("document.querySelectorAll('details[open]').length");
    auto pdf = browser->pdf();
    ASSERT_TRUE(pdf) << to_string(pdf.error());
    EXPECT_TRUE(pdf->starts_with("%PDF-"));
    EXPECT_GT(pdf->size(), 50'000u);
    EXPECT_EQ(value("document.querySelectorAll('details[open]').length"), before);
    keep("swiglu.pdf", *pdf);
    // What the paper shows, as wide as an A4 page without its margins.
    ASSERT_TRUE(browser->look(720, 1000, true));
    ASSERT_TRUE(browser->call("Emulation.setEmulatedMedia", {{"media", "print"}}));
    EXPECT_EQ(value("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    EXPECT_EQ(value("document.querySelector('.bar').checkVisibility()"), false);
    EXPECT_EQ(value("document.querySelector('th.wide-only.num').checkVisibility()"), true);
    EXPECT_EQ(value("document.querySelector('table.turns').scrollWidth <= innerWidth"), true) << "the table is cut";
    EXPECT_EQ(value(poor_contrast), "");
    ASSERT_TRUE(browser->call("Emulation.setDeviceMetricsOverride",
                              {{"width", 720}, {"height", 3000}, {"deviceScaleFactor", 1}, {"mobile", false}}));
    auto picture = browser->picture();
    ASSERT_TRUE(picture);
    keep("swiglu-print.png", *picture);
}

TEST_F(ReportBrowser, IsWholeWithoutScripts) {
    ASSERT_TRUE(browser->call("Emulation.setScriptExecutionDisabled", {{"value", true}}));
    show("swiglu");
    EXPECT_EQ(value("document.querySelector('.tools').hidden"), true) << "a control that would do nothing";
    EXPECT_EQ(value("document.querySelectorAll('details.turn[open]').length"), 10);
    EXPECT_EQ(value("document.querySelector('.chart.wide') !== null"), true);
}

TEST_F(ReportBrowser, AScriptThatGotInWouldNotRun) {
    const auto report = read(fixture("turns_1"));
    ASSERT_TRUE(report);
    std::string html = page(*report);
    html.insert(
        html.find("<main"),
        "<script>window.intruder = 1</script><img src=\"http://127.0.0.1:9/x\" onerror=\"window.intruder = 2\">");
    ASSERT_TRUE(browser->open(write("forged.html", html)));
    EXPECT_EQ(value("window.intruder === undefined"), true);
    EXPECT_EQ(value("document.querySelector('.tools').hidden"), false) << "our own script runs";
    EXPECT_FALSE(browser->troubles().empty()) << "the browser says what it refused";
}

} // namespace
} // namespace kf
