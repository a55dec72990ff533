#include "dragoman/decode/engine.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dragoman/autograd/record.h"
#include "dragoman/decode/offers.h"

namespace dragoman::decode {
namespace {

constexpr std::int64_t kPatience = 256;        // steps for which others may pass a sentence that has no room yet
constexpr std::int64_t kEncodedAtOnce = 1024;  // source tokens, about, of sentences that enter at a step
constexpr std::int64_t kStepsForNew = 4;       // after which clients with nothing under way may enter
constexpr std::int64_t kSmallPart = 16;        // a sentence that needs at most 1/16 of the room is small
constexpr std::int64_t kLeastRows = 256;       // hypotheses that may be under way, however few the settings ask for

template <class Active>
std::int64_t rows_of(const Active& active) {
  return std::visit([](const auto& search) { return static_cast<std::int64_t>(search.rows().size()); }, active.search);
}

// Who looks at the rows of a pass, and which heads are switched off for which of them.
struct Watch {
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

// Gives a search the offers of its rows, which begin at `top`. More words may have been computed than it wants: what it
// sees must not depend on its mates.
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

// What is to be said of a sentence whose search is over.
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

RoomNeeds most_of(const SearchSettings& settings, const EngineLimits& limits) {
  return {.tokens = limits.source_tokens,
          .cells = most_cells(settings, limits),
          .rows = std::max(kLeastRows, limits.sentences * most_rows(settings))};
}

}  // namespace

std::int64_t most_rows(const SearchSettings& settings) {
  return settings.method == Method::kBeam ? settings.beam : settings.n_best;
}

std::int64_t most_cells(const SearchSettings& settings, const EngineLimits& limits) {
  return most_rows(settings) * (limits.source_tokens + limits.sentences * settings.max_extra);
}

Engine::Engine(Backend& on, std::vector<const model::Seq2Seq*> models, const SearchSettings& settings,
               const EngineLimits& limits)
    : on_(on),
      memory_(on.arena()),
      models_(std::move(models)),
      settings_(settings),
      limits_(limits),
      V_(models_.front()->target_vocabulary()),
      room_(most_of(settings, limits), limits.sentences, limits.fair) {
  settings.validate();
  for (const model::Seq2Seq* model : models_) positions_ = std::min(positions_, model->most_positions());
  for (const model::Seq2Seq* model : models_) {
    states_.push_back(start_decoding(*model, on, {.source_rows = room_.tokens(), .cells = room_.cells()}));
  }
}

std::int64_t Engine::limit(const Request& request) const {
  const auto tokens = static_cast<std::int64_t>(request.source.size());
  return std::min(positions_, tokens - 1 + search_of(request).max_extra);
}

RoomNeeds Engine::needs_of(const Request& request) const {
  const std::int64_t rows = most_rows(search_of(request));
  return {.tokens = std::ssize(request.source), .cells = rows * limit(request), .rows = rows};
}

std::int64_t Engine::waiting(const std::string& client) const {
  return std::ranges::count(waiting_, client, [](const Waiting& waiting) { return waiting.request.options.client; });
}

void check_request(const Request& request, const EngineLimits& limits, std::int64_t limit) {
  const auto tokens = static_cast<std::int64_t>(request.source.size());
  require<UsageError>(tokens > 0, "a sentence without a token cannot be translated.");
  require<UsageError>(tokens <= limits.source_tokens, "a sentence of ", tokens, " tokens is longer than the room for ",
                      limits.source_tokens, ".");
  const auto prefix = static_cast<std::int64_t>(request.prefix.size());
  require<UsageError>(prefix == 0 || prefix < limit, "a prefix of ", prefix,
                      " tokens leaves nothing of a translation that may have ", limit, ".");
}

void Engine::add(Request request) {
  if (request.options.search) request.options.search->validate();
  check_request(request, limits_, limit(request));
  require<UsageError>(needs_of(request).cells <= most_cells(settings_, limits_), most_rows(search_of(request)),
                      " hypotheses of ", limit(request),
                      " tokens need more room than there is; ask for fewer, or for less text at once.");
  if (limit(request) == 0) {  // there is nothing to compute
    ready_.push_back(finish(*make_active(std::move(request))));
  } else {
    waiting_.push_back({std::move(request)});
  }
}

void Engine::cancel(std::uint64_t number) {
  const auto meant = [number](const Request& request) { return request.number == number; };
  std::erase_if(waiting_, [&](const Waiting& waiting) { return meant(waiting.request); });
  std::erase_if(ready_, [number](const Result& result) { return result.number == number; });
  for (const auto& active : active_) active->unwanted = active->unwanted || meant(active->request);
}

// Takes the rows of those that nobody wants out of the states, before others enter.
void Engine::drop_unwanted() {
  if (std::ranges::none_of(active_, &Active::unwanted, [](const auto& active) -> Active& { return *active; })) return;
  std::vector<std::int32_t> parents, ids;
  std::int64_t top = 0;
  for (auto& active : active_) {
    const std::int64_t rows = rows_of(*active);
    for (std::int64_t row = top; row < top + rows && !active->unwanted; ++row) {
      parents.push_back(static_cast<std::int32_t>(row));
      ids.push_back(ids_[row]);
    }
    top += rows;
    if (!active->unwanted) continue;
    leave(*active);
    active.reset();
  }
  std::erase(active_, nullptr);
  ids_ = std::move(ids);
  for (model::DecoderState& state : states_) state.reorder(parents);
}

void Engine::leave(const Active& active) { room_.leave(active.request.options.client, needs_of(active.request)); }

// Sentences enter when a quarter of the places are free, so that they are encoded several at a time. Clients that have
// nothing under way do not wait for that: every few steps they may take what is free.
void Engine::admit() {
  const bool open =
      active_.empty() || under_way() <= limits_.sentences - std::max<std::int64_t>(1, limits_.sentences / 4);
  const auto is_new = [&](const Waiting& waiting) { return room_.under_way(waiting.request.options.client) == 0; };
  if (waiting_.empty()) return;
  if (!open && (!limits_.fair || ++closed_steps_ < kStepsForNew || std::ranges::none_of(waiting_, is_new))) return;
  closed_steps_ = 0;
  std::vector<std::unique_ptr<Active>> sentences;
  let_in(open, sentences);
  if (!sentences.empty()) encode(sentences);
  std::ranges::move(sentences, std::back_inserter(active_));
}

// In the order in which they came, those of clients that have nothing under way first, but a sentence that does not fit
// lets others pass. When that has happened often, the later ones of its client wait for it; and when it is all that its
// client has, others leave the room that it needs, but for the small first sentences of their clients: two or three
// large requests at a time must not keep everybody else out. Where there are several clients, long sentences enter one
// at a time, because all others wait while they are encoded.
void Engine::let_in(bool open, std::vector<std::unique_ptr<Active>>& sentences) {
  const std::int64_t few = std::max<std::int64_t>(1, limits_.sentences / 8);
  const std::int64_t most_tokens = limits_.fair ? kEncodedAtOnce : limits_.source_tokens;
  std::set<std::string> impatient;  // clients
  RoomNeeds kept;
  if (limits_.fair) {
    std::ranges::stable_partition(
        waiting_, [&](const Waiting& waiting) { return room_.under_way(waiting.request.options.client) == 0; });
  }
  std::int64_t tokens = 0;  // that are to be encoded
  for (auto waiting = waiting_.begin(); waiting != waiting_.end() && tokens < most_tokens;) {
    const std::string& client = waiting->request.options.client;
    const bool has_turn = (open || room_.under_way(client) < few) && !impatient.contains(client);
    if (has_turn && take_room(waiting->request, kept)) {
      tokens += std::ssize(waiting->request.source);
      sentences.push_back(make_active(std::move(waiting->request)));
      waiting = waiting_.erase(waiting);
      continue;
    }
    if (has_turn && ++waiting->passed > kPatience) {
      impatient.insert(client);
      const RoomNeeds needs = needs_of(waiting->request);
      if (kept.cells == 0 && (!limits_.fair || room_.under_way(client) == 0)) kept = needs;
      // Enough room, but never in one piece: then nobody enters before it.
      if (waiting->passed > 4 * kPatience && room_.has_room(client, needs)) return;
    }
    ++waiting;
  }
}

// A row for the sentence in every model's state. They all have the same rooms and numbers, because the same happens to
// all of them.
bool Engine::take_room(const Request& request, const RoomNeeds& kept) {
  const RoomNeeds needs = needs_of(request);
  const bool passes = limits_.fair && room_.under_way(request.options.client) == 0 &&
                      kSmallPart * needs.cells <= room_.cells() && kSmallPart * needs.tokens <= room_.tokens();
  if (!room_.has_room(request.options.client, needs, passes ? RoomNeeds{} : kept)) return false;
  std::int32_t number = -1;
  for (model::DecoderState& state : states_) number = state.enter(needs.tokens);
  if (number < 0) return false;  // enough room, but not in one piece
  room_.enter(request.options.client, needs);
  entering_.push_back(number);
  return true;
}

std::unique_ptr<Engine::Active> Engine::make_active(Request request) const {
  const RequestOptions& options = request.options;
  const auto extent = options.trace ? Trace::Extent::kAll : Trace::Extent::kLinks;
  auto trace = options.trace || options.links
                   ? std::make_unique<Trace>(models_.front()->sites(), options.trace_layers, extent)
                   : nullptr;
  const Bounds bounds{.prefix = request.prefix, .limit = limit(request)};
  const std::uint64_t stream = request.stream.value_or(request.number);
  const SearchSettings settings = search_of(request);
  const bool trees = options.trace;
  auto active = std::make_unique<Active>(std::move(request), std::move(trace));
  if (settings.method == Method::kBeam) {
    active->search.emplace<BeamSearch>(settings, bounds, V_, trees ? &active->trace->candidates : nullptr);
  } else {
    active->search.emplace<SingleSearch>(settings, bounds, V_, stream);
  }
  return active;
}

void Engine::encode(std::span<const std::unique_ptr<Active>> sentences) {
  std::vector<data::Sentence> sources;
  Watch watch;
  for (const auto& active : sentences) {
    const auto tokens = static_cast<std::int64_t>(active->request.source.size());
    sources.push_back(active->request.source);
    watch.add(*active, {active->trace.get(), tokens, 0, tokens});
  }
  TraceObserver observer(on_, std::move(watch.parts));
  for (std::size_t m = 0; m < models_.size(); ++m) {
    const ArenaScope values(on_.arena());
    nn::Pass pass{.on = on_, .observer = watch.traces && m == 0 ? &observer : nullptr, .heads_off = watch.off};
    const data::Tokens source = data::make_tokens(on_, sources, {.V = models_[m]->source_vocabulary(), .index = false});
    remember(*models_[m], models_[m]->encode(source, pass), entering_, states_[m]);
  }
  entering_.clear();
  ids_.insert(ids_.end(), sentences.size(), models_.front()->start_token());
}

std::vector<Result> Engine::step() {
  const NoGradient no_gradient;
  std::vector<Result> results = std::exchange(ready_, {});
  drop_unwanted();
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
    if (!active->request.options.follow || active->unwanted) continue;
    settled.push_back(
        {active->request.number, std::visit([](const auto& search) { return search.settled(); }, active->search)});
  }
  return settled;
}

std::vector<Tensor> Engine::run_models() {
  Watch watch;
  for (const auto& active : active_) {
    const std::int64_t rows = rows_of(*active), sources = static_cast<std::int64_t>(active->request.source.size());
    watch.add(*active, {active->trace.get(), rows, states_[0].length(watch.rows) + 1, sources});
  }
  TraceObserver observer(on_, std::move(watch.parts));
  if (watch.traces) observer.begin_step();
  std::vector<Tensor> next;
  for (std::size_t m = 0; m < models_.size(); ++m) {
    nn::Pass pass{.on = on_, .observer = watch.traces && m == 0 ? &observer : nullptr, .heads_off = watch.off};
    next.push_back(model::step(*models_[m], ids_, states_[m], pass));
  }
  return next;
}

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
    std::visit([&](auto& search) { advance(search, offers, top); }, active->search);
    const auto going_on = std::visit([](const auto& search) { return search.rows(); }, active->search);
    for (const Continuation& row : going_on) {
      parents.push_back(static_cast<std::int32_t>(top) + row.parent);
      ids_.push_back(row.word);
    }
    top += rows;
    if (rows_of(*active) > 0) continue;
    leave(*active);
    results.push_back(finish(*active));
    active.reset();
  }
  std::erase(active_, nullptr);
  for (model::DecoderState& state : states_) state.reorder(parents);
}

}  // namespace dragoman::decode
