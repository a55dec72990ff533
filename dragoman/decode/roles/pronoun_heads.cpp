#include "dragoman/decode/roles/pronoun_heads.h"

#include <algorithm>

#include "dragoman/decode/inside/forced.h"
#include "dragoman/decode/roles/word_units.h"

namespace dragoman::decode {
namespace {

// The tokens of a word, without its punctuation marks.
std::vector<std::int64_t> tokens_of(const WordUnits& words, std::int64_t word) {
  std::vector<std::int64_t> tokens;
  for (std::int64_t token = 0; token < std::ssize(words.of_token); ++token) {
    const WordUnit& unit = words.units[words.of_token[token]];
    if (unit.word == word && !unit.is_mark) tokens.push_back(token);
  }
  return tokens;
}

std::vector<PronounHead> heads_that_see_the_source(const nn::AttentionSites& sites) {
  std::vector<PronounHead> heads;
  for (int site = 0; site < std::ssize(sites); ++site) {
    const nn::AttentionSite& listed = sites[static_cast<std::size_t>(site)];
    if (listed.keys != nn::Side::kSource) continue;
    for (int layer = 0; layer < listed.layers; ++layer) {
      for (int head = 0; head < listed.heads; ++head) heads.push_back({{site, layer, head}, {}});
    }
  }
  return heads;
}

}  // namespace

double PronounHead::share() const {
  if (sentences.empty()) return 0;
  return static_cast<double>(std::ranges::count_if(sentences, &Weights::right)) / static_cast<double>(sentences.size());
}

std::vector<PronounHead> pronoun_heads(Backend& on, const model::Seq2Seq& model, const model::Tokenizers& tokenizers,
                                       std::span<const PronounSentence> sentences) {
  const nn::AttentionSites sites = model.sites();
  std::vector<PronounHead> heads = heads_that_see_the_source(sites);
  for (const PronounSentence& sentence : sentences) {
    const WordUnits words = word_units(sentence.pair.source, tokenizers.source);
    const std::vector<std::int64_t> pronoun = tokens_of(words, sentence.pronoun);
    const std::vector<std::int64_t> translation =
        tokens_of(word_units(sentence.pair.target, tokenizers.target), sentence.translation);
    const Forced forced = run_forced(on, model, sentence.pair);
    for (PronounHead& head : heads) {
      const auto site = static_cast<std::size_t>(head.head.site);
      const Attention& attention = forced.attention[site];
      if (attention.weights.empty()) continue;  // the model does not show these weights
      const std::vector<std::int64_t>& queries = sites[site].is_cross() ? translation : pronoun;
      const auto weight_of = [&](std::int64_t word) {
        double sum = 0;
        for (const std::int64_t query : queries) {
          for (const std::int64_t key : tokens_of(words, word)) {
            sum += attention.at(head.head.layer, head.head.head, query, key);
          }
        }
        return sum / static_cast<double>(queries.size());
      };
      head.sentences.push_back({weight_of(sentence.meant), weight_of(sentence.other)});
    }
  }
  return heads;
}

}  // namespace dragoman::decode
