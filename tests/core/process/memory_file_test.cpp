// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/memory_file.h"
#include "core/process/poll_until.h"

#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>

namespace kf {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}
SteadyTime soon() {
    return after(std::chrono::seconds(20));
}

TEST(MemoryFile, IsSharedThroughItsDescriptor) {
    MemoryFile file = MemoryFile::create("test", 8192).value();
    std::span<std::byte> mine = file.map().value();
    ASSERT_EQ(mine.size(), 8192u);
    EXPECT_EQ(mine[8191], std::byte{0});
    MemoryFile other = MemoryFile::adopt(UniqueFd(dup(file.fd())), 8192, false).value();
    other.map().value()[5] = std::byte{7};
    EXPECT_EQ(mine[5], std::byte{7});
    ASSERT_TRUE(file.resize(16384).ok());
    EXPECT_EQ(file.map().value()[5], std::byte{7});
    EXPECT_GE(file.allocated_bytes(), 4096u);
}

TEST(MemoryFile, SealedBytesCannotChange) {
    MemoryFile file = MemoryFile::from_bytes("test", bytes_of("sealed")).value();
    EXPECT_EQ(write(file.fd(), "x", 1), -1);
    EXPECT_EQ(ftruncate(file.fd(), 0), -1);
    EXPECT_FALSE(file.map().ok());
    const std::span<const std::byte> content = file.map_read_only().value();
    EXPECT_EQ(std::memcmp(content.data(), "sealed", 6), 0);
    EXPECT_TRUE(MemoryFile::adopt(UniqueFd(dup(file.fd())), 6, true).ok());
    EXPECT_EQ(MemoryFile::adopt(UniqueFd(dup(file.fd())), 5, true).error().code, "memory-file-too-large");
}

TEST(MemoryFile, ShrinkSealKeepsPagesButAllowsGrowth) {
    MemoryFile file = MemoryFile::create("test", 4096).value();
    ASSERT_TRUE(file.seal_shrink().ok());
    EXPECT_EQ(ftruncate(file.fd(), 0), -1);
    EXPECT_TRUE(file.resize(8192).ok());
    EXPECT_EQ(file.resize(4096).error().code, "memory-file");
}

TEST(MemoryFile, ForeignDescriptorsAreChecked) {
    EXPECT_FALSE(MemoryFile::adopt(UniqueFd(open("/dev/null", O_RDWR)), 100, false).ok());
    EXPECT_FALSE(MemoryFile::adopt(UniqueFd(-1), 100, false).ok());
    MemoryFile unsealed = MemoryFile::create("test", 10).value();
    EXPECT_EQ(MemoryFile::adopt(UniqueFd(dup(unsealed.fd())), 100, true).error().code, "memory-file-unsealed");
}

TEST(MemoryFile, EmptyFileMapsToNothing) {
    MemoryFile file = MemoryFile::create("test", 0).value();
    EXPECT_TRUE(file.map().value().empty());
    EXPECT_TRUE(file.map_read_only().value().empty());
}

TEST(FdPassing, DescriptorsAndTextArrive) {
    auto [left, right] = make_socket_pair().value();
    MemoryFile file = MemoryFile::from_bytes("test", bytes_of("through the socket")).value();
    const int fds[] = {file.fd(), file.fd()};
    ASSERT_TRUE(send_fds(left.get(), "hello\n", fds, soon()).ok());
    FdMessage message = receive_fds(right.get(), 100, 2, soon()).value();
    EXPECT_EQ(message.text, "hello\n");
    ASSERT_EQ(message.fds.size(), 2u);
    EXPECT_NE(fcntl(message.fds[0].get(), F_GETFD) & FD_CLOEXEC, 0);
    MemoryFile received = MemoryFile::adopt(std::move(message.fds[0]), 1000, true).value();
    EXPECT_EQ(std::memcmp(received.map_read_only().value().data(), "through the socket", 18), 0);
}

TEST(FdPassing, TooManyAreRefusedAndClosed) {
    auto [left, right] = make_socket_pair().value();
    const int fd = open("/dev/null", O_RDONLY);
    const std::vector<int> three(3, fd);
    ASSERT_TRUE(send_fds(left.get(), "x", three, soon()).ok());
    const int before = dup(fd);
    close(before);
    EXPECT_EQ(receive_fds(right.get(), 10, 2, soon()).error().code, "fd-passing");
    const int again = dup(fd); // the lowest free number is the same: nothing leaked
    EXPECT_EQ(again, before);
    close(again);
    EXPECT_EQ(send_fds(left.get(), "x", std::vector<int>(17, fd), soon()).error().code, "fd-passing");
    EXPECT_EQ(send_fds(left.get(), "", three, soon()).error().code, "fd-passing");
    close(fd);
}

TEST(FdPassing, EndAndTimeoutAreTyped) {
    auto [left, right] = make_socket_pair().value();
    EXPECT_EQ(receive_fds(right.get(), 10, 2, after(std::chrono::milliseconds(5))).error().code, "timeout");
    const std::string large(8 << 20, 'x');
    EXPECT_EQ(send_fds(left.get(), large, {}, after(std::chrono::milliseconds(20))).error().code, "timeout");
    left.reset();
    while (receive_fds(right.get(), 1 << 20, 0, soon()).ok()) {
    }
    EXPECT_EQ(receive_fds(right.get(), 10, 2, soon()).error().code, "end-of-stream");
    EXPECT_EQ(send_fds(right.get(), "x", {}, soon()).error().code, "fd-passing");
}

} // namespace
} // namespace kf
