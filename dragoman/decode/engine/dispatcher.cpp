#include "dragoman/decode/engine/dispatcher.h"

#include <iterator>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/decode/search/offers.h"

namespace dragoman::decode {
namespace {

bool wanted_on_device(const Backend& on, Place place) {
  return place == Place::kDevice || (place == Place::kAutomatic && on.device().kind == Device::Kind::kCuda);
}

// Translates all sources. Their translations begin with `given`, which counts as certain.
std::vector<std::vector<Hypothesis>> search_all(Dispatcher& engine, std::span<const data::Sentence> sources,
                                                const data::Sentence& given) {
  std::vector<std::vector<Hypothesis>> found(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    engine.add({.source = sources[i], .prefix = given, .number = i, .given = std::ssize(given)});
  }
  while (!engine.idle()) {
    for (Result& result : engine.step()) {
      require<Error>(!result.failed, kNotFinite);
      found[result.number] = std::move(result.hypotheses);
    }
  }
  return found;
}

EngineLimits room_for(std::span<const data::Sentence> sources) {
  EngineLimits limits{.sentences = std::ssize(sources), .source_tokens = 0};
  for (const data::Sentence& source : sources) limits.source_tokens += std::ssize(source);
  return limits;
}

}  // namespace

Dispatcher::Dispatcher(Backend& on, std::vector<const model::Seq2Seq*> models, const SearchSettings& settings,
                       const EngineLimits& limits, Place place)
    : on_(on), models_(std::move(models)), settings_(settings), limits_(limits) {
  settings.validate();
  if (wanted_on_device(on, place) && DeviceEngine::supports(models_, settings)) {
    device_ = std::make_unique<DeviceEngine>(on, *models_.front(), settings, limits);
  } else {
    host();  // makes the engine
  }
}

Engine& Dispatcher::host() {
  if (!host_) host_ = std::make_unique<Engine>(on_, models_, settings_, limits_);
  return *host_;
}

void Dispatcher::add(TranslationRequest request) {
  if (device_ && device_->accepts(request)) {
    device_->add(std::move(request));
  } else {
    host().add(std::move(request));
  }
}

void Dispatcher::cancel(std::uint64_t number) {
  if (device_) device_->cancel(number);
  if (host_) host_->cancel(number);
}

std::vector<Settled> Dispatcher::settled() const { return host_ ? host_->settled() : std::vector<Settled>(); }

std::int64_t Dispatcher::limit(const TranslationRequest& request) const {
  return device_ ? device_->limit(request) : host_->limit(request);
}

std::int64_t Dispatcher::waiting() const { return (device_ ? device_->waiting() : 0) + (host_ ? host_->waiting() : 0); }

std::int64_t Dispatcher::waiting(const std::string& client) const {
  return (device_ ? device_->waiting(client) : 0) + (host_ ? host_->waiting(client) : 0);
}

std::int64_t Dispatcher::under_way() const {
  return (device_ ? device_->under_way() : 0) + (host_ ? host_->under_way() : 0);
}

bool Dispatcher::idle() const { return (!device_ || device_->idle()) && (!host_ || host_->idle()); }

std::vector<Result> Dispatcher::step() {
  std::vector<Result> results;
  if (device_) results = device_->step();
  if (host_ && !host_->idle()) std::ranges::move(host_->step(), std::back_inserter(results));
  return results;
}

std::vector<std::vector<Hypothesis>> search(Backend& on, const model::Seq2Seq& model,
                                            std::span<const data::Sentence> sources, const SearchSettings& settings,
                                            Place place) {
  if (sources.empty()) return {};
  Dispatcher engine(on, {&model}, settings, room_for(sources), place);
  return search_all(engine, sources, {});
}

std::vector<Hypothesis> greedy(Backend& on, const model::Seq2Seq& model, std::span<const data::Sentence> sources,
                               const GreedySettings& settings) {
  if (sources.empty()) return {};
  const data::Sentence given = settings.first ? data::Sentence{*settings.first} : data::Sentence{};
  Dispatcher engine(on, {&model}, {.method = Method::kGreedy, .max_extra = settings.max_extra}, room_for(sources));
  std::vector<Hypothesis> best;
  for (auto& found : search_all(engine, sources, given)) best.push_back(std::move(found.front()));
  return best;
}

}  // namespace dragoman::decode
