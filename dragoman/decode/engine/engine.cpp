#include "dragoman/decode/engine/engine.h"

#include <algorithm>
#include <utility>

#include "dragoman/autograd/record.h"
#include "dragoman/base/strings.h"
#include "dragoman/decode/search/offers.h"

namespace dragoman::decode {
namespace {

// In a fair engine, only about this many source tokens enter at a step, because all other sentences wait while they are
// encoded.
constexpr std::int64_t kEncodedAtOnce = 1024;
constexpr std::int64_t kMinRows = 256;  // an engine has room for at least this many hypotheses, whatever its settings

template <class Active>
std::int64_t rows_of(const Active& active) {
  return std::visit([](const auto& search) { return static_cast<std::int64_t>(search.rows().size()); }, active.search);
}

// Collects, sentence by sentence, which trace observes which rows of a pass, and which heads are switched off for them.
struct PassObservers {
  std::vector<TraceObserver::Part> parts;
  std::vector<nn::HeadsOff> off;
  std::int64_t rows = 0;
  bool traces = false;

  template <class Active>
  void add(const Active& active, const TraceObserver::Part& part) {
    traces = traces || part.trace != nullptr;
    const std::vector<nn::Head>& heads_off = active.request.options.heads_off;
    if (!heads_off.empty()) off.push_back({rows, part.rows, heads_off});
    rows += part.rows;
    parts.push_back(part);
  }
};

// Gives a search the offers of its rows, which begin at row `top`. Other sentences of the batch may have wanted more
// words; they are cut off, because the result must not depend on the other sentences.
template <class OneSearch>
void advance(OneSearch& search, const Offers& offers, std::int64_t top) {
  std::vector<Offer> own;
  const auto wanted = static_cast<std::size_t>(search.wanted());
  for (std::size_t r = 0; r < search.rows().size(); ++r) {
    Offer& offer = own.emplace_back(offers.row(top + static_cast<std::int64_t>(r)));
    offer.ids = offer.ids.first(std::min(offer.ids.size(), wanted));
    offer.log_p = offer.log_p.first(offer.ids.size());
  }
  search.advance(own);
}

// The result of a sentence whose search is over.
template <class Active>
Result finish(Active& active) {
  Result result;
  result.number = active.request.number;
  result.trace = std::move(active.trace);
  if (result.trace) result.trace->close();
  std::visit(
      [&](const auto& search) {
        result.hypotheses = search.results();
        result.steps = search.steps();
      },
      active.search);
  return result;
}

// The result of a sentence for which the model's scores are not finite numbers.
Result failure_of(const TranslationRequest& request) {
  Result result;
  result.number = request.number;
  result.failed = true;
  return result;
}

SentenceNeeds client_capacity(const SearchSettings& settings, const EngineLimits& limits) {
  return {.tokens = limits.source_tokens,
          .cells = max_cells(settings, limits),
          .rows = std::max(kMinRows, limits.sentences * max_rows(settings))};
}

}  // namespace

std::int64_t max_rows(const SearchSettings& settings) {
  return settings.method == Method::kBeam ? settings.beam : settings.n_best;
}

std::int64_t max_cells(const SearchSettings& settings, const EngineLimits& limits) {
  return max_rows(settings) * (limits.source_tokens + limits.sentences * settings.max_extra);
}

Engine::Engine(Backend& on, std::vector<const model::Seq2Seq*> models, const SearchSettings& settings,
               const EngineLimits& limits)
    : on_(on),
      memory_(on.arena()),
      models_(std::move(models)),
      settings_(settings),
      limits_(limits),
      V_(models_.front()->target_vocabulary()),
      admission_(limits, client_capacity(settings, limits), limits.fair ? kEncodedAtOnce : limits.source_tokens) {
  settings.validate();
  for (const model::Seq2Seq* model : models_) positions_ = std::min(positions_, model->max_positions());
  for (const model::Seq2Seq* model : models_) {
    const EngineCapacity& capacity = admission_.capacity();
    states_.push_back(start_decoding(*model, on, {.source_rows = capacity.tokens(), .cells = capacity.cells()}));
  }
}

std::int64_t Engine::limit(const TranslationRequest& request) const {
  const auto tokens = static_cast<std::int64_t>(request.source.size());
  return std::min(positions_, tokens - 1 + search_of(request).max_extra);
}

SentenceNeeds Engine::needs_of(const TranslationRequest& request) const {
  const std::int64_t rows = max_rows(search_of(request));
  return {.tokens = std::ssize(request.source), .cells = rows * limit(request), .rows = rows};
}

void check_request(const TranslationRequest& request, const EngineLimits& limits, std::int64_t limit) {
  const auto tokens = static_cast<std::int64_t>(request.source.size());
  require<UsageError>(tokens > 0, "a sentence without a token cannot be translated.");
  require<UsageError>(tokens <= limits.source_tokens, "a sentence of ", tokens, " tokens is longer than the limit of ",
                      limits.source_tokens, ".");
  const auto prefix = static_cast<std::int64_t>(request.prefix.size());
  require<UsageError>(prefix == 0 || prefix < limit, "a prefix of ", counted(prefix, "token"),
                      " leaves no room in a translation of at most ", counted(limit, "token"), ".");
}

void Engine::add(TranslationRequest request) {
  if (request.options.search) request.options.search->validate();
  check_request(request, limits_, limit(request));
  require<UsageError>(needs_of(request).cells <= max_cells(settings_, limits_), "a search with ",
                      counted(max_rows(search_of(request)), "hypothesis", "hypotheses"), " of ",
                      counted(limit(request), "token"),
                      " needs more room than there is; ask for fewer, or for less text at once.");
  if (limit(request) == 0) {  // there is nothing to compute
    ready_.push_back(finish(*make_active(std::move(request))));
  } else {
    const SentenceNeeds needs = needs_of(request);
    admission_.add(std::move(request), needs);
  }
}

void Engine::cancel(std::uint64_t number) {
  admission_.cancel(number);
  std::erase_if(ready_, [number](const Result& result) { return result.number == number; });
  for (const auto& active : active_) active->cancelled = active->cancelled || active->request.number == number;
}

// Removes the rows of cancelled sentences from the decoder states, before others enter.
void Engine::drop_cancelled() {
  if (std::ranges::none_of(active_, &Active::cancelled, [](const auto& active) -> Active& { return *active; })) return;
  std::vector<std::int32_t> parents, ids;
  std::int64_t top = 0;
  for (auto& active : active_) {
    const std::int64_t rows = rows_of(*active);
    for (std::int64_t row = top; row < top + rows && !active->cancelled; ++row) {
      parents.push_back(static_cast<std::int32_t>(row));
      ids.push_back(ids_[row]);
    }
    top += rows;
    if (!active->cancelled) continue;
    leave(*active);
    active.reset();
  }
  std::erase(active_, nullptr);
  ids_ = std::move(ids);
  for (model::DecoderState& state : states_) state.reorder(parents);
}

void Engine::leave(const Active& active) { admission_.leave(active.request, needs_of(active.request)); }

void Engine::admit() {
  std::vector<std::unique_ptr<Active>> sentences;
  for (TranslationRequest& request :
       admission_.admit([this](const TranslationRequest& one) { return take_memory(one); })) {
    sentences.push_back(make_active(std::move(request)));
  }
  if (!sentences.empty()) encode(sentences);
  std::ranges::move(sentences, std::back_inserter(active_));
}

// Makes room for the sentence in the state of every model. All states give the same answer, because they have the same
// sizes and go through the same operations.
bool Engine::take_memory(const TranslationRequest& request) {
  std::int32_t number = -1;
  for (model::DecoderState& state : states_) number = state.enter(std::ssize(request.source));
  if (number >= 0) entering_.push_back(number);
  return number >= 0;
}

std::unique_ptr<Engine::Active> Engine::make_active(TranslationRequest request) const {
  const RequestOptions& options = request.options;
  const auto extent = options.trace ? Trace::Extent::kAll : Trace::Extent::kLinks;
  auto trace = options.trace || options.links
                   ? std::make_unique<Trace>(models_.front()->sites(), options.trace_layers, extent)
                   : nullptr;
  const Bounds bounds{.prefix = request.prefix, .limit = limit(request), .given = request.given};
  const std::uint64_t stream = request.stream.value_or(request.number);
  const SearchSettings settings = search_of(request);
  const bool records_candidates = options.trace;
  auto active = std::make_unique<Active>(std::move(request), std::move(trace));
  if (settings.method == Method::kBeam) {
    active->search.emplace<BeamSearch>(settings, bounds, V_, records_candidates ? &active->trace->candidates : nullptr);
  } else {
    active->search.emplace<SingleSearch>(settings, bounds, V_, stream);
  }
  return active;
}

void Engine::encode(std::span<const std::unique_ptr<Active>> sentences) {
  std::vector<data::Sentence> sources;
  PassObservers observers;
  for (const auto& active : sentences) {
    const auto tokens = static_cast<std::int64_t>(active->request.source.size());
    sources.push_back(active->request.source);
    observers.add(*active, {active->trace.get(), tokens, 0, tokens});
  }
  TraceObserver observer(on_, std::move(observers.parts));
  for (std::size_t m = 0; m < models_.size(); ++m) {
    const ArenaScope values(on_.arena()), host(on_.host_arena());
    nn::Pass pass{.on = on_, .observer = observers.traces && m == 0 ? &observer : nullptr, .heads_off = observers.off};
    const Tokens source = data::make_tokens(on_, sources, {.V = models_[m]->source_vocabulary(), .index = false});
    store_memory(*models_[m], models_[m]->encode(source, pass), entering_, states_[m]);
  }
  entering_.clear();
  ids_.insert(ids_.end(), sentences.size(), models_.front()->start_token());
}

std::vector<Result> Engine::step() {
  const NoGradient no_gradient;
  std::vector<Result> results = std::exchange(ready_, {});
  drop_cancelled();
  admit();
  if (!active_.empty()) {
    const ArenaScope values(on_.arena());
    choose(run_models(), results);
  }
  return results;
}

std::vector<Settled> Engine::settled() const {
  std::vector<Settled> settled;
  for (const auto& active : active_) {
    if (!active->request.options.follow || active->cancelled) continue;
    settled.push_back(
        {active->request.number, std::visit([](const auto& search) { return search.settled(); }, active->search)});
  }
  return settled;
}

// One step of every model; returns the decoder states of each, [rows, d_model].
std::vector<Tensor> Engine::run_models() {
  PassObservers observers;
  for (const auto& active : active_) {
    const std::int64_t rows = rows_of(*active), sources = static_cast<std::int64_t>(active->request.source.size());
    observers.add(*active, {active->trace.get(), rows, states_[0].length(observers.rows) + 1, sources});
  }
  TraceObserver observer(on_, std::move(observers.parts));
  if (observers.traces) observer.begin_step();
  std::vector<Tensor> next;
  for (std::size_t m = 0; m < models_.size(); ++m) {
    nn::Pass pass{.on = on_, .observer = observers.traces && m == 0 ? &observer : nullptr, .heads_off = observers.off};
    next.push_back(model::step(*models_[m], ids_, states_[m], pass));
  }
  return next;
}

// 1. Computes the likeliest words for all rows, as many as the most demanding search wants.
// 2. Advances each search, and collects the rows with which it continues: their parents and next words. A search whose
//    scores are not finite is over instead.
// 3. Sentences whose search is over leave, and their results are added to `results`.
// 4. Reorders the decoder states to the new rows.
void Engine::choose(std::span<const Tensor> next, std::vector<Result>& results) {
  std::int64_t k = 1;
  bool all = false;
  for (const auto& active : active_) {
    std::visit(
        [&](const auto& search) {
          k = std::max(k, search.wanted());
          all = all || search.wants_all();
        },
        active->search);
  }
  const Offers offers(on_, models_, next, k, all);
  std::vector<std::int32_t> parents;
  ids_.clear();
  std::int64_t top = 0;
  for (auto& active : active_) {
    const std::int64_t rows = rows_of(*active);
    const bool failed = !offers.are_finite(top, rows);
    if (!failed) {
      std::visit([&](auto& search) { advance(search, offers, top); }, active->search);
      const auto going_on = std::visit([](const auto& search) { return search.rows(); }, active->search);
      for (const Continuation& row : going_on) {
        parents.push_back(static_cast<std::int32_t>(top) + row.parent);
        ids_.push_back(row.word);
      }
    }
    top += rows;
    if (!failed && rows_of(*active) > 0) continue;
    leave(*active);
    results.push_back(failed ? failure_of(active->request) : finish(*active));
    active.reset();
  }
  std::erase(active_, nullptr);
  for (model::DecoderState& state : states_) state.reorder(parents);
}

}  // namespace dragoman::decode
