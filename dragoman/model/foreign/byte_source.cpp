#include "dragoman/model/foreign/byte_source.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "dragoman/base/error.h"
#include "dragoman/base/mapped_file.h"

namespace dragoman::model::foreign {
namespace {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian");

class FileSource final : public ByteSource {
 public:
  // MappedFile::read() does not touch the mapping, so a file of any size needs no memory.
  explicit FileSource(const std::filesystem::path& path) : FileSource(path, std::make_unique<MappedFile>(path)) {}

 private:
  FileSource(const std::filesystem::path& path, std::unique_ptr<MappedFile> file)
      : ByteSource("'" + path.string() + "'", file->bytes().size()), file_(std::move(file)) {}
  void do_read(std::uint64_t offset, void* to, std::size_t count) const override { file_->read(offset, to, count); }

  std::unique_ptr<MappedFile> file_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string text, const std::string& name)
      : ByteSource("'" + name + "'", text.size()), text_(std::move(text)) {}

 private:
  void do_read(std::uint64_t offset, void* to, std::size_t count) const override {
    std::memcpy(to, text_.data() + offset, count);
  }

  std::string text_;
};

class PartSource final : public ByteSource {
 public:
  PartSource(Bytes whole, std::uint64_t begin, std::uint64_t size)
      : ByteSource(*whole, size), whole_(std::move(whole)), begin_(begin) {}

 private:
  void do_read(std::uint64_t offset, void* to, std::size_t count) const override {
    whole_->read(begin_ + offset, to, count);
  }

  Bytes whole_;
  std::uint64_t begin_;
};

void require_inside(const ByteSource& source, std::uint64_t offset, std::uint64_t count) {
  require<Error>(offset <= source.size() && count <= source.size() - offset, source.name(), " is cut short.");
}

constexpr std::size_t kBufferBytes = 1 << 16;

}  // namespace

void ByteSource::read(std::uint64_t offset, void* to, std::size_t count) const {
  require_inside(*this, offset, count);
  if (count > 0) do_read(offset, to, count);
}

std::string ByteSource::text(std::uint64_t offset, std::uint64_t count) const {
  require_inside(*this, offset, count);
  std::string text(count, '\0');
  read(offset, text.data(), text.size());
  return text;
}

// Models are often kept in git with git-lfs. Without it, a clone has small text files in place of the large ones.
Bytes file_bytes(const std::filesystem::path& path) {
  constexpr std::string_view kPointer = "version https://git-lfs";
  const auto file = std::make_shared<FileSource>(path);
  require<Error>(file->size() < kPointer.size() || file->text(0, kPointer.size()) != kPointer, file->name(),
                 " is only a pointer of git-lfs to the file; fetch the file itself, for example with 'git lfs pull'.");
  return file;
}

Bytes memory_bytes(std::string text, const std::string& name) {
  return std::make_shared<MemorySource>(std::move(text), name);
}

Bytes part_of(Bytes whole, std::uint64_t begin, std::uint64_t size) {
  require_inside(*whole, begin, size);
  return std::make_shared<PartSource>(std::move(whole), begin, size);
}

std::string ByteCursor::text(std::uint64_t count) {
  std::string text = bytes_->text(next_, count);
  next_ += count;
  return text;
}

void ByteCursor::skip(std::uint64_t count) {
  require<Error>(count <= remaining(), bytes_->name(), " is cut short.");
  next_ += count;
}

void ByteCursor::take(void* to, std::size_t count) {
  require<Error>(count <= remaining(), bytes_->name(), " is cut short.");
  if (next_ < buffer_begin_ || next_ + count > buffer_begin_ + buffer_.size()) {
    buffer_ = bytes_->text(next_, std::min<std::uint64_t>(remaining(), kBufferBytes));
    buffer_begin_ = next_;
  }
  std::memcpy(to, buffer_.data() + (next_ - buffer_begin_), count);
  next_ += count;
}

}  // namespace dragoman::model::foreign
