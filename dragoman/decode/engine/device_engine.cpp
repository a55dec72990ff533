#include "dragoman/decode/engine/device_engine.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "dragoman/autograd/record.h"
#include "dragoman/decode/engine/search_tables.h"

// What is where. The device holds everything that a decoding step reads and writes: the state of the searches (slots_,
// one slot for each sentence, see backend/beam.h) and the state of the decoder (state_: the memory of the encoded
// sources, and cells with the keys and values of the tokens). The host holds what it needs to place sentences: which
// sentence is in which slot (places_), and which rows of the memory and which cells are free. A step needs nothing from
// the host, so the host can launch the next one before this one is done.
//
// step() does the following:
// 1. admit(): each sentence that enters gets rows of the memory, cells, and a free slot. All that enter are encoded
//    together, and their searches start (beam_start).
// 2. launch(): launches one step of the first used_ slots: the decoder, the likeliest words, the searches (beam_step),
//    and a copy of the counter of ended searches to the host. Nothing waits for them.
// 3. known_done(): reads the copies of earlier steps, to learn how many searches are over.
// 4. collect(), when that is at least a quarter of those under way: waits for the device, reads its tables
//    (search_tables.h), makes the results, and frees what the sentences occupied (leave). Then compact_slots() moves
//    the searches that go on into the lowest slots, so that the next steps compute fewer slots.

namespace dragoman::decode {
namespace {

constexpr std::int64_t kMaxSteps =
    4096;  // most steps of a search on the device; the table of cells has as many columns
constexpr std::int64_t kMinPositions = 256;  // the bound positions_ starts here and grows in powers of two
constexpr std::int64_t kMinSources = 32;     // the bound sources_ starts here and grows in powers of two
constexpr std::size_t kUnreadCounts = 1;     // copies of the counter that the host does not wait for

// What one client may have under way at once (see Admission). There are enough cells for all sentences to grow to their
// limits. Rows are not limited: each slot has its own.
SentenceNeeds client_capacity(std::int64_t B, std::int64_t T, const SearchSettings& settings,
                              const EngineLimits& limits) {
  const std::int64_t S = limits.sentences;
  return {.tokens = limits.source_tokens, .cells = B * std::min(limits.source_tokens + S * settings.max_extra, S * T)};
}

}  // namespace

bool DeviceEngine::supports(std::span<const model::Seq2Seq* const> models, const SearchSettings& settings) {
  if (models.size() != 1 || !models[0]->steps_can_be_recorded() || settings.no_repeat_ngram > 0) return false;
  // When EOS is barred, there must be a word besides UNK to choose.
  if (settings.method == Method::kGreedy) return models[0]->target_vocabulary() > kFirstWord + 2;
  return settings.method == Method::kBeam && settings.rules == Rules::kPaper && settings.beam <= kMaxBeam;
}

DeviceEngine::DeviceEngine(Backend& on, const model::Seq2Seq& model, const SearchSettings& settings,
                           const EngineLimits& limits)
    : on_(on),
      memory_(on.arena()),
      model_(model),
      settings_(settings),
      limits_(limits),
      B_(settings.method == Method::kGreedy ? 1 : settings.beam),
      T_(std::clamp<std::int64_t>(limits.source_tokens - 1 + settings.max_extra, 1,
                                  std::min(kMaxSteps, model.max_positions()))),
      admission_(limits, client_capacity(B_, T_, settings, limits)),
      S_(admission_.capacity().sentences()),
      words_per_row_(0) {
  settings.validate();
  const model::Seq2Seq* const models[] = {&model};
  require<UsageError>(supports(models, settings), "these settings need a search on the host.");
  // Greedy search is beam search with one row that considers only the best extension, and is over when that ends.
  rules_ = {.choices = settings.method == Method::kGreedy ? 1 : 2 * B_,
            .n_best = settings.n_best,
            .min_length = settings.min_length,
            .ends_when_full = settings.stop == Stop::kBeam};
  words_per_row_ = std::min(model.target_vocabulary(), rules_.choices + (settings.min_length > 1 ? 1 : 0));
  const EngineCapacity& capacity = admission_.capacity();
  free_memory_ = model::NumberRanges(capacity.tokens());
  free_cells_ = model::NumberRanges(capacity.cells());
  state_ = model::StateArrays(on, model.state_layout(),
                              {.source_rows = capacity.tokens(), .cells = capacity.cells() + S_ * B_});
  places_.resize(static_cast<std::size_t>(S_));
  positions_ = std::min(kMinPositions, T_);
  sources_ = std::min(kMinSources, limits.source_tokens);
  slots_ = make_slots(on, settings, {.slots = S_, .beam = B_, .steps = T_, .cells = capacity.cells()});
  // All slots begin idle: a limit of 0 says so.
  std::vector<std::int32_t> idle;
  for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(S_); ++slot) {
    idle.insert(idle.end(), {slot, 0, 0, 0, 1, 0, 0, 0});  // as EnteringColumn says; it reads one row of the memory
  }
  start(idle, {});
}

std::int64_t DeviceEngine::limit(const TranslationRequest& request) const {
  return std::min(model_.max_positions(), static_cast<std::int64_t>(request.source.size()) - 1 + settings_.max_extra);
}

bool DeviceEngine::accepts(const TranslationRequest& request) const {
  const RequestOptions& options = request.options;
  const bool plain =
      !options.search && options.heads_off.empty() && !options.trace && !options.links && !options.follow;
  return plain && limit(request) <= T_;
}

// A search that is under way continues to its end, and its result is dropped: to stop it, the host would have to wait
// for the device.
void DeviceEngine::cancel(std::uint64_t number) {
  admission_.cancel(number);
  std::erase_if(ready_, [number](const Result& result) { return result.number == number; });
  for (std::optional<Active>& place : places_) {
    if (place && place->request.number == number) place->cancelled = true;
  }
}

void DeviceEngine::add(TranslationRequest request) {
  check_request(request, limits_, limit(request));
  require<UsageError>(accepts(request), "this sentence needs a search on the host.");
  if (limit(request) == 0) {  // there is nothing to compute
    Result& result = ready_.emplace_back();
    result.number = request.number;
    result.hypotheses.emplace_back();
  } else {
    const SentenceNeeds needs = needs_of(request);
    admission_.add(std::move(request), needs);
  }
}

std::vector<Result> DeviceEngine::step() {
  const NoGradient no_gradient;
  admit();
  if (under_way() == 0) return std::exchange(ready_, {});
  launch();
  std::vector<Result> results = std::exchange(ready_, {});
  const std::int64_t done = known_done();
  // Collect several at a time, because the host must wait for the device to read them, and because the sentences that
  // take their places are then encoded together.
  if (done > 0 && done >= under_way() / 4) collect(results);
  return results;
}

SentenceNeeds DeviceEngine::needs_of(const TranslationRequest& request) const {
  return {.tokens = std::ssize(request.source), .cells = B_ * limit(request)};
}

void DeviceEngine::admit() {
  std::vector<Active> entering;
  const auto take = [&](const TranslationRequest& request) {
    std::optional<Active> active = take_memory(request);
    if (active) entering.push_back(std::move(*active));
    return active.has_value();
  };
  std::vector<TranslationRequest> requests = admission_.admit(take);
  if (requests.empty()) return;
  std::vector<std::int64_t> slots;
  std::int64_t slot = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    while (places_[slot]) ++slot;
    places_[slot] = std::move(entering[i]);
    places_[slot]->request = std::move(requests[i]);
    slots.push_back(slot);
  }
  used_ = std::max(used_, slots_for(slots.back() + 1));
  try {
    encode(slots);
  } catch (...) {  // their searches have not started: the slots are still idle
    for (const std::int64_t entered : slots) leave(entered);
    throw;
  }
}

// Allocates rows of the memory for the source, and cells for all tokens that the hypotheses may have.
std::optional<DeviceEngine::Active> DeviceEngine::take_memory(const TranslationRequest& request) {
  const SentenceNeeds needs = needs_of(request);
  Active active;
  active.limit = limit(request);
  active.memory_first = free_memory_.take(needs.tokens);
  if (active.memory_first < 0) return {};  // enough room, but not in one piece
  active.first_cell = free_cells_.take(needs.cells);
  if (active.first_cell < 0) {
    free_memory_.give_back(active.memory_first, needs.tokens);
    return {};
  }
  active.order = entered_++;
  active.last_step = step_ + active.limit;
  return active;
}

// Encodes the sentences in these slots, stores their memory in state_, and starts their searches.
void DeviceEngine::encode(std::span<const std::int64_t> slots) {
  std::vector<data::Sentence> sources;
  std::vector<std::int32_t> rows, entering, prefixes;
  for (const std::int64_t slot : slots) {
    const Active& active = *places_[slot];
    const auto tokens = static_cast<std::int64_t>(active.request.source.size());
    sources.push_back(active.request.source);
    for (std::int64_t i = 0; i < tokens; ++i) rows.push_back(static_cast<std::int32_t>(active.memory_first + i));
    const data::Sentence& prefix = active.request.prefix;
    for (const std::int64_t column : {slot, active.limit, active.first_cell, active.memory_first, tokens,
                                      std::ssize(prefix), std::ssize(prefixes), active.request.given}) {
      entering.push_back(static_cast<std::int32_t>(column));
    }
    prefixes.insert(prefixes.end(), prefix.begin(), prefix.end());
    positions_ = std::max(positions_, std::min(T_, next_power_of_two(active.limit)));
    sources_ = std::max(sources_, std::min(limits_.source_tokens, next_power_of_two(tokens)));
  }
  const ArenaScope values(on_.arena()), host(on_.host_arena());
  nn::Pass pass{.on = on_};
  const Tokens source = data::make_tokens(on_, sources, {.V = model_.source_vocabulary(), .index = false});
  model_.store_memory(model_.encode(source, pass), data::make_ids(on_, rows), state_);
  start(entering, prefixes);
}

// `entering` has kEnteringColumns numbers for each search, and `prefixes` the words of all prefixes.
void DeviceEngine::start(std::span<const std::int32_t> entering, std::span<const std::int32_t> prefixes) {
  const ArenaScope values(on_.arena());
  const auto count = static_cast<std::int64_t>(entering.size()) / kEnteringColumns;
  const Array words = prefixes.empty() ? Array() : data::make_ids(on_, prefixes);
  on_.beam_start(data::make_ids(on_, entering).reshaped({count, kEnteringColumns}), words, model_.start_token(),
                 slots_);
}

// A step computes a power of two of slots, or all, so that only few kinds of steps have to be recorded.
std::int64_t DeviceEngine::slots_for(std::int64_t count) const { return std::min(next_power_of_two(count), S_); }

// Moves searches from high slots to free low ones if a step then needs fewer slots.
void DeviceEngine::compact_slots() {
  const std::int64_t wanted = under_way() == 0 ? 0 : slots_for(under_way());
  std::vector<std::int32_t> moves;
  std::int64_t to = 0;
  for (std::int64_t from = wanted; from < used_; ++from) {
    if (!places_[from]) continue;
    while (places_[to]) ++to;
    places_[to] = std::exchange(places_[from], std::nullopt);
    moves.insert(moves.end(), {static_cast<std::int32_t>(from), static_cast<std::int32_t>(to)});
  }
  used_ = std::min(used_, wanted);
  if (moves.empty()) return;
  const ArenaScope values(on_.arena());
  on_.beam_move(data::make_ids(on_, moves).reshaped({std::ssize(moves) / 2, 2}), slots_);
}

// A step is the same sequence of launches as an earlier one if the number of slots, the mark of the arena and both
// bounds are the same. The first such step is launched normally, which also creates tables that it needs, such as
// position encodings. The second one is recorded. From then on the recording is replayed.
void DeviceEngine::launch() {
  const std::size_t mark = on_.arena().mark();
  Recorded& recorded = recorded_[used_];
  if (recorded.mark == mark && recorded.positions == positions_ && recorded.sources == sources_) {
    if (!recorded.replay) recorded.replay = on_.record_launches([this, slots = used_] { run_step(slots); });
    recorded.replay->run();
  } else {
    recorded = {};
    run_step(used_);
    recorded = {.mark = mark, .positions = positions_, .sources = sources_, .replay = nullptr};
  }
  done_counts_.push_back(on_.copy_out_later(slots_.done));
  ++step_;
}

void DeviceEngine::run_step(std::int64_t slots) const {
  const NoGradient no_gradient;
  const ArenaScope values(on_.arena());
  const std::int64_t rows = slots * B_;
  nn::Pass pass{.on = on_};
  const model::StepRows step{.ids = slots_.ids.columns(0, rows),
                             .cells = slots_.cells.row_range(0, rows),
                             .lengths = slots_.lengths.columns(0, rows),
                             .memory = {.first = slots_.memory_first.columns(0, rows),
                                        .count = slots_.memory_count.columns(0, rows),
                                        .longest = sources_},
                             .positions = positions_};
  const Tensor states = model_.step(step, state_, pass);
  const DType dtype = accumulation_dtype(states.array().dtype());
  const BestWords best{.ids = on_.empty({rows, words_per_row_}, DType::kInt32),
                       .logits = on_.empty({rows, words_per_row_}, dtype),
                       .log_sums = on_.empty({rows}, dtype),
                       .asked = slots_.forced.columns(0, rows),
                       .asked_logits = on_.empty({rows}, dtype)};
  model::best_words(model_, states, best);
  on_.beam_step(best, rules_, slots_);
}

// How many searches are known to be over and are not yet collected. Does not wait for the step that was just launched.
// If every search must have reached its limit by now, all are over and nothing has to be read.
std::int64_t DeviceEngine::known_done() {
  std::int64_t last = 0;
  for (const auto& place : places_) {
    if (place) last = std::max(last, place->last_step);
  }
  if (step_ >= last) return under_way();
  std::int64_t done = 0;
  while (done_counts_.size() > kUnreadCounts) {
    std::int32_t count = 0;
    done_counts_.front()->wait(&count);
    done_counts_.pop_front();
    // Both counters wrap around; their difference does not.
    done = static_cast<std::int32_t>(static_cast<std::uint32_t>(count) - collected_);
  }
  return done;
}

// Appends the results of the searches that are over, in the order in which they entered, and frees their slots. Reading
// the tables waits for the device.
void DeviceEngine::collect(std::vector<Result>& results) {
  done_counts_.clear();  // these counts are older than the tables
  SearchTables tables(on_, slots_, used_);
  std::vector<std::int64_t> done;
  for (std::int64_t slot = 0; slot < used_; ++slot) {
    if (places_[slot] && tables.is_over(slot)) done.push_back(slot);
  }
  tables.read_hypotheses(done);
  std::ranges::sort(done, {}, [&](std::int64_t slot) { return places_[slot]->order; });
  for (const std::int64_t slot : done) {
    const Active& active = *places_[slot];
    if (!active.cancelled) {
      Result& result = results.emplace_back();
      result.number = active.request.number;
      result.failed = tables.has_failed(slot);
      result.steps = tables.steps(slot);
      result.hypotheses = tables.hypotheses(slot, settings_);
      if (on_.dry()) result.hypotheses.assign(1, {});  // a dry backend computes nothing, so there is no real result
    }
    leave(slot);
  }
  collected_ += static_cast<std::uint32_t>(done.size());
  compact_slots();
}

// Frees the slot and what its sentence occupied.
void DeviceEngine::leave(std::int64_t slot) {
  const Active& active = *places_[slot];
  const SentenceNeeds needs = needs_of(active.request);
  free_memory_.give_back(active.memory_first, needs.tokens);
  free_cells_.give_back(active.first_cell, needs.cells);
  admission_.leave(active.request, needs);
  places_[slot].reset();
}

std::int64_t DeviceEngine::launches() const {
  std::int64_t launches = 0;
  for (const auto& [slots, recorded] : recorded_) {
    if (recorded.replay) launches = std::max(launches, recorded.replay->launches());
  }
  return launches;
}

}  // namespace dragoman::decode
