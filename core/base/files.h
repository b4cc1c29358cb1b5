// SPDX-License-Identifier: GPL-3.0-or-later
// Whole files, read within a limit and written so that a reader never sees half of one.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace kf {

// The file's bytes. Errors: "file-missing", "file-unreadable" (a folder, a device, no permission), "file-too-large".
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{64} << 20);

// Writes to a temporary name beside `path`, fsyncs, renames; then fsyncs the folder. Errors: "file-unwritable".
Status write_file_atomic(const std::filesystem::path& path, std::string_view content);

// A new folder that only this user can enter, below TMPDIR; the caller removes it.
Result<std::filesystem::path> make_private_folder(const std::string& prefix);

// Where caches go: $XDG_CACHE_HOME/kernelforge or ~/.cache/kernelforge. Where runs go: $XDG_DATA_HOME/kernelforge or
// ~/.local/share/kernelforge. KERNELFORGE_HOME, when set, holds both (cache/ and data/).
std::filesystem::path cache_folder();
std::filesystem::path data_folder();

// Folder of resources (tasks/, resources/) of this installation: KERNELFORGE_RESOURCES, else beside the program
// (../share/kernelforge), else the source tree it was built from.
std::filesystem::path resource_folder();
// Path of a helper program of ours: beside the running program, else ../libexec/kernelforge.
std::filesystem::path program_path(const std::string& name);

} // namespace kf
