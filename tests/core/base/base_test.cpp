// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/base/sha256.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace kf {
namespace {

// FIPS 180-4 examples.
TEST(Sha256, KnownVectors) {
    EXPECT_EQ(sha256(std::string_view("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256(std::string_view("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameAsTheWhole) {
    const std::string text(1000, 'x');
    for (const std::size_t cut : {1u, 63u, 64u, 65u, 999u}) {
        Sha256 hash;
        hash.update(std::string_view(text).substr(0, cut));
        hash.update(std::string_view(text).substr(cut));
        EXPECT_EQ(hash.finish(), sha256(text)) << cut;
    }
}

TEST(Sha256, PartsCannotBeConfused) {
    EXPECT_NE(sha256_of_parts({"ab", "c"}), sha256_of_parts({"a", "bc"}));
}

TEST(Checksum64, EveryFlippedByteChangesIt) {
    std::vector<std::byte> data(101, std::byte{7});
    std::set<std::uint64_t> seen{checksum64(data)};
    for (auto& byte : data) {
        byte ^= std::byte{1};
        EXPECT_TRUE(seen.insert(checksum64(data)).second);
        byte ^= std::byte{1};
    }
    EXPECT_NE(checksum64(std::span(data).first(100)), checksum64(data));
}

TEST(Json, ErrorsNameLineAndColumn) {
    const auto result = parse_json("{\n  \"a\": ,\n}", "t.json");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().place, (Place{"t.json", 2, 8}));
    EXPECT_EQ(result.error().code, "json-syntax");
}

TEST(Json, DepthAndSizeAreLimited) {
    EXPECT_EQ(parse_json(std::string(100000, '['), "t").error().code, "json-too-deep");
    EXPECT_EQ(parse_json("[1,2,3]", "t", 3).error().code, "json-too-large");
    EXPECT_TRUE(parse_json("\"" + std::string(1000, '[') + "\"", "t"));
}

TEST(Json, DumpNeverThrows) {
    EXPECT_NO_THROW(dump_line(Json{{"bad", "\xff\xfe"}}));
    EXPECT_EQ(dump_line(Json{{"x", std::numeric_limits<double>::quiet_NaN()}}), "{\"x\":null}");
}

TEST(Files, RoundTripAndErrors) {
    const auto folder = make_private_folder("kf-test-");
    ASSERT_TRUE(folder);
    const auto path = *folder / "a.txt";
    ASSERT_TRUE(write_file_atomic(path, "hello"));
    ASSERT_TRUE(write_file_atomic(path, "world"));
    EXPECT_EQ(*read_file(path), "world");
    EXPECT_EQ(read_file(path, 3).error().code, "file-too-large");
    EXPECT_EQ(read_file(*folder / "none").error().code, "file-missing");
    EXPECT_EQ(read_file(*folder).error().code, "file-unreadable");
    EXPECT_FALSE(write_file_atomic(*folder / "no" / "such", "x"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(*folder), {}), 1);
    std::filesystem::remove_all(*folder);
}

} // namespace
} // namespace kf
