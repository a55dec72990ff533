#include "dragoman/decode/inside/alignment.h"

#include <algorithm>

#include "dragoman/autograd/record.h"
#include "dragoman/base/strings.h"

namespace dragoman::decode {
namespace {

// Adds up the cross-attention weights of the chosen heads, then gives their mean.
class CrossAttention final : public nn::Observer {
 public:
  CrossAttention(Backend& on, int site, std::span<const data::SentencePair> pairs, const HeadChoice& choice)
      : on_(on), site_(site), choice_(choice) {
    for (const data::SentencePair& pair : pairs) {
      AttentionMap& map = maps_.emplace_back();
      map.targets = static_cast<std::int64_t>(pair.target.size());
      map.sources = static_cast<std::int64_t>(pair.source.size());
      map.weights.assign(pair.target.size() * pair.source.size(), 0.0f);
    }
  }

  void see(int site, int layer, const Array& weights, const Reach&) override {
    if (site != site_) return;
    layers_ = std::max(layers_, layer + 1);
    // The weights are [heads, targets, sources] for each pair, one after the other.
    std::int64_t weights_per_head = 0;
    for (const AttentionMap& map : maps_) weights_per_head += map.targets * map.sources;
    heads_ = static_cast<int>(weights.count() / weights_per_head);
    if (choice_.layer != 0 && choice_.layer != layer + 1) return;
    const std::vector<float> host = weights_on_host(on_, weights);
    const float* head = host.data();
    for (AttentionMap& map : maps_) {
      for (int h = 1; h <= heads_; ++h, head += map.weights.size()) {
        if (choice_.head != 0 && choice_.head != h) continue;
        for (std::size_t i = 0; i < map.weights.size(); ++i) map.weights[i] += head[i];
      }
    }
  }

  std::vector<AttentionMap> mean() {
    const auto check = [](std::string_view what, int chosen, int count) {
      require<UsageError>(chosen >= 0 && chosen <= count, "there is no ", what, " ", chosen, "; the model has ", count,
                          ", counted from 1, and 0 means all of them.");
    };
    check("layer", choice_.layer, layers_);
    check("head", choice_.head, heads_);
    const int seen = (choice_.layer == 0 ? layers_ : 1) * (choice_.head == 0 ? heads_ : 1);
    for (AttentionMap& map : maps_) {
      for (float& weight : map.weights) weight /= static_cast<float>(seen);
    }
    return std::move(maps_);
  }

 private:
  Backend& on_;
  int site_;
  HeadChoice choice_;
  std::vector<AttentionMap> maps_;
  int layers_ = 0, heads_ = 0;
};

}  // namespace

void require_alignment(const nn::AttentionSites& sites) {
  require<UsageError>(nn::cross_site(sites) >= 0,
                      "this model does not attend to the source, so it has no alignment of words.");
}

std::vector<AttentionMap> cross_attention(Backend& on, const model::Seq2Seq& model,
                                          std::span<const data::SentencePair> pairs, const HeadChoice& choice) {
  if (pairs.empty()) return {};
  require_alignment(model.sites());
  const int site = nn::cross_site(model.sites());
  const NoGradient no_gradient;
  const ArenaScope values(on.arena()), host(on.host_arena());
  CrossAttention seen(on, site, pairs, choice);
  nn::Pass pass{.on = on, .observer = &seen};
  const data::Batch batch = data::make_batch(on, pairs,
                                             {.V_source = model.source_vocabulary(),
                                              .V_target = model.target_vocabulary(),
                                              .start_token = model.start_token()});
  model.decode(batch.target, model.encode(batch.source, pass), pass);
  return seen.mean();
}

AttentionMap mean_of(const Attention& attention) {
  AttentionMap map{.targets = attention.queries, .sources = attention.keys, .weights = {}};
  map.weights.assign(static_cast<std::size_t>(map.targets * map.sources), 0.0f);
  const auto share = 1.0f / static_cast<float>(attention.layers * attention.heads);
  for (std::int64_t layer = 0; layer < attention.layers; ++layer) {
    for (std::int64_t head = 0; head < attention.heads; ++head) {
      const float* weights = &attention.weights[(layer * attention.heads + head) * map.targets * map.sources];
      add_share(map.weights, weights, share);
    }
  }
  return map;
}

std::vector<std::int64_t> words_of(const data::Sentence& tokens, const text::Tokenizer& tokenizer) {
  std::vector<std::int64_t> words;
  std::int64_t word = -1;
  std::int32_t previous = kBos;
  for (const std::int32_t token : tokens) {
    if (word < 0 || token == kEos || tokenizer.begins_word(previous, token)) ++word;
    words.push_back(word);
    previous = token;
  }
  return words;
}

AttentionMap by_words(const AttentionMap& tokens, std::span<const std::int64_t> target_words,
                      std::span<const std::int64_t> source_words) {
  AttentionMap words{.targets = target_words.back() + 1, .sources = source_words.back() + 1, .weights = {}};
  words.weights.assign(static_cast<std::size_t>(words.targets * words.sources), 0.0f);
  std::vector<float> lengths(static_cast<std::size_t>(words.targets), 0.0f);
  for (std::int64_t j = 0; j < tokens.targets; ++j) {
    lengths[target_words[j]] += 1;
    for (std::int64_t i = 0; i < tokens.sources; ++i) {
      words.weights[target_words[j] * words.sources + source_words[i]] += tokens.at(j, i);
    }
  }
  for (std::int64_t j = 0; j < words.targets; ++j) {
    for (std::int64_t i = 0; i < words.sources; ++i) words.weights[j * words.sources + i] /= lengths[j];
  }
  return words;
}

std::vector<WordLink> links(const AttentionMap& words) {
  std::vector<WordLink> found;
  // The last word of either side is EOS, which has no link.
  for (std::int64_t j = 0; j + 1 < words.targets; ++j) {
    std::int64_t most = 0;
    for (std::int64_t i = 1; i < words.sources; ++i) {
      if (words.at(j, i) > words.at(j, most)) most = i;
    }
    if (most + 1 < words.sources) found.push_back({.source = most, .target = j});
  }
  return found;
}

std::vector<WordLink> traced_links(const Trace& trace, const Hypothesis& hypothesis, const data::Sentence& source,
                                   const text::Tokenizer& source_tokenizer, const text::Tokenizer& target_tokenizer) {
  if (!hypothesis.finished || nn::cross_site(trace.sites) < 0) return {};
  data::Sentence target = hypothesis.tokens;
  target.push_back(kEos);
  return links(by_words(mean_of(trace.cross(hypothesis)), words_of(target, target_tokenizer),
                        words_of(source, source_tokenizer)));
}

std::string pharaoh(std::vector<WordLink> links) {
  std::ranges::sort(links, {}, [](const WordLink& link) { return std::pair(link.source, link.target); });
  std::string text;
  for (const WordLink& link : links) text += join(text.empty() ? "" : " ", link.source, "-", link.target);
  return text;
}

}  // namespace dragoman::decode
