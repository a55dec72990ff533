#include "dragoman/text/vocabulary_limits.h"

#include <algorithm>

#include "dragoman/base/error.h"

namespace dragoman::text {

VocabularyLimits VocabularyLimits::of_weights(std::uint64_t bytes_of_weights) {
  constexpr std::uint64_t kBytes = 1 << 20, kWords = 50'000;
  return {.bytes = kBytes + bytes_of_weights / 4, .words = kWords + bytes_of_weights / 256};
}

void VocabularyLimits::require_bytes(std::uint64_t count, std::string_view where) const {
  require<Error>(count <= bytes, where, " has ", count, " bytes, too many for a model with so few weights; at most ",
                 bytes, " are read.");
}

void VocabularyLimits::require_words(std::uint64_t count, std::string_view where) const {
  require<Error>(count <= words, where, " has ", count, " words, too many for a model with so few weights; at most ",
                 words, " are read.");
}

std::uint64_t most_json_values(std::string_view text) {
  const auto begins_value = [](char c) { return c == ',' || c == '[' || c == '{'; };
  return 1 + static_cast<std::uint64_t>(std::ranges::count_if(text, begins_value));
}

}  // namespace dragoman::text
