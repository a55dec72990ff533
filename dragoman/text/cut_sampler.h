// A cut is one way to split a text into pieces of the vocabulary. CutSampler draws one of the many possible cuts at
// random.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dragoman/base/random.h"
#include "dragoman/text/model_file.h"

namespace dragoman::text {

// SentencePiece can draw cuts too, but all callers share its random generator. Here a cut is a pure function of its
// arguments.
class CutSampler {
 public:
  // Refers to the pieces of `model`, which must outlive this.
  explicit CutSampler(const ModelFile& model);

  // `text` is normalised: U+2581 stands for each space. See Tokenizer::sample(). Requires 0 <= amount <= 1.
  std::vector<std::int32_t> sample(std::string_view text, double amount, RandomStream& random) const;

 private:
  using Parts = std::vector<std::string_view>;

  struct Entry {
    std::int32_t id;
    float score;
  };

  // Repeatedly merges the two neighbours whose joint piece has the best score, while there is any such piece. In each
  // step each possible merge is left out with probability `amount` (BPE-dropout: Provilkova et al., 2020). With amount
  // 0 this is SentencePiece's algorithm. Call it word by word: a whole sentence has so many steps that almost no merge
  // would be left out of all of them.
  void merge(std::string_view word, double amount, RandomStream& random, Parts& parts) const;
  // Forward filtering, backward sampling (Kudo, 2018): a cut's weight is the product of its pieces' probabilities,
  // raised to `power`.
  void draw(std::string_view text, double power, RandomStream& random, Parts& parts) const;
  // Calls visit(start, score) for each part that ends at byte `end`: each piece, and the last character if it is no
  // piece.
  template <class Visit>
  void each_part_before(std::string_view text, std::size_t end, Visit&& visit) const;

  // The bytes of the longest user-defined piece that the text begins with; 0 if there is none.
  std::size_t user_defined_at(std::string_view text) const;
  std::vector<std::int32_t> ids_of(const Parts& parts) const;

  TokenizerKind kind_;
  std::unordered_map<std::string_view, Entry> pieces_;
  std::unordered_map<std::string_view, std::int32_t> user_defined_;  // pieces that are neither cut nor merged
  std::vector<std::int32_t> bytes_;   // ids of the 256 bytes; empty without byte fallback
  bool pieces_stay_in_words_ = true;  // whether no piece reaches into the next word
  std::size_t longest_ = 1, longest_user_defined_ = 0;
  double unknown_score_ = 0;
};

}  // namespace dragoman::text
