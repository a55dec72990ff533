#include "dragoman/cli/pronouns.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dragoman/backend/backend.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/decode/roles/heads_file.h"
#include "dragoman/decode/roles/pronoun_heads.h"
#include "dragoman/decode/roles/word_units.h"
#include "dragoman/demo/contrasts.h"
#include "dragoman/demo/plain_words.h"
#include "dragoman/eval/spaces.h"

namespace dragoman::cli {
namespace {

using demo::ReferencePair;

// A word of a sentence, without punctuation marks; empty if the sentence is shorter.
std::string word_of(const std::string& sentence, std::int64_t number) {
  const auto words = eval::split_words(sentence);
  if (number >= std::ssize(words)) return {};
  return std::string(demo::plain_words(words[static_cast<std::size_t>(number)]).front());
}

// The share of the pairs whose translation has the right pronoun in its place.
double share_translated(const std::filesystem::path& model, std::span<const ReferencePair> pairs, int threads) {
  decode::Translator translator(model, {.threads = threads});
  std::vector<std::string> sources;
  for (const ReferencePair& pair : pairs) sources.push_back(pair.text.source);
  const std::vector<decode::TranslatedLine> lines = translator.translate(sources);
  std::size_t right = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::int64_t place = pairs[i].reference.translation;
    right += word_of(lines[i].text, place) == word_of(pairs[i].text.target, place);
  }
  return static_cast<double>(right) / static_cast<double>(pairs.size());
}

// Looks at the heads of one model.
class Heads {
 public:
  Heads(const std::filesystem::path& model, int threads)
      : on_(make_backend({}, {.threads = threads})), loaded_(*on_, model) {}

  std::vector<decode::PronounHead> in(std::span<const ReferencePair> pairs) const {
    std::vector<decode::PronounSentence> sentences;
    for (const ReferencePair& pair : pairs) {
      const auto& [pronoun, meant, other, translation] = pair.reference;
      sentences.push_back({tokens_of(pair), pronoun, translation, meant, other});
    }
    return decode::pronoun_heads(*on_, *loaded_.model, loaded_.tokenizers, sentences);
  }
  const nn::AttentionSite& site_of(const nn::Head& head) const { return sites_[static_cast<std::size_t>(head.site)]; }

  // Where the queries of a head are: the place of the pronoun among the words and punctuation marks of the source, or
  // that of its translation among those of the target, counted from 1.
  std::int64_t place_of_query(const ReferencePair& pair, const nn::Head& head) const {
    const data::SentencePair tokens = tokens_of(pair);
    const bool is_cross = site_of(head).is_cross();
    const std::vector<decode::WordUnit> units =
        (is_cross ? decode::word_units(tokens.target, loaded_.tokenizers.target)
                  : decode::word_units(tokens.source, loaded_.tokenizers.source))
            .units;
    const std::int64_t word = is_cross ? pair.reference.translation : pair.reference.pronoun;
    const auto is_word = [&](const decode::WordUnit& unit) { return unit.word == word && !unit.is_mark; };
    return std::ranges::find_if(units, is_word) - units.begin() + 1;
  }

 private:
  data::SentencePair tokens_of(const ReferencePair& pair) const {
    const auto& [from, to] = loaded_.tokenizers;
    return {from.with_end(from.encode(pair.text.source)), to.with_end(to.encode(pair.text.target))};
  }

  std::unique_ptr<Backend> on_;
  model::LoadedModel loaded_;
  nn::AttentionSites sites_ = loaded_.model->sites();
};

Json example_json(const PronounExample& example, const Heads& heads, std::size_t chosen) {
  const decode::PronounHead head = heads.in(example)[chosen];
  Json sentences = Json::array();
  for (std::size_t i = 0; i < example.size(); ++i) {
    const auto& [text, reference] = example[i];
    sentences.push_back({{"text", text.source},
                         {"meant", word_of(text.source, reference.meant)},
                         {"other", word_of(text.source, reference.other)},
                         {"to_meant", decode::rounded(head.sentences[i].meant)},
                         {"to_other", decode::rounded(head.sentences[i].other)}});
  }
  return {{"pronoun", word_of(example[0].text.source, example[0].reference.pronoun)},
          {"place", heads.place_of_query(example[0], head.head)},
          {"sentences", sentences}};
}

}  // namespace

Json test_pronouns(const std::filesystem::path& model, const demo::DemoCorpus& corpus,
                   std::optional<PronounExample> example, int threads) {
  const Heads heads(model, threads);
  const std::vector<decode::PronounHead> trained = heads.in(corpus.train_references);
  const std::size_t best =
      static_cast<std::size_t>(std::ranges::max_element(trained, {}, &decode::PronounHead::share) - trained.begin());
  const decode::PronounHead unseen = heads.in(corpus.unseen_references)[best];

  const auto contrasts = demo::contrasts(corpus.unseen_references);
  const auto flips = std::ranges::count_if(contrasts, [&](const auto& contrast) {
    return unseen.sentences[contrast.first].right() && unseen.sentences[contrast.second].right();
  });
  if (!example && !contrasts.empty()) {
    example = {corpus.unseen_references[contrasts.front().first], corpus.unseen_references[contrasts.front().second]};
  }
  const nn::Head& head = unseen.head;
  Json found{{"attention", heads.site_of(head).name},
             {"layer", head.layer + 1},
             {"head", head.head + 1},
             {"sentences", corpus.unseen_references.size()},
             {"translated", decode::rounded(share_translated(model, corpus.unseen_references, threads))},
             {"training", decode::rounded(trained[best].share())},
             {"prefers", decode::rounded(unseen.share())},
             {"contrasts", contrasts.size()}};
  if (!contrasts.empty()) {
    found["flips"] = decode::rounded(static_cast<double>(flips) / static_cast<double>(contrasts.size()));
  }
  if (example) found["example"] = example_json(*example, heads, best);
  return found;
}

}  // namespace dragoman::cli
