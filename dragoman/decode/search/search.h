// The types that every search for a translation shares: its settings, its input at each step (the likeliest next
// words), and its results.
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

// A hypothesis' score is its log-probability divided by this penalty, because otherwise a longer hypothesis would
// always be worse. The length |Y| counts EOS.
enum class LengthNorm : std::uint8_t {
  kGnmt,  // ((5 + |Y|) / 6)^alpha, as in the paper
  kPow,   // |Y|^alpha
  kNone,  // 1
};
constexpr std::array<std::string_view, 3> names(LengthNorm) { return {"gnmt", "pow", "none"}; }
double length_penalty(LengthNorm norm, double alpha, std::int64_t length);

// When a beam search stops.
enum class Stop : std::uint8_t {
  kProvable,  // when no hypothesis alive can still become one of the n_best
  kBeam,      // as soon as `beam` hypotheses have ended
  kNever,     // by the rules of Transformers not before this is provable for all of the beam; by others as kProvable
};
constexpr std::array<std::string_view, 3> names(Stop) { return {"provable", "beam", "never"}; }

// Whose beam search is followed. They differ in which hypotheses count as ended and in when the search stops (beam.h).
enum class Rules : std::uint8_t { kPaper, kTransformers, kCtranslate2 };
constexpr std::array<std::string_view, 3> names(Rules) { return {"paper", "transformers", "ctranslate2"}; }

struct SearchSettings {
  Method method = Method::kBeam;
  int beam = 4;
  double alpha = 0.6;
  LengthNorm length_norm = LengthNorm::kGnmt;
  Stop stop = Stop::kProvable;
  Rules rules = Rules::kPaper;
  int n_best = 1;
  int max_extra = 50;       // a translation with its EOS may be this many tokens longer than its source without EOS
  int min_length = 0;       // a translation, EOS included, has at least this many tokens
  int no_repeat_ngram = 0;  // no sequence of this many words occurs twice; 0 for no such rule
  double temperature = 1;   // of sampling
  int top_k = 0;            // sample among the k likeliest words; 0 for all
  double top_p = 1;         // sample among the likeliest words that together have this probability
  std::uint64_t seed = 1;   // of sampling

  template <class Visitor>
  void fields(Visitor&& field) {
    field("search", method, "beam, greedy (the likeliest word each time) or sample (words drawn at random)");
    field("beam", beam, "number of hypotheses that a beam search keeps");
    field("alpha", alpha, "strength of the length norm; 0 for none");
    field("length-norm", length_norm, "what log-probabilities are divided by: gnmt ((5+n)/6)^alpha, pow n^alpha, none");
    field("stop", stop,
          "beam search stops when no hypothesis can still win (provable) or as many have ended as the beam is wide "
          "(beam); never: for models of Transformers whose early_stopping is \"never\"");
    field("rules", rules,
          "whose beam search to follow: the paper's, or that of another program, for models that come from it");
    field("n-best", n_best, "number of translations for each line");
    field("max-extra", max_extra, "tokens that a translation may have beyond those of its source");
    field("min-length", min_length, "least number of tokens of a translation, the end of the sentence included");
    field("no-repeat-ngram", no_repeat_ngram,
          "no sequence of this many words occurs twice in a translation; 0 for no limit");
    field("temperature", temperature, "sampling: above 1 flattens the distribution, below 1 sharpens it");
    field("top-k", top_k, "sampling: draw among the k likeliest words; 0 for all");
    field("top-p", top_p, "sampling: draw among the likeliest words that together have this probability");
    field("seed", seed, "seed of sampling; each line has its own random numbers");
  }
  // Throws a UsageError that names the first setting that is out of range. `prefix` stands before the names of settings
  // that should be changed, as in --beam.
  void validate(std::string_view prefix = "--") const;
};

// The model's prediction of the next word of one row: the likeliest words, best first; ties go to the lower id. PAD and
// BOS are never among them.
struct Offer {
  std::span<const std::int32_t> ids;
  std::span<const double> log_p;
  std::span<const double> all;  // [V], log P of every word; empty unless a search wants_all()
};

// A row of the next step.
struct Continuation {
  std::int32_t parent = 0;  // the row of the previous step that it continues
  std::int32_t word = 0;    // the word that the decoder reads next
};

struct Hypothesis {
  data::Sentence tokens;  // without EOS
  double log_probability = 0;
  double score = 0;                // log-probability / length penalty
  bool finished = false;           // it ended in EOS; false if it reached the limit first
  std::vector<std::int32_t> rows;  // for each token, EOS included, the row of the search that chose it
};

// How many of the likeliest words of each row a search must see so that `choices` of them are left after the settings
// have barred some: `barred` words that would repeat an n-gram, and EOS while the hypothesis is shorter than
// min_length.
std::int64_t words_wanted(const SearchSettings& settings, std::int64_t choices, std::int64_t barred,
                          std::int64_t length);

struct Bounds {
  data::Sentence prefix;   // the words that the translation must begin with
  std::int64_t limit = 0;  // most tokens of the translation, EOS included
  std::int64_t given = 0;  // so many words of the prefix count as certain: they add nothing to the log-probability
};

// The words of all hypotheses of a search, as a tree: each word refers to the one before it, so that hypotheses share
// their common beginnings. A word is known by its index, which is higher than that of its parent.
class WordTree {
 public:
  static constexpr std::int32_t kRoot = -1;

  std::int32_t add(std::int32_t parent, std::int32_t word, std::int32_t row);
  // Appends the words from the first one to `last`, and the row that chose each of them.
  void read(std::int32_t last, data::Sentence& words, std::vector<std::int32_t>& rows) const;
  // The last word that two hypotheses have in common, or kRoot.
  std::int32_t common(std::int32_t a, std::int32_t b) const;
  // The words that, coming after `last`, would repeat an n-gram of the hypothesis, in ascending order; none if n is 0.
  std::vector<std::int32_t> repeats(std::int32_t last, int n) const;

 private:
  struct Word {
    std::int32_t parent, word, row;
  };
  std::vector<Word> words_;
};

}  // namespace dragoman::decode
