// SPDX-License-Identifier: GPL-3.0-or-later
// Preprocessor lines of a candidate, judged before anything is compiled: what it includes must lie below an allowed
// folder, and nothing may shift its line numbers. Also the hash of every header that the text can reach, because a
// cached cubin depends on them.
#pragma once

#include "core/helpers/nvrtc/messages.h"
#include "core/helpers/nvrtc/toolkit.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kf::nvrtc {

// One directive outside comments, strings and raw strings; spliced lines are joined.
struct Directive {
    int line = 0, column = 0; // of the '#'
    std::string name;         // "include"
    std::string rest;         // after the name, comments as one blank, trimmed
};
std::vector<Directive> scan_directives(std::string_view text);

struct IncludedName {
    std::string name;
    bool quoted = false;
    int line = 0, column = 0;
};
// The includes of a header or candidate; a name that is a macro is left out here (check_includes refuses it).
std::vector<IncludedName> scan_includes(std::string_view text);

// Refusals with line and column: code include-refused (absolute path, "..", macro, include_next, import, embed, line)
// or header-missing (no allowed folder holds it). Empty: all well.
struct IncludeFinding {
    std::string code;
    Diagnostic diagnostic;
    std::string remedy;
};
std::vector<IncludeFinding> check_includes(std::string_view source, const std::string& file,
                                           const std::vector<IncludeRoot>& roots, const std::string& headers_missing);

struct HeaderSet {
    std::string hash; // over (label/name, content hash) of each header, sorted
    std::vector<std::filesystem::path> files;
};
// Follows includes through the roots, whatever `#if` surrounds them: a superset of what the compiler reads, so a change
// in any header that matters changes the hash. File contents are remembered by size and time of change.
class HeaderHasher {
public:
    HeaderSet hash(std::string_view source, const std::vector<IncludeRoot>& roots);

private:
    struct Header {
        std::string id; // "cuda/cuda_fp16.h"
        std::int64_t size = -1, changed_ns = 0;
        std::string sha256;
        std::vector<IncludedName> includes;
    };
    const Header* load(const std::filesystem::path& path, const std::string& id);
    std::map<std::string, Header> m_headers; // by path
};

} // namespace kf::nvrtc
