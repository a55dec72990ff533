#include "dragoman/cli/settings/translation_settings.h"

#include "dragoman/base/fields.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/decode/lines/search_of_model.h"

namespace dragoman::cli {

void TranslationSettings::validate() const {
  require_between("threads", threads, 0, 1024);
  require_between("workers", workers, 1, 1024);
  require_between("batch-size", batch_size, 0, 100'000);
  require_between("batch-tokens", batch_tokens, 0, 10'000'000);
  require_between("longest", longest, 1, 1'000'000);
}

decode::SearchSettings search_settings(const CommandSettings& given, const std::filesystem::path& model) {
  decode::SearchSettings search = decode::search_of_model(model);
  given.apply(search);
  return search;
}

decode::SearchSettings search_settings(const CommandSettings& given, const TranslationSettings& translation) {
  return search_settings(given, std::filesystem::path(translation.model.empty() ? "" : translation.model.front()));
}

decode::TranslatorOptions options_of(const TranslationSettings& settings, const decode::SearchSettings& search) {
  settings.validate();
  search.validate();
  decode::TranslatorOptions options;
  options.search = search;
  options.threads = settings.threads;
  options.workers = settings.workers;
  if (settings.device == DeviceChoice::kCuda) {  // large batches keep a GPU busy and do not make it slower
    options.batch_size = 512;
    options.batch_tokens = 32'768;
  }
  if (settings.batch_size > 0) options.batch_size = settings.batch_size;
  if (settings.batch_tokens > 0) options.batch_tokens = settings.batch_tokens;
  options.longest = settings.longest;
  if (settings.precision == TranslationPrecision::kFp32) options.weights = WeightForm::kFloat32;
  if (settings.precision == TranslationPrecision::kInt8) options.weights = WeightForm::kInt8;
  if (settings.precision == TranslationPrecision::kBf16) options.weights = WeightForm::kBFloat16;
  options.device = device_of(settings.device);
  return options;
}

void require_search_effects(const CommandSettings& given, const decode::SearchSettings& search) {
  for (const char* key : {"beam", "stop", "rules"}) {
    given.require_effect(key, search.method == decode::Method::kBeam, "without --search beam.");
  }
  for (const char* key : {"temperature", "top-k", "top-p", "seed"}) {
    given.require_effect(key, search.method == decode::Method::kSample, "without --search sample.");
  }
}

std::vector<std::filesystem::path> directories(const TranslationSettings& settings) {
  return {settings.model.begin(), settings.model.end()};
}

}  // namespace dragoman::cli
