#include "dragoman/serve/api/next_words.h"

#include <string>

#include "dragoman/base/fields_json.h"
#include "dragoman/serve/api/fields.h"
#include "dragoman/serve/api/refusal.h"

namespace dragoman::serve {
namespace {

constexpr std::int64_t kMaxCount = 100;
constexpr std::size_t kMaxPrefixTokens = 4096;
constexpr double kMinTemperature = 0.01, kMaxTemperature = 100;

}  // namespace

decode::NextWordsChoice next_words_field(const Json& fields) {
  const auto found = fields.find("next_words");
  if (found == fields.end()) return {};
  require_or(400, found->is_object(), "'next_words' is not an object such as {\"count\": 10}.");
  for (const auto& [name, value] : found->items()) {
    require_or(400, name == "count" || name == "temperature" || name == "layers", "'next_words' has no field '", name,
               "'; there are count, temperature and layers.");
  }
  decode::NextWordsChoice choice;
  choice.count = number_field(*found, "count", 10, kMaxCount);
  choice.layers = bool_field(*found, "layers", false);
  const Json temperature = found->value("temperature", Json(1.0));
  require_or(400, temperature.is_number() && temperature >= kMinTemperature && temperature <= kMaxTemperature,
             "the temperature of 'next_words' must be a number from ", kMinTemperature, " to ", kMaxTemperature, ".");
  choice.temperature = temperature.get<double>();
  return choice;
}

data::Sentence prefix_ids_field(const Json& fields, std::int64_t V) {
  data::Sentence ids;
  const auto found = fields.find("prefix_ids");
  if (found == fields.end()) return ids;
  require_or(400, found->is_array() && found->size() <= kMaxPrefixTokens, "'prefix_ids' is not a list of at most ",
             kMaxPrefixTokens, " numbers.");
  for (const Json& id : *found) {
    require_or(400, id.is_number_integer() && id > kEos && id < V, "'prefix_ids' holds ", id.dump(),
               "; the ids of words go from ", kEos + 1, " to ", V - 1, ".");
    ids.push_back(id.get<std::int32_t>());
  }
  return ids;
}

}  // namespace dragoman::serve
