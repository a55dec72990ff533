#include "dragoman/base/plain_file.h"

#include <string_view>

#include "dragoman/base/files.h"

namespace dragoman {
namespace {

std::string_view name_of(std::filesystem::file_type type) {
  using std::filesystem::file_type;
  switch (type) {
    case file_type::directory: return "a directory";
    case file_type::fifo: return "a pipe";
    case file_type::socket: return "a socket";
    case file_type::block:
    case file_type::character: return "a device";
    default: return "something else";
  }
}

}  // namespace

void require_plain_file(const std::filesystem::path& path) {
  const std::filesystem::file_status status = status_of(path);
  require<Error>(std::filesystem::is_regular_file(status) || !std::filesystem::exists(status), "'", path.string(),
                 "' is ", name_of(status.type()), ", but a file is needed.");
}

std::string read_plain_file(const std::filesystem::path& path, std::size_t limit) {
  require_plain_file(path);
  return read_file(path, limit);
}

}  // namespace dragoman
