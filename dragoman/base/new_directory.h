// Directories that appear whole or not at all.
#pragma once

#include <filesystem>
#include <functional>

namespace dragoman {

// Calls `write` with a directory to write to, and gives that directory the name `to` when everything is flushed. `to`
// must be new or empty, and stays so until then; a failure leaves nothing behind. A link to an empty directory stays a
// link. Throws a UsageError if `to` holds anything, is the current directory, or is a mount point, and an Error if
// another process works in it or makes it too.
void make_new_directory(const std::filesystem::path& to,
                        const std::function<void(const std::filesystem::path&)>& write);

}  // namespace dragoman
