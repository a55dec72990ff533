// Files that must be files: reading a pipe would wait for another program, and reading a device might never end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace dragoman {

// Throws an Error that says what the path names if that is neither a file nor missing.
void require_plain_file(const std::filesystem::path& path);
// read_file() of such a file.
std::string read_plain_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace dragoman
