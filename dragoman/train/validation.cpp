#include "dragoman/train/validation.h"

#include <algorithm>
#include <bit>
#include <span>

#include "dragoman/base/error.h"
#include "dragoman/base/hash.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/train/trainer.h"

namespace dragoman::train {
namespace {

constexpr std::size_t kSamples = 5;

}  // namespace

Validator::Validator(const data::ParallelFiles& files, const model::Tokenizers& tokenizers,
                     const ValidationLimits& limits)
    : tokenizers_(tokenizers), limits_(limits) {
  data::ParallelReader reader(files);
  std::string source, target;
  while (reader.next(source, target)) {
    data::SentencePair pair{tokenizers.source.encode(source), tokenizers.target.encode(target)};
    const bool is_empty = pair.source.empty() || pair.target.empty();
    pair = {tokenizers.source.with_end(std::move(pair.source)), tokenizers.target.with_end(std::move(pair.target))};
    const auto longest = static_cast<int>(std::max(pair.source.size(), pair.target.size()));
    if (is_empty || longest > limits.max_length) {
      ++left_out_;
      continue;
    }
    pairs_.push_back(std::move(pair));
    if (static_cast<int>(sources_.size()) < limits.bleu_sentences) {
      sources_.push_back(source);
      references_.push_back(target);
    }
  }
  require<UsageError>(!pairs_.empty(), "the validation text '", files.source, "' has no pair of at most ",
                      limits.max_length, " tokens a side.");
}

std::string Validator::key() const {
  Hash hash;
  for (const data::SentencePair& pair : pairs_) {
    for (const data::Sentence* side : {&pair.source, &pair.target}) {
      const auto length = static_cast<std::int64_t>(side->size());
      hash.add(&length, sizeof length).add(side->data(), side->size() * sizeof side->front());
    }
  }
  return hash.hex();
}

// The ranks take the batches in turn. Then each rank gets the sums of all batches and adds them, in the order of the
// batches, so that the result does not depend on the number of ranks.
double Validator::nll(Backend& on, const model::Seq2Seq& model, exchange::Exchange& ranks,
                      bool batch_statistics) const {
  std::vector<std::span<const data::SentencePair>> batches;
  for (std::span<const data::SentencePair> left = pairs_; !left.empty();) {
    batches.push_back(data::take_batch(left, limits_.batch_tokens));
  }
  struct Part {
    double sum = 0;
    std::int64_t tokens = 0;
  };
  const auto turns = static_cast<std::size_t>(ranks.ranks());
  std::vector<Part> mine((batches.size() + turns - 1) / turns);
  for (std::size_t i = static_cast<std::size_t>(ranks.rank()); i < batches.size(); i += turns) {
    const Losses losses = evaluate(on, model, batches[i], {.epsilon = 0}, batch_statistics);
    mine[i / turns] = {.sum = losses.nll() * static_cast<double>(losses.items), .tokens = losses.items};
  }
  std::vector<std::int64_t> numbers;
  for (const Part& part : mine) numbers.insert(numbers.end(), {std::bit_cast<std::int64_t>(part.sum), part.tokens});
  const std::vector<std::int64_t> all = ranks.gather(numbers);
  Part whole;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const std::size_t at = i % turns * numbers.size() + i / turns * 2;
    whole.sum += std::bit_cast<double>(all[at]);
    whole.tokens += all[at + 1];
  }
  return whole.sum / static_cast<double>(whole.tokens);
}

// Each rank translates a range of the sentences. A translation does not depend on the sentences beside it.
std::vector<std::string> Validator::translate(Backend& on, const model::Seq2Seq& model,
                                              exchange::Exchange& ranks) const {
  const auto n = static_cast<std::int64_t>(sources_.size());
  const std::int64_t first = n * ranks.rank() / ranks.ranks(), end = n * (ranks.rank() + 1) / ranks.ranks();
  std::vector<std::int64_t> mine;  // for each sentence its length and its tokens
  for (std::int64_t begin = first; begin < end; begin += limits_.decode_sentences) {
    std::vector<data::Sentence> sources;
    for (std::int64_t i = begin; i < std::min(begin + limits_.decode_sentences, end); ++i) {
      sources.push_back(pairs_[static_cast<std::size_t>(i)].source);
    }
    for (const decode::Hypothesis& translation :
         decode::greedy(on, model, sources, {.first = tokenizers_.target.first()})) {
      mine.push_back(std::ssize(translation.tokens));
      mine.insert(mine.end(), translation.tokens.begin(), translation.tokens.end());
    }
  }
  const std::int64_t size[] = {std::ssize(mine)};
  const std::vector<std::int64_t> sizes = ranks.gather(size);
  const auto longest = static_cast<std::size_t>(std::ranges::max(sizes));
  mine.resize(longest);
  const std::vector<std::int64_t> all = ranks.gather(mine);
  std::vector<std::string> translations;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
    std::span<const std::int64_t> left(all.data() + rank * longest, static_cast<std::size_t>(sizes[rank]));
    while (!left.empty()) {
      const auto length = static_cast<std::size_t>(left.front());
      const std::span<const std::int64_t> tokens = left.subspan(1, length);
      translations.push_back(tokenizers_.target.decode(data::Sentence(tokens.begin(), tokens.end())));
      left = left.subspan(1 + length);
    }
  }
  return translations;
}

Validation Validator::run(Backend& on, const model::Seq2Seq& model, exchange::Exchange& ranks) const {
  Validation validation;
  validation.scores.set("nll", nll(on, model, ranks));
  if (model.uses_batch_statistics()) validation.scores.set("nll_of_batch_statistics", nll(on, model, ranks, true));
  if (sources_.empty()) return validation;
  const std::vector<std::string> translations = translate(on, model, ranks);
  const eval::Bleu bleu = eval::corpus_bleu(translations, references_, {.tokenizer = limits_.bleu_words});
  validation.scores.set("bleu", bleu.score);
  for (std::size_t i = 0; i < std::min(kSamples, sources_.size()); ++i) {
    validation.samples.push_back({sources_[i], references_[i], translations[i]});
  }
  return validation;
}

}  // namespace dragoman::train
