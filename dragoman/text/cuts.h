// The many ways to cut one text into the pieces of a vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dragoman/base/random.h"
#include "dragoman/text/model_file.h"

namespace dragoman::text {

// U+2581, which stands for a space in pieces.
inline constexpr std::string_view kSpace = "\xE2\x96\x81";

// Draws cuts at random. SentencePiece can do so too, but from a generator that all callers share: here a cut is a pure
// function of its arguments.
class Cuts {
 public:
  // Refers to the pieces of `model`, which must outlive this.
  explicit Cuts(const ModelFile& model);

  // `text` is normalised: a space is U+2581. See Tokenizer::sample(). Requires 0 <= amount <= 1.
  std::vector<std::int32_t> sample(std::string_view text, double amount, RandomStream& random) const;

 private:
  using Parts = std::vector<std::string_view>;

  struct Entry {
    std::int32_t id;
    float score;
  };

  // Joins neighbours while there is a piece for them, best score first, leaving out each possible merge of a step with
  // probability `amount` (BPE-dropout: Provilkova et al., 2020). With 0 this is what SentencePiece does. To be called
  // word by word: in a whole sentence there would be so many steps that hardly a merge were left out of all of them.
  void merge(std::string_view word, double amount, RandomStream& random, Parts& parts) const;
  // Forward filtering, backward sampling (Kudo, 2018): a cut's weight is the product of its pieces' probabilities to
  // the given power.
  void draw(std::string_view text, double power, RandomStream& random, Parts& parts) const;
  // Calls visit(start, score) for every part that ends at `end`: the pieces, and a character that is none.
  template <class Visit>
  void each_part_before(std::string_view text, std::size_t end, Visit&& visit) const;

  std::size_t user_defined_at(std::string_view text) const;
  std::vector<std::int32_t> ids_of(const Parts& parts) const;

  TokenizerKind kind_;
  std::unordered_map<std::string_view, Entry> pieces_;
  std::unordered_map<std::string_view, std::int32_t> user_defined_;  // pieces that are never cut nor merged
  std::vector<std::int32_t> bytes_;                                  // the ids of 256 bytes, or none
  bool words_apart_ = true;                                          // whether no piece goes on into the next word
  std::size_t longest_ = 1, longest_user_defined_ = 0;
  double unknown_score_ = 0;
};

}  // namespace dragoman::text
