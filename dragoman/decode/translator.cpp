#include "dragoman/decode/translator.h"

#include <algorithm>
#include <thread>

#include "dragoman/base/error.h"
#include "dragoman/base/threads.h"
#include "dragoman/decode/line_worker.h"
#include "dragoman/decode/pipeline.h"

namespace dragoman::decode {
namespace {

void check_votes(const std::vector<std::filesystem::path>& directories,
                 const std::vector<std::unique_ptr<model::LoadedModel>>& models) {
  const model::Tokenizers& first = models.front()->tokenizers;
  for (std::size_t m = 1; m < models.size(); ++m) {
    const model::Tokenizers& other = models[m]->tokenizers;
    require<UsageError>(first.source.bytes() == other.source.bytes() && first.target.bytes() == other.target.bytes() &&
                            models.front()->transformer.start_token() == models[m]->transformer.start_token(),
                        "the models '", directories[0].string(), "' and '", directories[m].string(),
                        "' have different vocabularies; only models with the same can vote.");
  }
}

}  // namespace

Translator::Translator(const std::filesystem::path& directory, const TranslatorOptions& options)
    : Translator(std::vector{directory}, options) {}

Translator::Translator(const std::vector<std::filesystem::path>& directories, const TranslatorOptions& options)
    : options_(options) {
  require<UsageError>(!directories.empty(), "a translator needs a model.");
  require<UsageError>(options.workers >= 1 && options.batch_size >= 1 && options.longest >= 1,
                      "workers, batch-size and longest must be at least 1.");
  options.search.validate();
  const int threads = options.threads > 0 ? options.threads : available_threads();
  for (int worker = 0; worker < options.workers; ++worker) {
    backends_.push_back(make_backend(Device{}, {.threads = std::max(1, threads / options.workers)}));
  }
  for (const std::filesystem::path& directory : directories) {
    models_.push_back(std::make_unique<model::LoadedModel>(*backends_.front(), directory, options.weights));
  }
  check_votes(directories, models_);
}

Translator::~Translator() = default;

std::vector<TranslatedLine> Translator::translate(std::span<const std::string> lines, std::int64_t first_line) {
  std::vector<TranslatedLine> results;
  auto line = lines.begin();
  const auto next = [&](std::string& text) {
    if (line == lines.end()) return false;
    text = *line++;
    return true;
  };
  translate(
      next, [&](const TranslatedLine& result) { results.push_back(result); }, first_line);
  return results;
}

void Translator::translate(const NextLine& next, const DeliverLine& deliver, std::int64_t first_line) {
  constexpr std::int64_t kBatchesAhead = 4;
  Pipeline pipeline(first_line, kBatchesAhead * options_.batch_size * options_.workers);
  std::vector<const model::LoadedModel*> models;
  for (const auto& model : models_) models.push_back(model.get());
  std::vector<std::thread> threads;
  for (const auto& on : backends_) {
    threads.emplace_back([&] {
      try {
        flush_denormals();
        LineWorker(*on, models, options_, pipeline).run();
      } catch (...) {
        pipeline.give_up(std::current_exception());
      }
    });
  }
  threads.emplace_back([&] {
    try {
      std::string line;
      while (next(line)) {
        if (!pipeline.put(line)) break;
      }
      pipeline.close();
    } catch (...) {
      pipeline.close(std::current_exception());
    }
  });
  std::exception_ptr error;
  try {
    while (const std::optional<TranslatedLine> line = pipeline.next()) {
      require<UsageError>(!line->bad || options_.bad_line != BadLine::kStop, "line ", line->number,
                          " is not UTF-8 text; mend or remove it, or say --on-bad-line keep or empty.");
      deliver(*line);
    }
  } catch (...) {
    error = std::current_exception();
    pipeline.give_up();
  }
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace dragoman::decode
