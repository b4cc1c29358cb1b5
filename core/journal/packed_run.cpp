// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/packed_run.h"

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/base/unique_fd.h"
#include "core/journal/reader.h"
#include "core/journal/run_folder.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace kf {
namespace fs = std::filesystem;
namespace {

using ArchiveWriter = std::unique_ptr<archive, decltype(&archive_write_free)>;
using ArchiveReader = std::unique_ptr<archive, decltype(&archive_read_free)>;
using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

Error fail(const char* code, std::string message, const fs::path& file, std::string remedy = {}) {
    return make_error(code, std::move(message), std::move(remedy), Place{file.string(), 0, 0});
}

std::string text_of(archive* a) {
    const char* text = archive_error_string(a);
    return text ? text : "unknown error";
}

bool is_hash(std::string_view text) {
    return text.size() == 64 && std::all_of(text.begin(), text.end(),
                                            [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// ---- packing

// Adds exactly `size` bytes of the file: a journal may grow meanwhile.
Status add_member(archive* out, const fs::path& source, const std::string& name, std::uint64_t size,
                  const fs::path& target) {
    const UniqueFd file(open(source.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file)
        return fail("journal-unreadable", std::string("cannot read: ") + std::strerror(errno), source);
    struct stat info {};
    fstat(file.get(), &info);
    const Entry entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), info.st_mtime, 0);
    if (archive_write_header(out, entry.get()) != ARCHIVE_OK)
        return fail("packed-unwritable", "cannot write: " + text_of(out), target);
    std::string block(std::size_t{1} << 16, '\0');
    while (size > 0) {
        const ssize_t n = read(file.get(), block.data(), std::min<std::uint64_t>(block.size(), size));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail("journal-unreadable", "the file became shorter while it was packed", source);
        if (archive_write_data(out, block.data(), static_cast<std::size_t>(n)) != n)
            return fail("packed-unwritable", "cannot write: " + text_of(out), target);
        size -= static_cast<std::uint64_t>(n);
    }
    return {};
}

Status write_archive(const fs::path& run_folder, std::uint64_t journal_bytes, const std::string& name,
                     const fs::path& temporary) {
    const ArchiveWriter out(archive_write_new(), archive_write_free);
    archive_write_set_format_pax_restricted(out.get());
    if (archive_write_add_filter_zstd(out.get()) != ARCHIVE_OK)
        archive_write_add_filter_gzip(out.get());
    const UniqueFd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!fd)
        return fail("packed-unwritable", std::string("cannot write: ") + std::strerror(errno), temporary);
    if (archive_write_open_fd(out.get(), fd.get()) != ARCHIVE_OK)
        return fail("packed-unwritable", "cannot write: " + text_of(out.get()), temporary);
    if (Status added =
            add_member(out.get(), run_folder / "journal.jsonl", name + "/journal.jsonl", journal_bytes, temporary);
        !added)
        return added;
    std::error_code error;
    std::vector<fs::path> blobs;
    for (fs::directory_iterator it(run_folder / "blobs", error), end; !error && it != end; it.increment(error))
        if (is_hash(it->path().filename().string()) && it->is_regular_file(error))
            blobs.push_back(it->path());
    std::sort(blobs.begin(), blobs.end()); // equal runs give equal archives
    for (const fs::path& blob : blobs)
        if (Status added = add_member(out.get(), blob, name + "/blobs/" + blob.filename().string(),
                                      fs::file_size(blob, error), temporary);
            !added)
            return added;
    if (archive_write_close(out.get()) != ARCHIVE_OK || fsync(fd.get()) != 0)
        return fail("packed-unwritable", "cannot write: " + text_of(out.get()), temporary);
    return {};
}

// ---- unpacking

enum class Member { journal, blob, folder, other, hostile };

// `name` of the run is learnt from the first member.
Member classify(archive_entry* entry, std::string_view path, std::string& run, std::string& blob) {
    const auto type = archive_entry_filetype(entry);
    if (archive_entry_hardlink(entry) || archive_entry_symlink(entry) || (type != AE_IFREG && type != AE_IFDIR))
        return Member::hostile;
    if (path.empty() || path.front() == '/' || path.find('\\') != std::string_view::npos ||
        path.find('\0') != std::string_view::npos)
        return Member::hostile;
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view part = path.substr(begin, end - begin);
        if (part == "..")
            return Member::hostile;
        if (!part.empty() && part != ".")
            parts.push_back(part);
        begin = end + 1;
    }
    if (type == AE_IFDIR)
        return Member::folder;
    if (parts.size() < 2)
        return Member::other;
    if (run.empty())
        run = parts[0];
    if (parts[0] != run)
        return Member::other;
    if (parts.size() == 2 && parts[1] == "journal.jsonl")
        return Member::journal;
    if (parts.size() == 3 && parts[1] == "blobs" && is_hash(parts[2])) {
        blob = parts[2];
        return Member::blob;
    }
    return Member::other;
}

Status unpack_member(archive* in, const fs::path& target, const std::string& member, const PackedLimits& limits,
                     std::uint64_t& total, const fs::path& file) {
    const UniqueFd fd(open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd && errno == EEXIST)
        return fail("packed-hostile", "\"" + member + "\" is in the archive twice", file, "do not trust this file");
    if (!fd)
        return fail("packed-unwritable", std::string("cannot unpack: ") + std::strerror(errno), target);
    std::string block(std::size_t{1} << 16, '\0');
    std::uint64_t size = 0;
    for (;;) {
        const la_ssize_t n = archive_read_data(in, block.data(), block.size());
        if (n == 0)
            return {};
        if (n < 0)
            return fail("packed-unreadable", "the archive is damaged: " + text_of(in), file, "fetch it again");
        size += static_cast<std::uint64_t>(n);
        total += static_cast<std::uint64_t>(n);
        if (size > limits.member_bytes || total > limits.total_bytes)
            return fail("packed-too-large", "the archive unpacks to more than is accepted (\"" + member + "\")", file);
        for (std::string_view rest(block.data(), static_cast<std::size_t>(n)); !rest.empty();) {
            const ssize_t w = write(fd.get(), rest.data(), rest.size());
            if (w < 0 && errno == EINTR)
                continue;
            if (w <= 0)
                return fail("packed-unwritable", std::string("cannot unpack: ") + std::strerror(errno), target,
                            "free some space in the folder for temporary files");
            rest.remove_prefix(static_cast<std::size_t>(w));
        }
    }
}

} // namespace

Status pack_run(const fs::path& run_folder, const fs::path& file) {
    auto reader = JournalReader::open(run_folder);
    if (!reader)
        return reader.error();
    // Finds the end of the last complete line. A journal of a newer format is packed as it is.
    while (true) {
        const auto events = reader->poll();
        if (!events && events.error().code != "journal-newer")
            return events.error();
        if (!events || events->empty())
            break;
    }
    const std::string folder_name = fs::absolute(run_folder).lexically_normal().filename().string();
    const std::string name = RunName::parse(folder_name) ? folder_name : "run";
    const fs::path temporary = file.string() + ".tmp-" + random_id(8);
    Status written = write_archive(run_folder, reader->complete_bytes(), name, temporary);
    if (written && rename(temporary.c_str(), file.c_str()) != 0)
        written = fail("packed-unwritable", std::string("cannot write: ") + std::strerror(errno), file);
    if (!written)
        unlink(temporary.c_str());
    return written;
}

Result<PackedRun> PackedRun::open(const fs::path& file, const PackedLimits& limits) {
    const ArchiveReader in(archive_read_new(), archive_read_free);
    archive_read_support_filter_gzip(in.get());
    archive_read_support_filter_zstd(in.get());
    archive_read_support_format_tar(in.get());
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        return fail("packed-unreadable", std::string("cannot read the file: ") + std::strerror(errno), file);
    struct stat info {};
    if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return fail("packed-unreadable", "this is not a regular file", file);
    if (archive_read_open_fd(in.get(), fd.get(), std::size_t{1} << 16) != ARCHIVE_OK)
        return fail("packed-unreadable", "this is no packed run: " + text_of(in.get()), file, "name a .kfrun file");

    auto root = make_private_folder("kf-run-");
    if (!root)
        return fail("packed-unwritable", root.error().message, file, root.error().remedy);
    PackedRun run;
    run.m_root = *root;
    // Under a name of our own first: the archive's is only taken when it is that of a run.
    const fs::path folder = run.m_root / "run";
    if (mkdir(folder.c_str(), 0700) != 0 || mkdir((folder / "blobs").c_str(), 0700) != 0)
        return fail("packed-unwritable", std::string("cannot unpack: ") + std::strerror(errno), folder);
    std::uint64_t total = 0;
    std::size_t members = 0;
    bool has_journal = false;
    std::string name;
    for (;;) {
        archive_entry* entry = nullptr;
        const int status = archive_read_next_header(in.get(), &entry);
        if (status == ARCHIVE_EOF)
            break;
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
            return fail("packed-unreadable", "the archive is damaged: " + text_of(in.get()), file, "fetch it again");
        if (++members > limits.members)
            return fail("packed-too-large", "the archive has more than " + std::to_string(limits.members) + " members",
                        file);
        const char* path = archive_entry_pathname(entry);
        const std::string member = path ? path : "";
        std::string blob;
        const Member kind = classify(entry, member, name, blob);
        if (kind == Member::hostile)
            return fail("packed-hostile", "the archive holds a path, link or device that no run has", file,
                        "do not trust this file");
        if (kind == Member::other && run.m_skipped.size() < 100)
            run.m_skipped.push_back(member);
        if (kind != Member::journal && kind != Member::blob)
            continue;
        const fs::path target = kind == Member::journal ? folder / "journal.jsonl" : folder / "blobs" / blob;
        if (Status unpacked = unpack_member(in.get(), target, member, limits, total, file); !unpacked)
            return unpacked.error();
        has_journal = has_journal || kind == Member::journal;
    }
    if (!has_journal)
        return fail("packed-invalid", "there is no journal in this archive", file, "name a .kfrun file");
    run.m_name = RunName::parse(name) ? name : "run";
    run.m_run = run.m_root / run.m_name;
    if (run.m_run != folder && rename(folder.c_str(), run.m_run.c_str()) != 0)
        return fail("packed-unwritable", std::string("cannot unpack: ") + std::strerror(errno), run.m_run);
    return run;
}

PackedRun::PackedRun(PackedRun&& other) noexcept {
    *this = std::move(other);
}

PackedRun& PackedRun::operator=(PackedRun&& other) noexcept {
    std::swap(m_root, other.m_root);
    std::swap(m_run, other.m_run);
    std::swap(m_name, other.m_name);
    std::swap(m_skipped, other.m_skipped);
    return *this;
}

PackedRun::~PackedRun() {
    std::error_code ignored;
    if (!m_root.empty())
        fs::remove_all(m_root, ignored);
}

} // namespace kf
