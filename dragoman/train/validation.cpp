#include "dragoman/train/validation.h"

#include <algorithm>

#include "dragoman/base/error.h"
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

double Validator::nll(Backend& on, const model::Seq2Seq& model, bool batch_statistics) const {
  double sum = 0;
  std::int64_t tokens = 0;
  for (std::span<const data::SentencePair> left = pairs_; !left.empty();) {
    const Losses losses =
        evaluate(on, model, data::take_batch(left, limits_.batch_tokens), {.epsilon = 0}, batch_statistics);
    sum += losses.nll() * static_cast<double>(losses.items);
    tokens += losses.items;
  }
  return sum / static_cast<double>(tokens);
}

std::vector<std::string> Validator::translate(Backend& on, const model::Seq2Seq& model) const {
  std::vector<std::string> translations;
  const auto at_once = static_cast<std::size_t>(limits_.decode_sentences);
  for (std::size_t first = 0; first < sources_.size(); first += at_once) {
    std::vector<data::Sentence> sources;
    for (std::size_t i = first; i < std::min(first + at_once, sources_.size()); ++i)
      sources.push_back(pairs_[i].source);
    for (const decode::Hypothesis& translation :
         decode::greedy(on, model, sources, {.first = tokenizers_.target.first()})) {
      translations.push_back(tokenizers_.target.decode(translation.tokens));
    }
  }
  return translations;
}

Validation Validator::run(Backend& on, const model::Seq2Seq& model) const {
  Validation validation;
  validation.scores.set("nll", nll(on, model));
  if (model.uses_batch_statistics()) validation.scores.set("nll_of_batch_statistics", nll(on, model, true));
  if (sources_.empty()) return validation;
  const std::vector<std::string> translations = translate(on, model);
  const eval::Bleu bleu = eval::corpus_bleu(translations, references_, {.tokenizer = limits_.bleu_words});
  validation.scores.set("bleu", bleu.score);
  for (std::size_t i = 0; i < std::min(kSamples, sources_.size()); ++i) {
    validation.samples.push_back({sources_[i], references_[i], translations[i]});
  }
  return validation;
}

}  // namespace dragoman::train
