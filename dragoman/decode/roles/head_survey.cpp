#include "dragoman/decode/roles/head_survey.h"

#include <algorithm>
#include <utility>

#include "dragoman/decode/inside/forced.h"
#include "dragoman/decode/roles/cooccurrence.h"

namespace dragoman::decode {
namespace {

struct PairWords {
  WordUnits source, target;
};

// The indices of the words among the units.
std::vector<std::int64_t> words_without_marks(const WordUnits& units) {
  std::vector<std::int64_t> words;
  for (std::int64_t i = 0; i < std::ssize(units.units); ++i) {
    if (!units.units[i].is_mark) words.push_back(i);
  }
  return words;
}

std::vector<std::string> texts_of(const WordUnits& units) {
  std::vector<std::string> texts;
  for (const std::int64_t word : words_without_marks(units)) texts.push_back(units.units[word].text);
  return texts;
}

// The clear links of each pair, between units.
std::vector<std::vector<eval::WordLink>> clear_unit_links(const std::vector<PairWords>& pairs) {
  std::vector<WordPair> texts;
  for (const PairWords& pair : pairs) texts.push_back({texts_of(pair.source), texts_of(pair.target)});
  std::vector<std::vector<eval::WordLink>> links = clear_links(texts);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto source = words_without_marks(pairs[i].source), target = words_without_marks(pairs[i].target);
    for (eval::WordLink& link : links[i]) link = {source[link.source], target[link.target]};
  }
  return links;
}

// What is counted for one head.
struct HeadCounts {
  nn::Head head;
  HeadTally tally;
  eval::AlignmentErrors errors;
};

std::vector<HeadCounts> heads_of(const nn::AttentionSites& sites) {
  std::vector<HeadCounts> heads;
  for (int site = 0; site < static_cast<int>(sites.size()); ++site) {
    for (int layer = 0; layer < sites[site].layers; ++layer) {
      for (int head = 0; head < sites[site].heads; ++head) heads.push_back({{site, layer, head}, {}, {}});
    }
  }
  return heads;
}

AttentionMap head_of(const Attention& attention, const nn::Head& head) {
  const std::int64_t size = attention.queries * attention.keys;
  const float* weights = &attention.weights[(head.layer * attention.heads + head.head) * size];
  return {.targets = attention.queries, .sources = attention.keys, .weights = {weights, weights + size}};
}

HeadReport report_of(const HeadCounts& counts, const nn::AttentionSites& sites, bool has_gold) {
  HeadReport report{.head = counts.head, .role = {}, .numbers = counts.tally.numbers(), .alignment_error = {}};
  if (has_gold && sites[static_cast<std::size_t>(counts.head.site)].is_cross()) {
    report.alignment_error = counts.errors.rate();
  }
  return report;
}

void give_roles(std::vector<HeadReport>& heads) {
  double best_agreement = 0;
  for (const HeadReport& report : heads) {
    best_agreement = std::max(best_agreement, report.numbers.agreement.value_or(0));
  }
  for (HeadReport& report : heads) report.role = role_of(report.numbers, best_agreement);
}

}  // namespace

HeadSurvey survey_heads(Backend& on, const model::Seq2Seq& model, const model::Tokenizers& tokenizers,
                        const SurveyRequest& request) {
  HeadSurvey survey;
  survey.sites = model.sites();
  survey.sentences = std::ssize(request.pairs);
  std::vector<PairWords> words;
  for (const data::SentencePair& pair : request.pairs) {
    words.push_back({word_units(pair.source, tokenizers.source), word_units(pair.target, tokenizers.target)});
    survey.source_words += std::ssize(words.back().source.units) - 1;
    survey.target_words += std::ssize(words.back().target.units) - 1;
  }
  const std::vector<std::vector<eval::WordLink>> clear = clear_unit_links(words);
  for (const auto& links : clear) survey.clear_links += std::ssize(links);

  std::vector<HeadCounts> heads = heads_of(survey.sites);
  for (std::size_t i = 0; i < request.pairs.size(); ++i) {
    const Forced forced = run_forced(on, model, request.pairs[i]);
    std::vector<SiteWords> sites;
    for (const nn::AttentionSite& site : survey.sites) sites.emplace_back(site, words[i].source, words[i].target);
    for (HeadCounts& counts : heads) {
      const auto site = static_cast<std::size_t>(counts.head.site);
      if (forced.attention[site].weights.empty()) continue;  // the model does not show these weights
      const AttentionMap weights = head_of(forced.attention[site], counts.head);
      counts.tally.add(weights, sites[site], clear[i]);
      if (request.gold.empty() || !sites[site].is_cross) continue;
      counts.errors.add(head_links(weights, words[i].source, words[i].target), request.gold[i]);
    }
    if (request.progress) request.progress(static_cast<std::int64_t>(i) + 1);
  }
  for (const HeadCounts& counts : heads) survey.heads.push_back(report_of(counts, survey.sites, !request.gold.empty()));
  give_roles(survey.heads);
  return survey;
}

}  // namespace dragoman::decode
