#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "dragoman/base/fields.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/learning_memory.h"
#include "dragoman/text/sampling.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::text {
namespace {

constexpr std::size_t kMaxBytes = 100'000'000;  // more text would cost memory and hardly improve a vocabulary
constexpr std::int64_t kSpecialTokens = 4, kByteTokens = 256, kMaxVocabulary = 1'000'000;
constexpr double kLowestCoverage = 0.98;  // SentencePiece refuses lower values

class SentenceList : public sentencepiece::SentenceIterator {
 public:
  explicit SentenceList(const std::vector<std::string>& sentences) : sentences_(sentences) {}
  bool done() const override { return next_ == sentences_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return sentences_[next_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& sentences_;
  std::size_t next_ = 0;
};

std::string rule_name(Normalisation normalisation) {
  constexpr std::array<const char*, 5> kNames{"identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"};
  return kNames[static_cast<std::size_t>(normalisation)];
}

struct Outcome {
  std::string model;    // empty if training failed
  std::string problem;  // why it failed
};

Outcome run_library(const TokenizerSettings& settings, TokenizerKind kind, std::int64_t vocabulary,
                    const std::vector<std::string>& sentences) {
  const std::unordered_map<std::string, std::string> flags{
      {"model_type", std::string(to_string(kind))},
      {"vocab_size", write_value(vocabulary)},
      {"hard_vocab_limit", "false"},  // accept fewer tokens if the text has no more
      {"pad_id", write_value(kPad)},
      {"bos_id", write_value(kBos)},
      {"eos_id", write_value(kEos)},
      {"unk_id", write_value(kUnk)},
      {"normalization_rule_name", rule_name(settings.normalisation)},
      {"byte_fallback", write_value(settings.byte_fallback)},
      {"character_coverage", write_value(settings.character_coverage)},
      {"num_threads", "4"},          // unigram's sums depend on it, so it must be the same on every machine
      {"input_sentence_size", "0"},  // use all sentences: we have sampled them already
      {"max_sentence_length", write_value(static_cast<std::int64_t>(2 * kMaxBytes))},
      {"self_test_sample_size", "0"},
      {"minloglevel", "3"},
  };
  SentenceList given(sentences);
  Outcome outcome;
  const sentencepiece::util::Status status = sentencepiece::SentencePieceTrainer::Train(flags, &given, &outcome.model);
  if (!status.ok()) outcome = {.model = "", .problem = std::string(status.message())};
  return outcome;
}

// Whether anything but spaces is left of the sentences after normalisation. The library ends the program if unigram
// gets nothing but spaces, and only its normaliser knows which characters become spaces. So a vocabulary of characters
// is learned to find out.
bool contain_text(const TokenizerSettings& settings, const std::vector<std::string>& sentences) {
  const auto is_plain = [](char c) { return c > ' ' && c <= '~'; };  // no normalisation removes these
  for (const std::string& sentence : sentences) {
    if (std::any_of(sentence.begin(), sentence.end(), is_plain)) return true;
  }
  const Outcome characters = run_library(settings, TokenizerKind::kChar, kMaxVocabulary, sentences);
  if (characters.model.empty()) return false;
  const Tokenizer tokenizer = Tokenizer::from_bytes(characters.model, "characters");
  const std::int64_t reserved = kSpecialTokens + (settings.byte_fallback ? kByteTokens : 0);
  return tokenizer.size() > reserved + 1;  // one token is the space
}

// Reads 84 out of "... 20 vs 84. ...": the number of tokens that the characters of the text need.
std::optional<std::int64_t> needed_tokens(std::string_view problem) {
  const std::size_t versus = problem.find(" vs ");
  if (problem.find("required_chars") == std::string_view::npos || versus == std::string_view::npos) return std::nullopt;
  const std::string_view rest = problem.substr(versus + 4);
  return parse_number<std::int64_t>(rest.substr(0, rest.find_first_not_of("0123456789")));
}

[[noreturn]] void throw_failure(const std::string& problem, std::int64_t vocabulary) {
  if (const std::optional<std::int64_t> needed = needed_tokens(problem)) {
    throw UsageError(join("a vocabulary of ", vocabulary, " tokens is too small: the characters of this text need ",
                          *needed, "; choose a larger vocabulary or a lower character-coverage."));
  }
  throw Error(
      join("cannot learn a vocabulary of ", vocabulary, " tokens from this text (SentencePiece: ", problem, ")."));
}

constexpr std::size_t kMaxExpansion = 18;  // one character becomes at most this many in NFKC

// The largest number of characters that normalisation may turn this one into.
std::size_t max_normalised(char32_t code, Normalisation normalisation) {
  const auto within = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
  if (normalisation == Normalisation::kIdentity || code < 0x80) return 1;
  if (code < 0x2000) return 3;
  const bool is_plain = within(0x3040, 0x30FF) || within(0x3400, 0x9FFF) || within(0xAC00, 0xD7A3);
  return is_plain ? 1 : kMaxExpansion;
}

// The library stores positions in a word in 15 bits: with a word of more than 32,768 characters it reads beyond its
// lists, and with more than 65,535 it ends the program. So long words are cut.
void cut_long_words(std::string& sentence, Normalisation normalisation) {
  constexpr std::size_t kMaxCharacters = 32'000;
  if (sentence.size() <= kMaxCharacters / kMaxExpansion) return;
  std::size_t characters = 0;
  std::string cut;
  for (std::size_t at = 0; at < sentence.size();) {
    const std::size_t begin = at;
    const char32_t code = next_code_point(sentence, at);
    characters = code == U' ' ? 0 : characters + max_normalised(code, normalisation);
    if (characters > kMaxCharacters) {
      cut += ' ';
      characters = 0;
    }
    cut.append(sentence, begin, at - begin);
  }
  sentence = std::move(cut);
}

// Limits the sample to what could fit in the memory: learning takes more than twice the bytes of the text, and more
// than a hundred bytes for each sentence.
SentenceSample make_sample(const TokenizerSettings& settings, std::uint64_t seed, const LearningLimits& limits) {
  const auto sentences = static_cast<std::size_t>(settings.sentences);
  if (limits.memory == 0) return {sentences, kMaxBytes, seed};
  return {std::min(sentences, limits.memory / 100), std::min(kMaxBytes, limits.memory / 2), seed};
}

std::size_t bytes_of(const std::vector<std::string>& sentences) {
  std::size_t bytes = 0;
  for (const std::string& sentence : sentences) bytes += sentence.size();
  return bytes;
}

// Draws fewer and fewer of the sentences until learning from them fits in the memory.
void fit_in_memory(const TokenizerSettings& settings, std::int64_t vocabulary, std::uint64_t seed,
                   const LearningLimits& limits, std::vector<std::string>& sentences) {
  const std::size_t given = bytes_of(sentences), limit = limits.memory;
  std::size_t needed = learning_bytes(settings.kind, vocabulary, sentences);
  while (needed > limit) {
    const double share = 0.95 * static_cast<double>(limit) / static_cast<double>(needed);
    const auto bytes = static_cast<std::size_t>(share * static_cast<double>(bytes_of(sentences)));
    require<MemoryError>(sentences.size() > 1 && bytes > 0, "learning a vocabulary from a sentence of ",
                         bytes_of(sentences), " bytes needs ", (needed >> 20) + 1, " MiB, but ", limit >> 20,
                         " MiB are left for it; allow more memory, or shorten the text's lines.");
    SentenceSample fewer(sentences.size() - 1, bytes, seed);
    for (std::string& sentence : sentences) fewer.add(std::move(sentence));
    sentences = fewer.take();
    needed = learning_bytes(settings.kind, vocabulary, sentences);
  }
  const std::size_t kept = bytes_of(sentences);
  if (kept == given || !limits.message) return;
  limits.message(join("vocabulary: to stay within the memory limit, it is learned from ",
                      with_thousands(static_cast<std::int64_t>(kept)), " of ",
                      with_thousands(static_cast<std::int64_t>(given)), " bytes of text, drawn at random"));
}

}  // namespace

void TokenizerSettings::validate() const {
  require<UsageError>(character_coverage >= kLowestCoverage && character_coverage <= 1, "character-coverage is ",
                      character_coverage, "; it must be from ", kLowestCoverage, " to 1.");
  require<UsageError>(sentences > 0, "tokenizer-sentences is ", sentences, "; it must be above 0.");
}

Tokenizer train_tokenizer(const TokenizerSettings& settings, std::int64_t vocabulary, std::uint64_t seed,
                          const NextSentence& next, const LearningLimits& limits) {
  settings.validate();
  const std::int64_t smallest = kSpecialTokens + 1 + (settings.byte_fallback ? kByteTokens : 0);
  require<UsageError>(vocabulary >= smallest && vocabulary <= kMaxVocabulary, "vocabulary is ", vocabulary,
                      "; it must be from ", smallest, " to ", kMaxVocabulary, ".");
  SentenceSample sample = make_sample(settings, seed, limits);
  for (std::string sentence; next(sentence);) {
    std::replace(sentence.begin(), sentence.end(), '\t', ' ');  // as Tokenizer::encode() does
    cut_long_words(sentence, settings.normalisation);
    if (!sentence.empty()) sample.add(std::move(sentence));
  }
  std::vector<std::string> sentences = sample.take();
  if (limits.memory > 0) fit_in_memory(settings, vocabulary, seed, limits, sentences);
  require<UsageError>(contain_text(settings, sentences), "there is no text to learn a vocabulary from.");
  Outcome outcome = run_library(settings, settings.kind, vocabulary, sentences);
  if (outcome.model.empty()) throw_failure(outcome.problem, vocabulary);
  return Tokenizer::from_bytes(std::move(outcome.model), "the new tokenizer");
}

}  // namespace dragoman::text
