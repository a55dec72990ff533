#include "dragoman/text/learning_memory.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "dragoman/base/hash.h"
#include "dragoman/base/utf8.h"

namespace dragoman::text {
namespace {

// Estimates how many different items it was shown ("linear counting"), always in one mebibyte: each item sets one of
// many bits, and the share of bits that stay clear gives the number.
class DistinctCounter {
 public:
  DistinctCounter() : bits_(kBits) {}

  // Whether the item looks new. Of n different items, n / correction() look new.
  bool insert(std::uint64_t hash) {
    auto bit = bits_[(hash * 0x9E3779B97F4A7C15u) >> (64 - kLogBits)];
    if (bit) return false;
    bit = true;
    ++set_;
    return true;
  }
  double count() const {
    const double clear = static_cast<double>(kBits - set_) / static_cast<double>(kBits);
    return -std::log(std::max(clear, 1.0 / static_cast<double>(kBits))) * static_cast<double>(kBits);
  }
  double correction() const { return set_ == 0 ? 1 : count() / static_cast<double>(set_); }

 private:
  static constexpr int kLogBits = 23;
  static constexpr std::size_t kBits = std::size_t{1} << kLogBits;
  std::vector<bool> bits_;
  std::size_t set_ = 0;
};

struct TextCounts {
  double bytes = 0, sentences = 0, characters = 0;
  double words = 0, word_characters = 0;  // different words, and the characters in them
  double pairs = 0;                       // different pairs of neighbouring characters
};

TextCounts count(const std::vector<std::string>& sentences) {
  TextCounts counts;
  DistinctCounter words, pairs;
  for (const std::string& sentence : sentences) {
    counts.sentences += 1;
    counts.bytes += static_cast<double>(sentence.size());
    counts.characters += static_cast<double>(count_characters(sentence));
    for (std::string_view rest = sentence; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (word.empty() || !words.insert(Hash().add(word).value())) continue;
      char32_t before = U' ';
      for (std::size_t at = 0; at < word.size();) {
        const char32_t character = next_code_point(word, at);
        pairs.insert(std::uint64_t{before} << 32 | character);
        counts.word_characters += 1;
        before = character;
      }
      counts.word_characters += 1;  // the space before the word
    }
  }
  counts.words = words.count();
  counts.word_characters *= words.correction();
  counts.pairs = pairs.count();
  return counts;
}

}  // namespace

std::size_t learning_bytes(TokenizerKind kind, std::int64_t vocabulary, const std::vector<std::string>& sentences) {
  const TextCounts text = count(sentences);
  // The factors below are bytes. First our copy of the text, SentencePiece's copy and its normalised copy; then its
  // different words, in a table and a list.
  double bytes = 5 * text.bytes + 200 * text.sentences + 180 * text.words;
  if (kind == TokenizerKind::kBpe) {
    // SentencePiece keeps an object for each pair, with a std::set of the places where the pair occurs: one node for
    // each place. A merge makes at most two new pairs wherever it is applied.
    const double made = std::min(2 * text.word_characters, 16 * static_cast<double>(vocabulary));
    bytes += 56 * text.word_characters + 320 * text.pairs + 300 * made;
  }
  // SentencePiece's suffix array of all characters with its tree, and the pieces of the different words.
  if (kind == TokenizerKind::kUnigram) bytes += 24 * text.characters + 24 * text.word_characters;
  return static_cast<std::size_t>(bytes);
}

}  // namespace dragoman::text
