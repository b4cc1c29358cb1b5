// SPDX-License-Identifier: GPL-3.0-or-later
// Where a key comes from, that it is asked for first, and that no child ever sees one.
#include "core/base/files.h"
#include "core/net/keys.h"
#include "core/process/child.h"
#include "core/process/environment.h"

#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kf::net {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* secret = "SECRETKEY-4711-planted";

class KeysTest : public ::testing::Test {
protected:
    KeysTest() {
        m_folder = *make_private_folder("kf-keys-");
        setenv("KERNELFORGE_HOME", m_folder.c_str(), 1);
        // No session bus: there is no keyring here, whatever the machine has.
        setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", 1);
        provider.id = "loop";
        provider.base_url = "http://127.0.0.1:8000/v1";
        provider.key_variables = {"LOOP_FIRST_API_KEY", "LOOP_SECOND_API_KEY"};
    }
    ~KeysTest() override {
        for (const char* name : {"LOOP_FIRST_API_KEY", "LOOP_SECOND_API_KEY", "KERNELFORGE_HOME"})
            unsetenv(name);
        std::error_code ignored;
        fs::remove_all(m_folder, ignored);
    }
    std::string everything_written() const {
        std::string all;
        for (const auto& entry : fs::recursive_directory_iterator(m_folder))
            if (entry.is_regular_file())
                all += *read_file(entry.path());
        return all;
    }

    fs::path m_folder;
    Provider provider;
    Keys keys{Keyring{2}};
};

TEST_F(KeysTest, TheEnvironmentIsAskedForFirstAndRemembered) {
    EXPECT_EQ(keys.find(provider).origin, KeyOrigin::none);
    setenv("LOOP_SECOND_API_KEY", secret, 1);
    FoundKey found = keys.find(provider);
    EXPECT_EQ(found.origin, KeyOrigin::environment);
    EXPECT_EQ(found.variable, "LOOP_SECOND_API_KEY");
    EXPECT_FALSE(found.agreed);
    EXPECT_THAT(to_string(found), HasSubstr("LOOP_SECOND_API_KEY"));
    EXPECT_THAT(to_string(found), Not(HasSubstr(secret)));
    ASSERT_TRUE(keys.agree(provider, found.variable));
    EXPECT_TRUE(keys.find(provider).agreed);
    EXPECT_TRUE(Keys(Keyring{2}).find(provider, false).agreed); // in the next session too
    Provider moved = provider;
    moved.base_url = "http://elsewhere:8000/v1";
    EXPECT_FALSE(keys.find(moved, false).agreed); // another address is another question
    EXPECT_THAT(everything_written(), Not(HasSubstr(secret)));
    EXPECT_THAT(everything_written(), HasSubstr("LOOP_SECOND_API_KEY"));
}

TEST_F(KeysTest, TheFirstVariableWinsAndABadOneIsNamed) {
    setenv("LOOP_FIRST_API_KEY", "two words", 1);
    FoundKey found = keys.find(provider, false);
    EXPECT_EQ(found.origin, KeyOrigin::none);
    EXPECT_THAT(found.problem, HasSubstr("LOOP_FIRST_API_KEY"));
    EXPECT_THAT(found.problem, Not(HasSubstr("two words")));
    setenv("LOOP_SECOND_API_KEY", "second", 1);
    EXPECT_EQ(keys.find(provider, false).key.reveal(), "second");
    setenv("LOOP_FIRST_API_KEY", "first", 1);
    EXPECT_EQ(keys.find(provider, false).key.reveal(), "first");
}

TEST_F(KeysTest, WithoutAKeyringAKeyIsKeptForTheSessionAndInNoFile) {
    const Status stored = keys.store(provider, *ApiKey::make(secret));
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().code, "no-keyring");
    EXPECT_THAT(to_string(stored.error()), Not(HasSubstr(secret)));
    const FoundKey found = keys.find(provider);
    EXPECT_EQ(found.origin, KeyOrigin::session);
    EXPECT_EQ(found.key.reveal(), secret);
    EXPECT_TRUE(found.agreed);
    EXPECT_THAT(everything_written(), Not(HasSubstr(secret)));
    EXPECT_FALSE(keys.forget(provider)); // the keyring cannot be asked; the session's key is gone all the same
    EXPECT_EQ(keys.find(provider).origin, KeyOrigin::none);
}

TEST_F(KeysTest, NoChildSeesAnyProvidersKey) {
    const Result<ProviderList> list =
        parse_providers(*read_file(std::string(KF_SOURCE_DIR) + "/resources/providers.json"), "providers.json");
    ASSERT_TRUE(list);
    std::vector<std::string> names = key_variables(*list);
    ASSERT_THAT(names, ::testing::IsSupersetOf({"NEBIUS_API_KEY", "OPENROUTER_API_KEY", "KERNELFORGE_API_KEY"}));
    names.push_back("LC_MINE"); // a user's own name for one, which nothing gives away
    withhold_from_children(names);
    for (const std::string& name : names) {
        setenv(name.c_str(), secret, 1);
        ChildSpec asking;
        asking.argv = {"env"};
        asking.pass_env = {name};
        EXPECT_FALSE(Child::start(asking)) << name;
    }
    ChildSpec spec;
    spec.argv = {"env"};
    spec.pass_home = true;
    RunLimits limits;
    limits.deadline = after(std::chrono::seconds(30));
    const Result<Finished> finished = run_to_end(spec, limits);
    for (const std::string& name : names)
        unsetenv(name.c_str());
    ASSERT_TRUE(finished);
    EXPECT_THAT(finished->out, HasSubstr("PATH="));
    EXPECT_THAT(finished->out, Not(HasSubstr(secret)));
}

} // namespace
} // namespace kf::net
