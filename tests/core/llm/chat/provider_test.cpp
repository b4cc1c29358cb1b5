// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/llm/chat_body.h"
#include "core/llm/provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ProviderList ours() {
    const Result<std::string> text = read_file(std::string(KF_SOURCE_DIR) + "/resources/providers.json");
    EXPECT_TRUE(text);
    Result<ProviderList> list = parse_providers(*text, "providers.json");
    EXPECT_TRUE(list) << to_string(list.error());
    return list ? *list : ProviderList{};
}

TEST(Provider, OursAreRead) {
    const ProviderList list = ours();
    const Provider* nebius = list.find("nebius");
    ASSERT_TRUE(nebius);
    EXPECT_EQ(list.default_id, "nebius");
    EXPECT_EQ(nebius->default_model, "nvidia/nemotron-3-super-120b-a12b");
    EXPECT_THAT(nebius->key_variables, ::testing::Contains("NEBIUS_API_KEY"));
    for (const char* id : {"openrouter", "vllm", "llama.cpp", "ollama", "lmstudio"})
        EXPECT_TRUE(list.find(id)) << id;
}

TEST(Provider, TheUsersFileIsLaidOver) {
    const Result<ProviderList> list = parse_providers(
        R"({"default":"mine","providers":[{"id":"nebius","context_tokens":9000},
            {"id":"mine","base_url":"HTTP://Box:8000/v1/","models":[{"id":"m","price_in":2,"price_out":10,"context_tokens":777}]}]})",
        "user.json", ours());
    ASSERT_TRUE(list) << to_string(list.error());
    EXPECT_EQ(list->find("nebius")->context_tokens, 9000);
    EXPECT_EQ(list->find("nebius")->name, "Nebius Token Factory");
    const Provider& mine = *list->find("mine");
    EXPECT_EQ(mine.base_url, "http://box:8000/v1");
    EXPECT_EQ(mine.context_of("m"), 777);
    EXPECT_EQ(mine.context_of("other"), 131072);
    EXPECT_DOUBLE_EQ(mine.price("m", TokenUsage{1'000'000, 500'000}), 7);
    EXPECT_TRUE(mine.knows_cost("m"));
    EXPECT_FALSE(mine.knows_cost("other")) << "no price is known";
    EXPECT_EQ(list->default_id, "mine");
}

TEST(Provider, WhatIsWrongIsNamedWithItsLine) {
    struct Bad {
        const char* text;
        const char* says;
        int line;
    };
    const Bad bads[] = {
        {"{\n \"providers\": [\n  {\"id\":\"a\",\n   \"base_url\":\"http://x/v1\",\n   \"contxt\": 1}\n ]}", "contxt",
         5},
        {"{\n \"providers\": [\n  {\"id\":\"a\",\"base_url\":\"http://x\"},\n  {\"id\":\"b\",\n   "
         "\"base_url\":\"ftp://x\"}]}",
         "providers[1].base_url", 5},
        {"{\"providers\": [{\"id\":\"a\",\"base_url\":\"http://x\",\n\"headers\":{\"Authorization\":\"Bearer "
         "hunter2\"}}]}",
         "secret", 2},
        {"{\"providers\": [{\"id\":\"a\",\"base_url\":\"http://x\",\n\n\"reasoning\":\"magic\"}]}", "magic", 3},
        {"{\"providers\": [{\"id\":\"a\",\"base_url\":\"http://x\",\n\"context_tokens\":-4}]}", "tokens", 2},
        {"{\"providers\": [{\"id\":\"a\",\"base_url\":\"http://x\",\n\"key_variables\":[\"sk-123\"]}]}", "never a key",
         2},
        {"{\"providers\": [{\"id\":\"a\",\"base_url\":\"http://x\"},\n{\"id\":\"a\",\"base_url\":\"http://y\"}]}",
         "above", 2},
        {"{\n\"default\": \"nobody\"}", "nobody", 2},
        {"{\n\"providers\": 7}", "list", 2},
        {"{\n\"providers\": [}", "", 2},
        {"7", "object", 1},
    };
    for (const Bad& bad : bads) {
        const Result<ProviderList> list = parse_providers(bad.text, "user.json", ours());
        ASSERT_FALSE(list) << bad.text;
        EXPECT_THAT(list.error().message, HasSubstr(bad.says));
        EXPECT_EQ(list.error().place.file, "user.json");
        EXPECT_EQ(list.error().place.line, bad.line) << to_string(list.error());
        EXPECT_THAT(to_string(list.error()), Not(HasSubstr("hunter2")));
    }
}

TEST(Provider, AnyUrlIsAProviderAndNoStrangerGetsAKnownKey) {
    const ProviderList list = ours();
    const Result<Provider> box = choose_provider(list, "http://gpu7:8000/v1/chat/completions");
    ASSERT_TRUE(box);
    EXPECT_EQ(box->base_url, "http://gpu7:8000/v1");
    EXPECT_THAT(box->key_variables, ::testing::ElementsAre("KERNELFORGE_API_KEY"));
    EXPECT_EQ(choose_provider(list, "https://api.tokenfactory.nebius.com/v1/")->id, "nebius");
    EXPECT_EQ(choose_provider(list, "http://api.tokenfactory.nebius.com/v1/")->id, "url"); // not encrypted: a stranger
    EXPECT_EQ(choose_provider(list, "https://api.tokenfactory.nebius.com.evil.example/v1")->id, "url");
    EXPECT_EQ(choose_provider(list, "")->id, "nebius");
    EXPECT_THAT(choose_provider(list, "nebus").error().remedy, HasSubstr("nebius"));
    EXPECT_THAT(to_string(choose_provider(list, "http://me:hunter2@box/v1").error()), Not(HasSubstr("hunter2")));
    EXPECT_THAT(to_string(choose_provider(list, "http://box/v1?key=hunter2").error()), Not(HasSubstr("hunter2")));
    for (const char* hidden :
         {"http://me:hun/ter2@box/v1", "me:ter2@box/v1", "box/v1?key=ter2", "http://box/v1#ter2"}) {
        const Result<Provider> refused = choose_provider(list, hidden);
        ASSERT_FALSE(refused) << hidden;
        EXPECT_EQ(refused.error().code, "provider-url") << hidden;
        EXPECT_THAT(to_string(refused.error()), Not(HasSubstr("ter2")));
    }
    for (const char* bad : {"http://", "http:///v1", "http://:80", "ftp://x/v1", "http://a b/v1"})
        EXPECT_FALSE(choose_provider(list, bad)) << bad;
}

ChatRequest request(ReasoningEffort effort) {
    ChatRequest one;
    one.messages = {{"system", "s"}, {"user", "u"}};
    one.reasoning = effort;
    return one;
}

TEST(ChatBody, NemotronIsToldByItsChatTemplateNeverByEffort) {
    Provider provider = *ours().find("nebius");
    const Json off = chat_body(request(ReasoningEffort::off), provider);
    EXPECT_EQ(off["model"], "nvidia/nemotron-3-super-120b-a12b");
    EXPECT_EQ(off["chat_template_kwargs"], (Json{{"enable_thinking", false}}));
    const Json low = chat_body(request(ReasoningEffort::low), provider);
    EXPECT_EQ(low["chat_template_kwargs"], (Json{{"enable_thinking", true}, {"low_effort", true}}));
    EXPECT_FALSE(chat_body(request(ReasoningEffort::automatic), provider).contains("chat_template_kwargs"));
    provider.reasoning = ReasoningSwitch::effort;
    for (const ReasoningEffort effort : {ReasoningEffort::off, ReasoningEffort::low, ReasoningEffort::full})
        EXPECT_FALSE(chat_body(request(effort), provider).contains("reasoning_effort"));
}

TEST(ChatBody, EachDialectHasItsFields) {
    const ProviderList list = ours();
    const Json openai = chat_body(request(ReasoningEffort::low), *list.find("openai"));
    EXPECT_EQ(openai["max_completion_tokens"], 16384);
    EXPECT_FALSE(openai.contains("max_tokens"));
    EXPECT_EQ(openai["reasoning_effort"], "low");
    const Json router = chat_body(request(ReasoningEffort::off), *list.find("openrouter"));
    EXPECT_EQ(router["reasoning"], (Json{{"enabled", false}}));
    EXPECT_EQ(router["usage"], (Json{{"include", true}})) << "so that it tells the cost";
    EXPECT_TRUE(list.find("openrouter")->knows_cost("any"));
    EXPECT_FALSE(openai.contains("usage"));
    EXPECT_EQ(router["stream_options"], (Json{{"include_usage", true}}));
    Provider old = *list.find("vllm");
    old.reasoning = ReasoningSwitch::system_line;
    EXPECT_EQ(chat_body(request(ReasoningEffort::off), old)["messages"][0]["content"], "detailed thinking off\n\ns");
    const Json plain = chat_body(request(ReasoningEffort::full), *list.find("ollama"));
    for (const char* field : {"reasoning", "reasoning_effort", "chat_template_kwargs", "temperature", "seed"})
        EXPECT_FALSE(plain.contains(field)) << field;
}

} // namespace
} // namespace kf
