#include "dragoman/cli/show/invocation.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "dragoman";

// The first executable file with this name, as a shell finds it; empty if there is none.
fs::path found_on(std::string_view directories, const std::string& name) {
  for (std::size_t begin = 0; begin <= directories.size();) {
    const std::size_t end = std::min(directories.find(':', begin), directories.size());
    const fs::path file = fs::path(directories.substr(begin, end - begin)) / name;
    std::error_code problem;
    if (fs::is_regular_file(file, problem) && ::access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return {};
}

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string program_call(const std::string& called, std::string_view directories) {
  if (called.find('/') == std::string::npos) return shell_word(called);  // a shell has found it
  std::error_code problem;
  const fs::path found = found_on(directories, kName);
  return !found.empty() && fs::equivalent(found, called, problem) ? kName : shell_word(called);
}

std::string program_call() {
  const char* directories = std::getenv("PATH");
  return program_call(::program_invocation_name, directories == nullptr ? "" : directories);
}

}  // namespace dragoman::cli
