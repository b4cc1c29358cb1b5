// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/process/memory_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace kf {
namespace {

constexpr int kSealSize = F_SEAL_GROW | F_SEAL_SHRINK;
constexpr int kSealAll = kSealSize | F_SEAL_WRITE | F_SEAL_SEAL;

Error memory_error(const std::string& what, int number) {
    std::string remedy;
    if (number == ENOSPC || number == ENOMEM)
        remedy = "free memory or ask for less";
    return make_error("memory-file", what + ": " + std::strerror(number), remedy);
}

} // namespace

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : m_fd(std::move(other.m_fd)), m_size(std::exchange(other.m_size, 0)),
      m_data(std::exchange(other.m_data, nullptr)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
    if (this != &other) {
        unmap();
        m_fd = std::move(other.m_fd);
        m_size = std::exchange(other.m_size, 0);
        m_data = std::exchange(other.m_data, nullptr);
    }
    return *this;
}

MemoryFile::~MemoryFile() {
    unmap();
}

Result<MemoryFile> MemoryFile::create(const std::string& name, std::size_t bytes) {
    MemoryFile file;
    file.m_fd.reset(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file.m_fd)
        return memory_error("cannot create shared memory", errno);
    if (const Status status = file.resize(bytes); !status)
        return status.error();
    return file;
}

Result<MemoryFile> MemoryFile::from_bytes(const std::string& name, std::span<const std::byte> content) {
    Result<MemoryFile> file = create(name, content.size());
    if (!file)
        return file;
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t n = pwrite(file->fd(), content.data() + done, content.size() - done, static_cast<off_t>(done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return memory_error("cannot fill shared memory", n < 0 ? errno : EIO);
        done += static_cast<std::size_t>(n);
    }
    if (const Status status = file->seal(); !status)
        return status.error();
    return file;
}

Result<MemoryFile> MemoryFile::adopt(UniqueFd fd, std::size_t limit, bool require_sealed) {
    struct stat info {};
    if (fstat(fd.get(), &info) != 0)
        return memory_error("cannot look at the received shared memory", errno);
    const int seals = fcntl(fd.get(), F_GET_SEALS);
    if (!S_ISREG(info.st_mode) || seals < 0)
        return make_error("memory-file", "the received descriptor is not a memory file");
    if (require_sealed && (seals & (kSealSize | F_SEAL_WRITE)) != (kSealSize | F_SEAL_WRITE))
        return make_error("memory-file-unsealed", "the received memory file could still be changed by its sender",
                          "seal it before sending");
    if (static_cast<std::uintmax_t>(info.st_size) > limit)
        return make_error("memory-file-too-large", "the received memory file has " + std::to_string(info.st_size) +
                                                       " bytes; at most " + std::to_string(limit) + " are accepted");
    MemoryFile file;
    file.m_fd = std::move(fd);
    file.m_size = static_cast<std::size_t>(info.st_size);
    return file;
}

Status MemoryFile::resize(std::size_t bytes) {
    unmap();
    if (ftruncate(m_fd.get(), static_cast<off_t>(bytes)) != 0)
        return memory_error("cannot set the size of shared memory to " + std::to_string(bytes) + " bytes", errno);
    m_size = bytes;
    return {};
}

Result<void*> MemoryFile::map_with(int protection) {
    unmap();
    if (m_size == 0)
        return static_cast<void*>(nullptr);
    void* data = mmap(nullptr, m_size, protection, MAP_SHARED, m_fd.get(), 0);
    if (data == MAP_FAILED)
        return memory_error("cannot map shared memory", errno);
    m_data = data;
    return data;
}

Result<std::span<std::byte>> MemoryFile::map() {
    const Result<void*> data = map_with(PROT_READ | PROT_WRITE);
    if (!data)
        return data.error();
    return bytes();
}

Result<std::span<const std::byte>> MemoryFile::map_read_only() {
    // A file sealed against writing refuses even a shared mapping that could be made writable later (before Linux 6.7).
    unmap();
    if (m_size == 0)
        return std::span<const std::byte>();
    void* data = mmap(nullptr, m_size, PROT_READ, MAP_PRIVATE, m_fd.get(), 0);
    if (data == MAP_FAILED)
        return memory_error("cannot map shared memory", errno);
    m_data = data;
    return std::span<const std::byte>(bytes());
}

void MemoryFile::unmap() {
    if (m_data)
        munmap(m_data, m_size);
    m_data = nullptr;
}

Status MemoryFile::seal() {
    unmap();
    if (fcntl(m_fd.get(), F_ADD_SEALS, kSealAll) != 0)
        return memory_error("cannot seal shared memory", errno);
    return {};
}

Status MemoryFile::seal_shrink() {
    if (fcntl(m_fd.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0)
        return memory_error("cannot seal the size of shared memory", errno);
    return {};
}

std::uint64_t MemoryFile::allocated_bytes() const {
    struct stat info {};
    return fstat(m_fd.get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_blocks) * 512 : 0;
}

} // namespace kf
