// Creates a directory so that it appears with all of its files or not at all.
#pragma once

#include <filesystem>
#include <functional>

namespace dragoman {

// Calls `write` with a temporary directory, flushes it, and renames it to `to`. `to` must be new or empty, and stays so
// until the rename. If anything fails, nothing is left behind. A link to an empty directory stays a link.
// Throws a UsageError if `to` exists and is not an empty directory, is the current directory, or is a mount point.
// Throws an Error if another process has locked it (DirectoryLock) or is creating it too.
void make_new_directory(const std::filesystem::path& to,
                        const std::function<void(const std::filesystem::path&)>& write);

}  // namespace dragoman
