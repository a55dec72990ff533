// A temporary file that holds one input after the other, for readers that need a path.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace dragoman::fuzz {

// libFuzzer passes its input as unsigned bytes.
inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

class ScratchFile {
 public:
  // Creates the file in a directory of its own, which the destructor removes.
  explicit ScratchFile(const std::string& name) {
    std::string pattern = (std::filesystem::temp_directory_path() / "dragoman-fuzz-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    directory_ = pattern;
    path_ = directory_ / name;
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  }
  ~ScratchFile() {
    ::close(file_);
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Replaces the contents of the file.
  void hold(std::string_view bytes) const {
    const auto size = static_cast<off_t>(bytes.size());
    if (::pwrite(file_, bytes.data(), bytes.size(), 0) != size || ::ftruncate(file_, size) != 0) std::abort();
  }
  const std::filesystem::path& directory() const { return directory_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path directory_, path_;
  int file_ = -1;
};

}  // namespace dragoman::fuzz
