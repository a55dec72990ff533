#include "dragoman/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "dragoman/base/files.h"
#include "dragoman/base/plain_file.h"

namespace dragoman {

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  require_plain_file(path);
  file_ = open_file(path, O_RDONLY | O_CLOEXEC);
  require<Error>(file_ >= 0, "cannot read '", path.string(), "' ", system_reason(), ".");
  struct stat status {};
  bool mapped = ::fstat(file_, &status) == 0;
  size_ = static_cast<std::size_t>(status.st_size);
  if (mapped && size_ > 0) {
    start_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file_, 0);
    mapped = start_ != MAP_FAILED;
  }
  if (mapped) return;
  const Error problem(join("cannot map '", path.string(), "' into memory ", system_reason(), "."));
  ::close(file_);
  throw problem;
}

MappedFile::~MappedFile() {
  if (start_ != nullptr) ::munmap(start_, size_);
  ::close(file_);
}

void MappedFile::read(std::uint64_t offset, void* to, std::size_t count) const {
  for (std::size_t done = 0; done < count;) {
    const ssize_t got = ::pread(file_, static_cast<char*>(to) + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    require<Error>(got >= 0, "cannot read '", path_.string(), "' ", system_reason(), ".");
    require<Error>(got > 0, "'", path_.string(), "' became shorter while it was being read.");
    done += static_cast<std::size_t>(got);
  }
}

}  // namespace dragoman
