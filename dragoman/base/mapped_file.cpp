#include "dragoman/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"

namespace dragoman {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require<Error>(file >= 0, "cannot read '", path.string(), "' ", system_reason(), ".");
  struct stat status {};
  bool mapped = ::fstat(file, &status) == 0;
  size_ = static_cast<std::size_t>(status.st_size);
  if (mapped && size_ > 0) {
    start_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
    mapped = start_ != MAP_FAILED;
  }
  const std::string reason = mapped ? "" : system_reason();
  ::close(file);  // the mapping keeps the file
  require<Error>(mapped, "cannot map '", path.string(), "' into memory ", reason, ".");
}

MappedFile::~MappedFile() {
  if (start_ != nullptr) ::munmap(start_, size_);
}

void MappedFile::release_pages() const {
  if (start_ != nullptr) ::madvise(start_, size_, MADV_DONTNEED);  // advice: a refusal changes nothing
}

}  // namespace dragoman
