#include "dragoman/decode/lines/translator.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/threads.h"
#include "dragoman/base/utf8.h"
#include "dragoman/decode/inside/likelihood.h"
#include "dragoman/decode/lines/line_worker.h"
#include "dragoman/decode/lines/long_lines.h"
#include "dragoman/decode/lines/pipeline.h"
#include "dragoman/decode/search/offers.h"
#include "dragoman/model/files/words.h"
#include "dragoman/text/characters.h"
#include "dragoman/text/stretches.h"

namespace dragoman::decode {
namespace {

// Whether the tags may be of one language. An empty tag is an unknown language, which may be the same.
bool may_be_same(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || text::language_of(a) == text::language_of(b);
}

// "en to de"
std::string languages_of(const model::ModelInfo& info) {
  const auto name = [](const std::string& tag) { return tag.empty() ? "an unknown language" : tag; };
  return join(name(info.source_language), " to ", name(info.target_language));
}

void check_votes(const std::vector<std::filesystem::path>& directories,
                 const std::vector<std::unique_ptr<model::LoadedModel>>& models) {
  const model::Tokenizers& first = models.front()->tokenizers;
  for (std::size_t m = 1; m < models.size(); ++m) {
    const model::Tokenizers& other = models[m]->tokenizers;
    require<UsageError>(first.source.bytes() == other.source.bytes() && first.target.bytes() == other.target.bytes() &&
                            models.front()->model->start_token() == models[m]->model->start_token(),
                        "the models '", directories[0].string(), "' and '", directories[m].string(),
                        "' have different vocabularies; only models with the same vocabularies can vote.");
    const model::ModelInfo &a = models.front()->info, &b = models[m]->info;
    require<UsageError>(
        may_be_same(a.source_language, b.source_language) && may_be_same(a.target_language, b.target_language), "'",
        directories[0].string(), "' translates ", languages_of(a), ", but '", directories[m].string(), "' translates ",
        languages_of(b), "; only models of the same languages can vote.");
  }
}

// Puts lines into a pipeline and splits long ones into parts.
class PartSplitter {
 public:
  explicit PartSplitter(Pipeline& to) : to_(to) {}

  // Returns false if the pipeline has given up.
  bool put(SourceLine line) {
    const bool begins = !std::exchange(within_, line.continues);
    if (begins && !line.continues && line.text.size() <= kPartBytes) return to_.put(std::move(line));
    // If any of this text is not UTF-8, all of its parts are bad, and so are all later parts of the line. Parts that
    // were put in before cannot be changed any more.
    bad_ = (bad_ && !begins) || line.bad || first_invalid_utf8(line.text).has_value();
    line.bad = bad_;
    const std::string text = std::move(line.text);
    const bool continues = std::exchange(line.continues, true);
    std::string_view rest = text;
    for (; rest.size() > kPartBytes; line.prefix.clear(), line.prefix_ids.clear()) {
      line.text = rest.substr(0, text::first_stretch(rest, kPartBytes));
      rest.remove_prefix(line.text.size());
      if (!to_.put(line)) return false;
    }
    line.text = rest;
    line.continues = continues;
    return to_.put(std::move(line));
  }

 private:
  Pipeline& to_;
  bool within_ = false;  // the line that was put in last has more parts to come
  bool bad_ = false;     // that line has text that is not UTF-8
};

}  // namespace

Translator::Translator(const std::filesystem::path& directory, const TranslatorOptions& options)
    : Translator(std::vector{directory}, options) {}

Translator::Translator(const std::vector<std::filesystem::path>& directories, const TranslatorOptions& options)
    : options_(options) {
  require<UsageError>(!directories.empty(), "a translator needs a model.");
  require<UsageError>(options.workers >= 1 && options.batch_size >= 1 && options.longest >= 1,
                      "workers, batch-size and longest must be at least 1.");
  options.search.validate();
  const int threads = threads_for(options.threads);
  for (int worker = 0; worker < options.workers; ++worker) {
    const auto limit = static_cast<std::size_t>(options.worker_memory);
    backends_.push_back(
        make_backend(options.device,
                     {.threads = std::max(1, threads / options.workers), .memory = limit, .report = options.report}));
  }
  for (const std::filesystem::path& directory : directories) {
    models_.push_back(std::make_unique<model::LoadedModel>(*backends_.front(), directory, options.weights));
    const std::int64_t positions = models_.back()->model->max_positions();
    options_.longest = std::clamp<std::int64_t>(positions - 1, 1, options_.longest);  // EOS takes one position
  }
  check_votes(directories, models_);
  known_words_ = text::KnownWords(model::read_words(directories.front()));
  for (const std::filesystem::path& other : std::span(directories).subspan(1)) {
    known_words_.join(text::KnownWords(model::read_words(other)));
  }
}

Translator::~Translator() = default;

std::vector<TranslatedLine> Translator::translate(std::span<const std::string> lines, std::int64_t first_line) {
  std::vector<TranslatedLine> results;
  auto line = lines.begin();
  const auto next = [&](SourceLine& source, const std::stop_token&) {
    if (line == lines.end()) return false;
    source.text = *line++;
    return true;
  };
  translate(
      next, [&](const TranslatedLine& result) { results.push_back(result); }, first_line);
  return results;
}

void Translator::work(int worker, LineQueue& queue) {
  std::vector<const model::LoadedModel*> models;
  for (const auto& model : models_) models.push_back(model.get());
  flush_denormals();
  LineWorker(*backends_[worker], models, known_words_, options_, queue).run();
}

void Translator::translate(const NextLine& next, const DeliverLine& deliver, std::int64_t first_line) {
  std::optional<TranslatedLine> long_line;
  const auto gather = [&](const TranslatedLine& part) {
    if (!long_line && !part.continues) return deliver(part);
    if (!long_line) long_line.emplace().number = part.number;
    add_part(*long_line, part);
    if (part.continues) return;
    deliver(*long_line);
    long_line.reset();
  };
  translate_parts(next, gather, first_line);
}

void Translator::translate_parts(const NextLine& next, const DeliverLine& deliver, std::int64_t first_line) {
  constexpr std::int64_t kBatchesAhead = 4;
  constexpr std::size_t kPartsAhead = 128;  // most parts of long lines in the pipeline
  Pipeline pipeline(
      first_line, {.parts = kBatchesAhead * options_.batch_size * options_.workers, .bytes = kPartsAhead * kPartBytes},
      options_.name_line);
  std::stop_source stop_reading;
  const auto serve = [&](int worker) {
    try {
      work(worker, pipeline);
    } catch (...) {
      pipeline.give_up(std::current_exception());
    }
  };
  const auto read = [&] {
    try {
      PartSplitter parts(pipeline);
      for (SourceLine line; next(line, stop_reading.get_token()); line = {}) {
        if (!parts.put(std::move(line))) break;
      }
      pipeline.close();
    } catch (...) {
      pipeline.close(std::current_exception());
    }
  };
  std::vector<std::thread> threads;
  std::exception_ptr error;
  try {
    for (int worker = 0; worker < options_.workers; ++worker) threads.emplace_back(serve, worker);
    threads.emplace_back(read);
    while (const std::optional<TranslatedLine> line = pipeline.next()) {
      if (line->failed && !options_.deliver_failed) throw Error(join(pipeline.name_of(line->number), ": ", kNotFinite));
      deliver(*line);
    }
  } catch (...) {
    error = std::current_exception();
    pipeline.give_up();
    stop_reading.request_stop();
  }
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

std::vector<std::optional<Likelihood>> Translator::likelihoods(std::span<const std::string> lines,
                                                               std::span<const std::string> translations) {
  require<ShapeError>(lines.size() == translations.size(), "likelihoods: ", lines.size(), " lines but ",
                      translations.size(), " translations");
  const model::Tokenizers& tokenizers = models_.front()->tokenizers;
  std::vector<std::optional<Likelihood>> likelihoods(lines.size());
  std::vector<data::SentencePair> pairs;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    data::SentencePair pair{tokenizers.source.encode(lines[i]), tokenizers.target.encode(translations[i])};
    if (pair.source.empty() || pair.target.empty()) continue;
    if (std::max(std::ssize(pair.source), std::ssize(pair.target)) > options_.longest) continue;
    pair = {tokenizers.source.with_end(std::move(pair.source)), tokenizers.target.with_end(std::move(pair.target))};
    likelihoods[i] = {.nll = 0, .tokens = std::ssize(pair.target)};
    pairs.push_back(std::move(pair));
  }
  const std::vector<Likelihood> found = forced(pairs);
  auto next = found.begin();
  for (std::optional<Likelihood>& likelihood : likelihoods) {
    if (likelihood) likelihood = *next++;
  }
  return likelihoods;
}

namespace {

// The tokens [first, first + count) of a side; none if the model does not halt.
PonderTime time_of(const Pondering::Side& all, std::ptrdiff_t first, std::ptrdiff_t count) {
  if (all.steps.empty()) return {};
  const auto part = [&](const std::vector<float>& numbers) {
    return std::vector<float>(numbers.begin() + first, numbers.begin() + first + count);
  };
  return ponder_time({part(all.steps), part(all.rest)});
}

// Divides the steps of a batch among its pairs.
std::vector<Likelihood> likelihoods_of(std::span<const data::SentencePair> pairs, const std::vector<double>& nll,
                                       const Pondering& pondering) {
  std::vector<Likelihood> likelihoods;
  std::ptrdiff_t source = 0, target = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::ptrdiff_t n = std::ssize(pairs[i].source), m = std::ssize(pairs[i].target);
    likelihoods.push_back({.nll = nll[i],
                           .tokens = m,
                           .source_time = time_of(pondering.source, source, n),
                           .target_time = time_of(pondering.target, target, m)});
    source += n;
    target += m;
  }
  return likelihoods;
}

}  // namespace

// The pairs are divided into batches, and each worker takes the next batch when it is free.
std::vector<Likelihood> Translator::forced(std::span<const data::SentencePair> pairs) {
  std::vector<const model::Seq2Seq*> models;
  for (const auto& model : models_) models.push_back(model->model.get());
  std::vector<std::span<const data::SentencePair>> batches;
  while (!pairs.empty()) batches.push_back(data::take_batch(pairs, options_.batch_tokens));
  std::vector<std::vector<Likelihood>> found(batches.size());
  std::atomic<std::size_t> taken = 0;
  ThreadTeam workers(options_.workers);
  run_guarded(workers, options_.workers, [&](std::int64_t worker) {
    for (std::size_t i = taken++; i < batches.size(); i = taken++) {
      Pondering pondering;
      const std::vector<double> nll = negative_log_likelihoods(*backends_[worker], models, batches[i], &pondering);
      found[i] = likelihoods_of(batches[i], nll, pondering);
    }
  });
  std::vector<Likelihood> all;
  for (const std::vector<Likelihood>& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace dragoman::decode
