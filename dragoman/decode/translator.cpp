#include "dragoman/decode/translator.h"

#include <algorithm>
#include <numeric>

#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"
#include "dragoman/decode/greedy.h"

namespace dragoman::decode {

Translator::Translator(const std::filesystem::path& directory, const TranslatorOptions& options)
    : options_(options),
      on_(make_backend(Device{}, {.threads = options.threads})),
      model_(std::make_unique<model::LoadedModel>(*on_, directory, options.weights)) {}

std::vector<data::Sentence> Translator::cut(std::span<const std::string> lines, std::int64_t first_line) const {
  std::vector<data::Sentence> sentences;
  for (const std::string& line : lines) {
    const auto number = first_line + static_cast<std::int64_t>(sentences.size());
    require<UsageError>(!first_invalid_utf8(line), "line ", number, " is not UTF-8 text; mend or remove it.");
    data::Sentence& sentence = sentences.emplace_back(model_->tokenizers.source.encode(line));
    const auto tokens = static_cast<std::int64_t>(sentence.size());
    require<UsageError>(tokens <= options_.longest, "line ", number, " has ", tokens, " tokens, more than ",
                        options_.longest, "; cut it into sentences, or raise --longest.");
    if (!sentence.empty()) sentence.push_back(data::kEos);
  }
  return sentences;
}

std::vector<TranslatedLine> Translator::translate(std::span<const std::string> lines, std::int64_t first_line) {
  const std::vector<data::Sentence> sources = cut(lines, first_line);
  std::vector<TranslatedLine> results(lines.size());
  std::vector<std::size_t> order(lines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t line) { return sources[line].empty(); });
  // By length: a batch goes on until its longest translation is done.
  std::ranges::stable_sort(order, {}, [&](std::size_t line) { return sources[line].size(); });
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first, tokens = 0;
    do {
      tokens += sources[order[last++]].size();
    } while (last < order.size() &&
             tokens + sources[order[last]].size() <= static_cast<std::size_t>(options_.batch_tokens));
    translate_batch(sources, std::span(order).subspan(first, last - first), results);
    first = last;
  }
  return results;
}

void Translator::translate_batch(std::span<const data::Sentence> sources, std::span<const std::size_t> batch,
                                 std::vector<TranslatedLine>& results) {
  std::vector<data::SentencePair> pairs;
  std::vector<data::Sentence> chosen;
  for (const std::size_t line : batch) chosen.push_back(sources[line]);
  const std::vector<Translation> translations = greedy(*on_, model_->transformer, chosen, options_.max_extra);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    TranslatedLine& result = results[batch[i]];
    result.text = model_->tokenizers.target.decode(translations[i].tokens);
    result.log_probability = translations[i].log_probability;
    result.finished = translations[i].finished;
    data::SentencePair& pair = pairs.emplace_back(data::SentencePair{chosen[i], translations[i].tokens});
    pair.target.push_back(data::kEos);
  }
  if (!options_.alignment) return;
  std::vector<AttentionMap> maps = cross_attention(*on_, model_->transformer, pairs, *options_.alignment);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    TranslatedLine& result = results[batch[i]];
    result.source = std::move(pairs[i].source);
    result.target = std::move(pairs[i].target);
    result.attention = std::move(maps[i]);
  }
}

}  // namespace dragoman::decode
