// Tracks the frames of a zstd stream to detect a file that was cut short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman::text {

// Boost's zstd filter takes the end of its input for the end of the text, so a file cut short would read as a shorter
// text. This class steps from block to block by their sizes (RFC 8878, section 3.1) and knows whether the bytes seen so
// far end at the end of a frame.
class ZstdFrames {
 public:
  void consume(std::string_view bytes);
  bool at_end_of_frame() const { return state_ == State::kMagic && needed_ == 4 && skip_ == 0; }

 private:
  // The field that is being read.
  enum class State : std::uint8_t { kMagic, kSkippableSize, kDescriptor, kBlockHeader };

  // Begins the next field, which has this many bytes.
  void expect(State state, std::size_t bytes);
  // Called when the field is complete: finds out what to skip and which field comes next.
  void read_field();

  State state_ = State::kMagic;
  std::uint64_t field_ = 0;   // the little-endian number that is being read
  std::size_t gathered_ = 0;  // its bytes read so far
  std::size_t needed_ = 4;    // its bytes still to come
  std::uint64_t skip_ = 0;    // bytes to skip before the next field
  bool has_checksum_ = false;
};

}  // namespace dragoman::text
