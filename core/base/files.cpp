// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files.h"

#include "core/base/random.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kf {
namespace fs = std::filesystem;
namespace {

struct Fd {
    int fd;
    ~Fd() {
        if (fd >= 0)
            close(fd);
    }
};

Error system_error(std::string code, const std::string& what, const fs::path& path, int number) {
    return make_error(std::move(code), what + ": " + std::strerror(number), {}, Place{path.string(), 0, 0});
}

fs::path from_environment(const char* variable, const char* below_home) {
    if (const char* value = std::getenv(variable); value && *value)
        return value;
    const char* home = std::getenv("HOME");
    return fs::path(home && *home ? home : "/tmp") / below_home;
}

fs::path program_folder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

} // namespace

Result<std::string> read_file(const fs::path& path, std::size_t limit) {
    const Fd file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0)
        return system_error(errno == ENOENT ? "file-missing" : "file-unreadable", "cannot read the file", path, errno);
    struct stat info {};
    if (fstat(file.fd, &info) != 0)
        return system_error("file-unreadable", "cannot read the file", path, errno);
    if (!S_ISREG(info.st_mode))
        return make_error("file-unreadable", "this is not a regular file", "name a file", Place{path.string(), 0, 0});
    std::string content;
    char buffer[65536];
    for (;;) {
        const ssize_t n = read(file.fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return system_error("file-unreadable", "cannot read the file", path, errno);
        if (n == 0)
            return content;
        content.append(buffer, static_cast<std::size_t>(n));
        if (content.size() > limit)
            return make_error("file-too-large", "the file has more than " + std::to_string(limit) + " bytes",
                              "give a smaller file", Place{path.string(), 0, 0});
    }
}

Status write_file_atomic(const fs::path& path, std::string_view content) {
    const fs::path temporary = path.string() + ".tmp-" + random_id(8);
    {
        const Fd file{open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
        if (file.fd < 0)
            return system_error("file-unwritable", "cannot create the file", temporary, errno);
        std::string_view rest = content;
        while (!rest.empty()) {
            const ssize_t n = write(file.fd, rest.data(), rest.size());
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0) {
                const int number = errno;
                unlink(temporary.c_str());
                return system_error("file-unwritable", "cannot write the file", path, number);
            }
            rest.remove_prefix(static_cast<std::size_t>(n));
        }
        if (fsync(file.fd) != 0) {
            const int number = errno;
            unlink(temporary.c_str());
            return system_error("file-unwritable", "cannot write the file", path, number);
        }
    }
    if (rename(temporary.c_str(), path.c_str()) != 0) {
        const int number = errno;
        unlink(temporary.c_str());
        return system_error("file-unwritable", "cannot write the file", path, number);
    }
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const Fd parent{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (parent.fd >= 0)
        fsync(parent.fd);
    return {};
}

Result<fs::path> make_private_folder(const std::string& prefix) {
    const char* tmp = std::getenv("TMPDIR");
    std::string name = (fs::path(tmp && *tmp ? tmp : "/tmp") / (prefix + "XXXXXX")).string();
    if (!mkdtemp(name.data()))
        return system_error("file-unwritable", "cannot create a temporary folder", name, errno);
    return fs::path(name);
}

fs::path cache_folder() {
    if (const char* home = std::getenv("KERNELFORGE_HOME"); home && *home)
        return fs::path(home) / "cache";
    return from_environment("XDG_CACHE_HOME", ".cache") / "kernelforge";
}

fs::path data_folder() {
    if (const char* home = std::getenv("KERNELFORGE_HOME"); home && *home)
        return fs::path(home) / "data";
    return from_environment("XDG_DATA_HOME", ".local/share") / "kernelforge";
}

fs::path resource_folder() {
    if (const char* folder = std::getenv("KERNELFORGE_RESOURCES"); folder && *folder)
        return folder;
    std::error_code ignored;
    const fs::path installed = program_folder().parent_path() / "share" / "kernelforge";
    if (fs::is_directory(installed / "tasks", ignored))
        return installed;
    // A build folder build/<preset>/bin lies inside the source tree.
    for (fs::path folder = program_folder(); folder.has_relative_path(); folder = folder.parent_path())
        if (fs::is_directory(folder / "tasks" / "stage1", ignored) && fs::is_directory(folder / "resources", ignored))
            return folder;
    return installed;
}

fs::path program_path(const std::string& name) {
    std::error_code ignored;
    const fs::path beside = program_folder() / name;
    if (fs::exists(beside, ignored))
        return beside;
    return program_folder().parent_path() / "libexec" / "kernelforge" / name;
}

} // namespace kf
