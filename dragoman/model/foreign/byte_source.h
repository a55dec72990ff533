// Bytes that can be read at any place: a file, a part of another source, or a text in memory. The readers of other
// programs' files read from these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>

namespace dragoman::model::foreign {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  std::uint64_t size() const { return size_; }
  // What the bytes are called in messages, in quotes.
  const std::string& name() const { return *name_; }
  // Copies `count` bytes that start at `offset`. Throws an Error if there are not that many.
  void read(std::uint64_t offset, void* to, std::size_t count) const;
  // The same as text. Takes memory only after checking that the bytes exist.
  std::string text(std::uint64_t offset, std::uint64_t count) const;

 protected:
  using Name = std::shared_ptr<const std::string>;
  ByteSource(Name name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  ByteSource(std::string name, std::uint64_t size)
      : ByteSource(std::make_shared<const std::string>(std::move(name)), size) {}
  // A part of another source has its name.
  ByteSource(const ByteSource& whole, std::uint64_t size) : ByteSource(whole.name_, size) {}

 private:
  virtual void do_read(std::uint64_t offset, void* to, std::size_t count) const = 0;

  Name name_;
  std::uint64_t size_;
};
using Bytes = std::shared_ptr<const ByteSource>;

// Throws an Error if the file cannot be read, or if it is only a pointer of git-lfs to the file that is meant.
Bytes file_bytes(const std::filesystem::path& path);
// `name` is without quotes.
Bytes memory_bytes(std::string text, const std::string& name);
// `size` bytes of `whole` from `begin` on, which must exist, under the same name.
Bytes part_of(Bytes whole, std::uint64_t begin, std::uint64_t size);

// Reads a source from front to back. Numbers are little-endian, as in all formats here unless their readers say
// otherwise.
class ByteCursor {
 public:
  explicit ByteCursor(Bytes bytes, std::uint64_t begin = 0) : bytes_(std::move(bytes)), next_(begin) {}

  std::uint64_t position() const { return next_; }
  std::uint64_t remaining() const { return next_ < bytes_->size() ? bytes_->size() - next_ : 0; }
  const Bytes& bytes() const { return bytes_; }

  template <class Number>
  Number number() {
    static_assert(std::is_arithmetic_v<Number>);
    Number value{};
    take(&value, sizeof value);
    return value;
  }
  std::string text(std::uint64_t count);
  void skip(std::uint64_t count);

 private:
  void take(void* to, std::size_t count);

  Bytes bytes_;
  std::uint64_t next_ = 0;
  std::string buffer_;  // bytes from buffer_begin_ on
  std::uint64_t buffer_begin_ = 0;
};

}  // namespace dragoman::model::foreign
