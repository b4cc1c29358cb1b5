// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/helpers/nvrtc/includes.h"

#include "core/base/files.h"
#include "core/base/sha256.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sys/stat.h>

namespace kf::nvrtc {
namespace {

namespace fs = std::filesystem;

// Translation phases 2 and 3 as far as directives need them: splices, comments, literals.
class Scanner {
public:
    explicit Scanner(std::string_view text) : m_text(text) {}

    std::vector<Directive> run() {
        bool line_start = true; // only blanks and comments so far
        while (m_at < m_text.size()) {
            const char c = peek();
            if (c == '\n') {
                advance();
                line_start = true;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
                advance();
            } else if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
                skip_comment();
            } else if (line_start && (c == '#' || (c == '%' && peek(1) == ':'))) {
                directive();
                line_start = true;
            } else {
                line_start = false;
                if (c == '"' || c == '\'')
                    skip_literal(c);
                else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
                    skip_word();
                else
                    advance();
            }
        }
        return std::move(m_found);
    }

private:
    void skip_splices() {
        while (m_at < m_text.size() && m_text[m_at] == '\\') {
            std::size_t n = 1;
            if (m_at + n < m_text.size() && m_text[m_at + n] == '\r')
                ++n;
            if (m_at + n >= m_text.size() || m_text[m_at + n] != '\n')
                return;
            m_at += n + 1;
            ++m_line;
            m_line_begin = m_at;
        }
    }
    // Character at the given distance, splices passed over; 0 at the end.
    char peek(int distance = 0) {
        skip_splices();
        if (distance == 0)
            return m_at < m_text.size() ? m_text[m_at] : '\0';
        Scanner ahead = Scanner(m_text);
        ahead.m_at = m_at;
        while (distance-- > 0 && ahead.m_at < m_text.size()) {
            ++ahead.m_at;
            ahead.skip_splices();
        }
        return ahead.m_at < m_text.size() ? m_text[ahead.m_at] : '\0';
    }
    void advance() {
        skip_splices();
        if (m_at >= m_text.size())
            return;
        if (m_text[m_at++] == '\n') {
            ++m_line;
            m_line_begin = m_at;
        }
    }
    void skip_comment() {
        const bool block = peek(1) == '*';
        advance();
        advance();
        while (m_at < m_text.size()) {
            if (!block && peek() == '\n')
                return;
            if (block && peek() == '*' && peek(1) == '/') {
                advance();
                advance();
                return;
            }
            advance();
        }
    }
    void skip_literal(char quote) {
        advance();
        while (m_at < m_text.size()) {
            const char c = peek();
            if (c == '\n') // not closed: the compiler will say so
                return;
            advance();
            if (c == '\\')
                advance();
            else if (c == quote)
                return;
        }
    }
    void skip_word() {
        std::string word;
        while (m_at < m_text.size()) {
            const char c = peek();
            // a quote inside a number separates digits: 1'000
            const bool separator = c == '\'' && !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) &&
                                   std::isalnum(static_cast<unsigned char>(peek(1)));
            if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && !separator)
                break;
            word.push_back(c);
            advance();
        }
        if (m_at < m_text.size() && peek() == '"' &&
            (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R"))
            skip_raw();
    }
    void skip_raw() { // no splices inside a raw string
        const std::size_t open = m_text.find('(', m_at);
        if (open == std::string_view::npos || open - m_at > 17) {
            advance();
            return;
        }
        const std::string close = ")" + std::string(m_text.substr(m_at + 1, open - m_at - 1)) + "\"";
        const std::size_t end = std::min(m_text.find(close, open), m_text.size());
        const std::size_t stop = std::min(end + close.size(), m_text.size());
        for (; m_at < stop; ++m_at)
            if (m_text[m_at] == '\n') {
                ++m_line;
                m_line_begin = m_at + 1;
            }
    }
    void directive() {
        Directive d{m_line, static_cast<int>(m_at - m_line_begin) + 1, {}, {}};
        if (peek() == '%')
            advance();
        advance();
        std::string body;
        while (m_at < m_text.size() && peek() != '\n') {
            const char c = peek();
            if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
                skip_comment();
                body.push_back(' ');
            } else {
                body.push_back(c);
                advance();
            }
        }
        const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
        auto it = std::find_if_not(body.begin(), body.end(), blank);
        while (it != body.end() && (std::isalnum(static_cast<unsigned char>(*it)) || *it == '_'))
            d.name.push_back(*it++);
        it = std::find_if_not(it, body.end(), blank);
        d.rest.assign(it, body.end());
        while (!d.rest.empty() && blank(d.rest.back()))
            d.rest.pop_back();
        m_found.push_back(std::move(d));
    }

    std::string_view m_text;
    std::size_t m_at = 0, m_line_begin = 0;
    int m_line = 1;
    std::vector<Directive> m_found;
};

std::optional<IncludedName> included_name(const Directive& d) {
    if (d.rest.size() < 2)
        return std::nullopt;
    const char close = d.rest[0] == '<' ? '>' : d.rest[0] == '"' ? '"' : '\0';
    const std::size_t end = close ? d.rest.find(close, 1) : std::string::npos;
    if (end == std::string::npos || end == 1)
        return std::nullopt;
    return IncludedName{d.rest.substr(1, end - 1), close == '"', d.line, d.column};
}

bool leaves_folder(const std::string& name) {
    if (name.empty() || name[0] == '/' || name.find('\\') != std::string::npos)
        return true;
    for (const fs::path& part : fs::path(name))
        if (part == "..")
            return true;
    return false;
}

struct Located {
    fs::path path;
    std::string id;
};

std::optional<Located> locate(const std::string& name, const std::vector<IncludeRoot>& roots) {
    std::error_code error;
    for (const IncludeRoot& root : roots)
        if (fs::path path = root.folder / name; fs::is_regular_file(path, error))
            return Located{path, root.label + "/" + name};
    return std::nullopt;
}

} // namespace

std::vector<Directive> scan_directives(std::string_view text) {
    return Scanner(text).run();
}

std::vector<IncludedName> scan_includes(std::string_view text) {
    std::vector<IncludedName> out;
    for (const Directive& d : scan_directives(text))
        if (d.name == "include")
            if (auto name = included_name(d))
                out.push_back(std::move(*name));
    return out;
}

std::vector<IncludeFinding> check_includes(std::string_view source, const std::string& file,
                                           const std::vector<IncludeRoot>& roots, const std::string& headers_missing) {
    constexpr const char* allowed = "include CUDA's headers, CCCL's (cuda/std/…, cub/…) or kf/…, in <> or quotes";
    std::vector<IncludeFinding> findings;
    const auto add = [&](const Directive& d, const char* code, std::string message, std::string remedy) {
        findings.push_back({code, {"error", file, d.line, d.column, std::move(message), {}}, std::move(remedy)});
    };
    for (const Directive& d : scan_directives(source)) {
        if (d.name == "include") {
            const auto name = included_name(d);
            if (!name)
                add(d, "include-refused", "#include of \"" + d.rest + "\": the name must be written out", allowed);
            else if (leaves_folder(name->name))
                add(d, "include-refused", "#include of \"" + name->name + "\" leaves the allowed folders", allowed);
            else if (!locate(name->name, roots)) {
                if (!headers_missing.empty())
                    add(d, "header-missing", "<" + name->name + "> cannot be found: " + headers_missing,
                        "install CUDA's headers (toolkit or the nvidia-cuda-runtime wheel), or set "
                        "KERNELFORGE_CUDA_INCLUDE");
                else
                    add(d, "header-missing", "there is no header <" + name->name + "> in CUDA's folder, CCCL or kf/",
                        allowed);
            }
        } else if (d.name == "include_next" || d.name == "import" || d.name == "embed" || d.name == "line") {
            add(d, "include-refused", "#" + d.name + " is not accepted in a candidate",
                d.name == "line" ? "remove it: error lines must be those of the file" : allowed);
        } else if (!d.name.empty() && std::isdigit(static_cast<unsigned char>(d.name[0]))) { // `# 12 "file"`
            add(d, "include-refused", "a line marker is not accepted in a candidate",
                "remove it: error lines must be those of the file");
        } else if ((d.name == "if" || d.name == "elif") && d.rest.find("__has_include") != std::string::npos) {
            add(d, "include-refused", "__has_include is not accepted in a candidate",
                "include what the kernel needs: the accepted headers are always there");
        }
    }
    return findings;
}

const HeaderHasher::Header* HeaderHasher::load(const fs::path& path, const std::string& id) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return nullptr;
    const std::int64_t changed =
        static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
    Header& header = m_headers[path.string()];
    if (header.size == status.st_size && header.changed_ns == changed && header.id == id)
        return &header;
    auto text = read_file(path);
    if (!text) {
        m_headers.erase(path.string());
        return nullptr;
    }
    header = Header{id, static_cast<std::int64_t>(status.st_size), changed, kf::sha256(*text), scan_includes(*text)};
    return &header;
}

HeaderSet HeaderHasher::hash(std::string_view source, const std::vector<IncludeRoot>& roots) {
    std::map<std::string, std::string> hashes; // id → content hash
    std::set<std::string> seen;
    struct Pending {
        std::vector<IncludedName> names;
        fs::path folder; // of the including header; empty for the candidate
        std::string id;  // of the including header
    };
    std::vector<Pending> pending{{scan_includes(source), {}, {}}};
    while (!pending.empty()) {
        const Pending from = std::move(pending.back());
        pending.pop_back();
        for (const IncludedName& include : from.names) {
            std::optional<Located> found;
            if (include.quoted && !from.folder.empty()) {
                std::error_code error;
                // the id keeps the label of the including header's root, so that it names no folder of this machine
                if (fs::path path = (from.folder / include.name).lexically_normal(); fs::is_regular_file(path, error))
                    found = Located{path, (fs::path(from.id).parent_path() / include.name).lexically_normal().string()};
            }
            if (!found)
                found = locate(include.name, roots);
            if (!found || !seen.insert(found->path.string()).second)
                continue;
            if (const Header* header = load(found->path, found->id)) {
                hashes[header->id] = header->sha256;
                pending.push_back({header->includes, found->path.parent_path(), header->id});
            }
        }
    }
    HeaderSet out;
    out.files.assign(seen.begin(), seen.end());
    std::string text;
    for (const auto& [id, sha] : hashes)
        text += id + " " + sha + "\n";
    out.hash = kf::sha256(text);
    return out;
}

} // namespace kf::nvrtc
