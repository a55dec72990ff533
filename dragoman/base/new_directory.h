// Directories that appear whole or not at all.
#pragma once

#include <filesystem>
#include <functional>

namespace dragoman {

// Makes the directory `to` of what `write` puts into the directory that it is given. `to` must be new or empty, and
// stays so until everything is written and flushed; a failure leaves nothing behind. A link to an empty directory stays
// a link. Throws a UsageError if there is anything in `to`, and an Error if another process works in it or makes it
// too.
void make_new_directory(const std::filesystem::path& to,
                        const std::function<void(const std::filesystem::path&)>& write);

}  // namespace dragoman
