#include "dragoman/text/zstd_frames.h"

#include <algorithm>
#include <array>

namespace dragoman::text {
namespace {

constexpr std::uint32_t kFrameMagic = 0xFD2FB528;
constexpr std::size_t kMagicBytes = 4, kSizeBytes = 4, kBlockHeaderBytes = 3, kChecksumBytes = 4;

// The bytes between the descriptor and the first block: window, dictionary and content size.
std::uint64_t rest_of_header(std::uint64_t descriptor) {
  constexpr std::array<std::uint64_t, 4> kDictionary{0, 1, 2, 4}, kContent{0, 2, 4, 8};
  const bool single_segment = (descriptor & 0x20) != 0;
  const std::uint64_t content = descriptor >> 6;
  const std::uint64_t content_bytes = content == 0 && single_segment ? 1 : kContent[content];
  return (single_segment ? 0 : 1) + kDictionary[descriptor & 3] + content_bytes;
}

}  // namespace

void ZstdFrames::expect(State state, std::size_t bytes) {
  state_ = state;
  needed_ = bytes;
  gathered_ = 0;
  field_ = 0;
}

void ZstdFrames::consume(std::string_view bytes) {
  while (!bytes.empty()) {
    if (skip_ > 0) {
      const std::size_t passed = std::min<std::uint64_t>(skip_, bytes.size());
      bytes.remove_prefix(passed);
      skip_ -= passed;
      continue;
    }
    field_ |= std::uint64_t{static_cast<unsigned char>(bytes[0])} << (8 * gathered_++);
    bytes.remove_prefix(1);
    if (--needed_ == 0) read_field();
  }
}

void ZstdFrames::read_field() {
  const std::uint64_t field = field_;
  switch (state_) {
    case State::kMagic:
      // Anything else is taken for a skippable frame; if it is not one, the decompressor refuses the file.
      if (field == kFrameMagic) return expect(State::kDescriptor, 1);
      return expect(State::kSkippableSize, kSizeBytes);
    case State::kSkippableSize: skip_ = field; return expect(State::kMagic, kMagicBytes);
    case State::kDescriptor:
      has_checksum_ = (field & 4) != 0;
      skip_ = rest_of_header(field);
      return expect(State::kBlockHeader, kBlockHeaderBytes);
    case State::kBlockHeader: {
      const bool is_last = (field & 1) != 0, is_one_byte_repeated = ((field >> 1) & 3) == 1;
      skip_ = is_one_byte_repeated ? 1 : field >> 3;
      if (!is_last) return expect(State::kBlockHeader, kBlockHeaderBytes);
      if (has_checksum_) skip_ += kChecksumBytes;
      return expect(State::kMagic, kMagicBytes);
    }
  }
}

}  // namespace dragoman::text
