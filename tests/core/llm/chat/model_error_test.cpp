// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/llm/api_key.h"
#include "core/llm/model_error.h"
#include "core/llm/retry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ModelError explained(int status, const std::string& body) {
    return explain_http(HttpAnswer{status, body, {}, {}, {}}, 0);
}

TEST(ModelError, TheProvidersWordsAreFoundInEveryForm) {
    EXPECT_EQ(provider_words(R"({"error":{"message":"one","type":"t"}})"), "one");
    EXPECT_EQ(provider_words(R"({"object":"error","message":"two","code":400})"), "two");
    EXPECT_EQ(provider_words(R"({"detail":"three"})"), "three");
    EXPECT_EQ(provider_words(R"({"detail":[{"loc":["body","messages",0],"msg":"field required"}]})"),
              "body.messages.0: field required");
    EXPECT_EQ(provider_words(R"({"error":"four"})"), "four");
    EXPECT_EQ(
        provider_words(
            R"({"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"inner\"}}"}}})"),
        "Provider returned error: inner");
    EXPECT_EQ(provider_words("<html><head><title>502 Bad Gateway</title></head><body>x</body></html>"),
              "502 Bad Gateway");
    EXPECT_EQ(provider_words("<p>plain <b>words</b></p>"), "plain words");
    EXPECT_EQ(provider_words("upstream connect error\n\n"), "upstream connect error");
    EXPECT_EQ(provider_words(""), "");
    EXPECT_LT(provider_words(std::string(100000, 'x')).size(), 1000u);
}

TEST(ModelError, NothingAProviderSaysReachesTheTerminalAsControl) {
    const std::string words = provider_words("a\x1b[31m\tb\xc2\x9b"
                                             "2J\x07\xff c");
    for (const char c : words)
        EXPECT_GE(static_cast<unsigned char>(c), 0x20u);
    EXPECT_THAT(words, Not(HasSubstr("\xc2\x9b")));
}

TEST(ModelError, OverflowWhateverTheWording) {
    for (const char* words :
         {"This model's maximum context length is 131072 tokens. However, you requested 140000 tokens",
          "Input length (9001) exceeds the maximum allowed length (8192)",
          "the request exceeds the available context size", "prompt is too long: 210000 tokens > 200000 maximum",
          "`inputs` tokens + `max_new_tokens` must be <= 4096",
          "The input token count exceeds the maximum number of tokens allowed",
          "Requested tokens exceed context window of 2048", "This endpoint's maximum context length is 40960 tokens",
          "too many tokens in prompt: maximum is 100"}) {
        for (const int status : {400, 422, 500})
            EXPECT_EQ(explained(status, Json{{"error", {{"message", words}}}}.dump()).failure, ModelFailure::overflow)
                << words;
    }
    EXPECT_EQ(explained(400, R"({"error":{"message":"no","code":"context_length_exceeded"}})").failure,
              ModelFailure::overflow);
    for (const char* words :
         {"temperature must be between 0 and 2", "max_tokens must be at least 1", "invalid model", ""})
        EXPECT_EQ(explained(400, Json{{"error", {{"message", words}}}}.dump()).failure, ModelFailure::bad_request)
            << words;
}

TEST(ModelError, SomeTooManyRequestsAreNotMendedByWaiting) {
    EXPECT_EQ(explained(429, R"({"error":{"message":"Rate limit reached"}})").failure, ModelFailure::rate_limited);
    EXPECT_EQ(
        explained(
            429,
            R"({"error":{"message":"Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 90000"}})")
            .failure,
        ModelFailure::too_large);
    EXPECT_EQ(explained(429, R"({"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}})")
                  .failure,
              ModelFailure::payment);
}

TEST(ModelError, ARedirectNamesTheHostOnly) {
    const ModelError error =
        explain_http(HttpAnswer{302, {}, {}, {}, "https://user:pw@evil.example:8443/steal?key=1"}, 0);
    EXPECT_EQ(error.failure, ModelFailure::redirect);
    EXPECT_THAT(error.message, HasSubstr("evil.example:8443"));
    EXPECT_THAT(error.message, Not(HasSubstr("steal")));
    EXPECT_THAT(error.message, Not(HasSubstr("pw")));
    EXPECT_THAT(explain_http(HttpAnswer{301, {}, {}, {}, "/v2/chat"}, 0).message, HasSubstr("the same host"));
}

TEST(ModelError, RetryAfterIsSecondsOrAnyHttpDate) {
    constexpr std::int64_t now = 784111777; // Sun, 06 Nov 1994 08:49:37 GMT
    EXPECT_EQ(parse_retry_after("120", now), 120);
    EXPECT_EQ(parse_retry_after(" 1.5 ", now), 1.5);
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now), 60);
    EXPECT_EQ(parse_retry_after("Sunday, 06-Nov-94 08:50:37 GMT", now), 60);
    EXPECT_EQ(parse_retry_after("Sun Nov  6 08:50:37 1994", now), 60);
    EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:00:00 GMT", now), 0); // over already
    for (const char* bad :
         {"", "soon", "-5", "nan", "inf", "Sun, 99 Nov 1994 08:50:37 GMT", "Sun, 06 Nov 1994 25:50:37 GMT"})
        EXPECT_EQ(parse_retry_after(bad, now), std::nullopt) << bad;
}

TEST(ModelError, SecretsAreTakenOut) {
    EXPECT_EQ(without_secret("key sk-1 and sk-1.", "sk-1"), "key (key hidden) and (key hidden).");
    EXPECT_EQ(without_secret("Authorization: Bearer abcdefghijkl, x", ""), "Authorization: Bearer (key hidden), x");
    EXPECT_EQ(without_secret("a bearer of news", ""), "a bearer of news");
}

TEST(Retry, OnlyWhatWaitingMendsBeforeTheFirstPiece) {
    const RetryPolicy policy;
    for (int i = 0; i < 20; ++i) {
        ModelError error;
        error.failure = static_cast<ModelFailure>(i);
        const bool mended = error.failure == ModelFailure::unreachable || error.failure == ModelFailure::rate_limited ||
                            error.failure == ModelFailure::server;
        EXPECT_EQ(wait_before_retry(policy, error, 1, 0.5).has_value(), mended) << to_string(error.failure);
        error.partial.pieces.emplace_back();
        EXPECT_FALSE(wait_before_retry(policy, error, 1, 0.5)) << to_string(error.failure);
    }
}

TEST(Retry, WaitsDoubleWithJitterUpToTheLimit) {
    const RetryPolicy policy;
    ModelError error;
    error.failure = ModelFailure::server;
    EXPECT_DOUBLE_EQ(*wait_before_retry(policy, error, 1, 0), 0.5);
    EXPECT_DOUBLE_EQ(*wait_before_retry(policy, error, 3, 0), 2);
    EXPECT_LT(*wait_before_retry(policy, error, 4, 0.999), 8);
    EXPECT_FALSE(wait_before_retry(policy, error, 5, 0));
    RetryPolicy patient;
    patient.tries = 100;
    EXPECT_DOUBLE_EQ(*wait_before_retry(patient, error, 50, 0), 15);
    error.retry_after_s = 45; // above the cap, honoured
    EXPECT_GE(*wait_before_retry(policy, error, 1, 0), 45);
    error.retry_after_s = 3600;
    EXPECT_FALSE(wait_before_retry(policy, error, 1, 0));
}

TEST(ApiKey, IsNeverPrintedAndNeverBreaksAHeader) {
    const Result<ApiKey> key = ApiKey::make(" sk-abc\n");
    ASSERT_TRUE(key);
    EXPECT_EQ(key->reveal(), "sk-abc");
    EXPECT_EQ(to_string(*key), "(hidden)");
    EXPECT_EQ(to_string(ApiKey()), "none");
    EXPECT_EQ(ApiKey::make("  ").error().code, "key-empty");
    for (const char* bad : {"a b", "a\r\nHost: evil", "é"}) {
        const Result<ApiKey> refused = ApiKey::make(bad);
        ASSERT_FALSE(refused) << bad;
        EXPECT_THAT(to_string(refused.error()), Not(HasSubstr(bad)));
    }
}

} // namespace
} // namespace kf
