// What every search for a translation shares: its settings, what the model offers it at each step, and what it returns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dragoman/data/tokens.h"

namespace dragoman::decode {

enum class Method : std::uint8_t { kBeam, kGreedy, kSample };
constexpr std::array<std::string_view, 3> names(Method) { return {"beam", "greedy", "sample"}; }

// What a hypothesis' log-probability is divided by, so that longer ones are not always worse; |Y| counts EOS.
enum class LengthNorm : std::uint8_t {
  kGnmt,  // ((5 + |Y|) / 6)^alpha, as in the paper
  kPow,   // |Y|^alpha
  kNone,  // 1
};
constexpr std::array<std::string_view, 3> names(LengthNorm) { return {"gnmt", "pow", "none"}; }
double length_penalty(LengthNorm norm, double alpha, std::int64_t length);

// When a beam search ends.
enum class Stop : std::uint8_t {
  kProvable,  // when nothing that is alive can become better than what is asked for
  kBeam,      // as soon as as many hypotheses have ended as the beam is wide
};
constexpr std::array<std::string_view, 2> names(Stop) { return {"provable", "beam"}; }

struct SearchSettings {
  Method method = Method::kBeam;
  int beam = 4;
  double alpha = 0.6;
  LengthNorm length_norm = LengthNorm::kGnmt;
  Stop stop = Stop::kProvable;
  int n_best = 1;
  int max_extra = 50;       // tokens of a translation, EOS included, beyond those of its source
  int min_length = 0;       // tokens of a translation, EOS included, at least
  int no_repeat_ngram = 0;  // so many words in a row never come twice; 0: they may
  double temperature = 1;   // of sampling
  int top_k = 0;            // sample among the k likeliest words; 0: all
  double top_p = 1;         // sample among the likeliest words that together have this probability
  std::uint64_t seed = 1;   // of sampling

  template <class Visitor>
  void fields(Visitor&& field) {
    field("search", method, "beam, greedy (the likeliest word each time) or sample (words drawn at random)");
    field("beam", beam, "hypotheses that a beam search keeps");
    field("alpha", alpha, "strength of the length norm; 0 for none");
    field("length-norm", length_norm, "what log-probabilities are divided by: gnmt ((5+n)/6)^alpha, pow n^alpha, none");
    field("stop", stop,
          "provable: when nothing alive can still win; beam: when as many have ended as the beam is wide");
    field("n-best", n_best, "translations to give for each line");
    field("max-extra", max_extra, "tokens that a translation may have beyond those of its source");
    field("min-length", min_length, "tokens that a translation has at least, the end of the sentence included");
    field("no-repeat-ngram", no_repeat_ngram, "words in a row that a translation never says twice; 0 for no limit");
    field("temperature", temperature, "sampling: above 1 flattens the distribution, below 1 sharpens it");
    field("top-k", top_k, "sampling: draw among the k likeliest words; 0 for all");
    field("top-p", top_p, "sampling: draw among the likeliest words that together have this probability");
    field("seed", seed, "of sampling; each line has numbers of its own");
  }
  // Throws a UsageError that names the setting.
  void validate() const;
};

// What the model says about the next word of one row: the likeliest words, most likely first, the lower id first among
// equals. PAD and BOS are never among them.
struct Offer {
  std::span<const std::int32_t> ids;
  std::span<const double> log_p;
  std::span<const double> all;  // log P of every word, if a search asked for them
};

// A row of the next step: what it goes on from, and the word that it reads.
struct Continuation {
  std::int32_t parent = 0;  // among the rows that the search had
  std::int32_t word = 0;
};

struct Hypothesis {
  data::Sentence tokens;  // without EOS
  double log_probability = 0;
  double score = 0;                // log-probability / length penalty
  bool finished = false;           // false: the limit came before EOS
  std::vector<std::int32_t> rows;  // the row of its sentence that chose each token, EOS included if it has one
};

// How many of the likeliest words of each row a search must see so that `choices` are left when the settings have
// barred some: `barred` words that would repeat a run, and EOS before the least length.
std::int64_t words_wanted(const SearchSettings& settings, std::int64_t choices, std::int64_t barred,
                          std::int64_t length);

// Words that are to come first, and how long the translation may become, EOS included.
struct Bounds {
  data::Sentence prefix;
  std::int64_t limit = 0;
};

// The words that hypotheses are made of: each knows the one before it.
class WordTree {
 public:
  static constexpr std::int32_t kRoot = -1;

  std::int32_t add(std::int32_t parent, std::int32_t word, std::int32_t row);
  // From the first word to `last`.
  void read(std::int32_t last, data::Sentence& words, std::vector<std::int32_t>& rows) const;
  // The last word that two hypotheses have in common, or kRoot.
  std::int32_t common(std::int32_t a, std::int32_t b) const;
  // The words that after `last` would end a run of n words that the hypothesis has already said, rising; none if n is
  // 0.
  std::vector<std::int32_t> repeats(std::int32_t last, int n) const;

 private:
  struct Word {
    std::int32_t parent, word, row;
  };
  std::vector<Word> words_;
};

}  // namespace dragoman::decode
