#include "dragoman/cli/find_roles.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/cli/show/progress.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/decode/roles/heads_file.h"

namespace dragoman::cli {
namespace {

constexpr std::int64_t kMaxRoleTokens = 200;  // of a sentence; its attention grows with the square

// Pairs of tokens, and the alignments of those that are used.
struct TokenPairs {
  std::vector<data::SentencePair> pairs;
  std::vector<eval::GoldLinks> gold;
};

// Adds pair number i unless one side is empty, but for its end, or too long.
void add_pair(const RolesRequest& request, std::size_t i, data::SentencePair pair, TokenPairs& to) {
  const std::int64_t source = std::ssize(pair.source), target = std::ssize(pair.target);
  const auto is_empty = [](const data::Sentence& tokens) { return tokens.empty() || tokens.front() == kEos; };
  if (is_empty(pair.source) || is_empty(pair.target) || std::max(source, target) > kMaxRoleTokens) return;
  to.pairs.push_back(std::move(pair));
  if (!request.gold.empty()) to.gold.push_back(request.gold[i]);
}

TokenPairs reference_pairs(const RolesRequest& request, const model::Tokenizers& tokenizers) {
  TokenPairs pairs;
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    const auto& [from, to] = tokenizers;
    add_pair(request, i,
             {from.with_end(from.encode(request.sources[i])), to.with_end(to.encode(request.references[i]))}, pairs);
  }
  return pairs;
}

TokenPairs translated_pairs(const RolesRequest& request) {
  decode::Translator translator(request.model, {.device = request.device, .threads = request.threads});
  TokenPairs pairs;
  ProgressLine progress({.unit = "sentences"});
  const auto next = [&, at = request.sources.begin()](decode::SourceLine& line, const std::stop_token&) mutable {
    if (at == request.sources.end()) return false;
    line.text = *at++;
    return true;
  };
  translator.translate(next, [&](const decode::TranslatedLine& line) {
    if (line.finished) add_pair(request, static_cast<std::size_t>(line.number - 1), {line.source, line.target}, pairs);
    progress.show({.done = line.number, .total = std::ssize(request.sources), .text = "translating"});
  });
  return pairs;
}

}  // namespace

void read_pairs(const data::ParallelFiles& files, std::int64_t count, RolesRequest& to) {
  data::ParallelReader reader(files);
  for (std::string source, target; std::ssize(to.sources) < count && reader.next(source, target);) {
    to.sources.push_back(source);
    to.references.push_back(target);
  }
}

Json find_roles(const RolesRequest& request) {
  const std::unique_ptr<Backend> on = make_backend(request.device, {.threads = request.threads});
  const model::LoadedModel loaded(*on, request.model);
  require<UsageError>(!loaded.model->sites().empty(), "the model in '", request.model.string(),
                      "' has no attention heads.");
  const TokenPairs text =
      request.references.empty() ? translated_pairs(request) : reference_pairs(request, loaded.tokenizers);
  require<UsageError>(!text.pairs.empty(), "there is no sentence to look at; each needs 1 to ", kMaxRoleTokens - 1,
                      " tokens on both sides.");
  std::optional<ProgressLine> progress;
  if (request.show_progress) progress.emplace(ProgressOptions{.unit = "sentences"});
  const auto show = [&](std::int64_t done) {
    if (progress) progress->show({.done = done, .total = std::ssize(text.pairs), .text = "looking at attention"});
  };
  const decode::HeadSurvey survey = decode::survey_heads(*on, *loaded.model, loaded.tokenizers,
                                                         {.pairs = text.pairs, .gold = text.gold, .progress = show});
  return decode::heads_json(survey, loaded.info);
}

void save_roles(const std::filesystem::path& model, const data::ParallelFiles& text, std::int64_t count, Device device,
                int threads) {
  if (model::read_info(model).config.make_model()->sites().empty()) return;
  RolesRequest request;
  request.model = model;
  request.device = device;
  request.threads = threads;
  request.show_progress = false;
  read_pairs(text, count, request);
  try {
    decode::write_heads(model, find_roles(request));
  } catch (const UsageError&) {  // no sentence is left
  }
}

}  // namespace dragoman::cli
