#include "dragoman/decode/engine/admission.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dragoman::decode {
namespace {

constexpr std::int64_t kPatience = 256;   // steps for which others may pass a sentence that does not fit
constexpr std::int64_t kStepsForNew = 4;  // while the queue is closed, new clients may enter every so many steps
constexpr std::int64_t kSmallPart = 16;   // a sentence that needs at most 1/16 of the capacity is small

}  // namespace

Admission::Admission(const EngineLimits& limits, const SentenceNeeds& most, std::int64_t entering_tokens)
    : limits_(limits), entering_tokens_(entering_tokens), capacity_(limits, most) {}

void Admission::add(TranslationRequest request, const SentenceNeeds& needs) {
  waiting_.push_back({std::move(request), needs});
}

void Admission::cancel(std::uint64_t number) {
  std::erase_if(waiting_, [number](const Waiting& waiting) { return waiting.request.number == number; });
}

std::int64_t Admission::waiting(const std::string& client) const {
  return std::ranges::count(waiting_, client, &Waiting::client);
}

void Admission::leave(const TranslationRequest& request, const SentenceNeeds& needs) {
  capacity_.leave(request.options.client, needs);
  --under_way_;
}

// The queue is open when a quarter of the engine's places is free: sentences wait for that, so that several are encoded
// at a time.
bool Admission::is_open() const {
  return under_way_ == 0 || under_way_ <= limits_.sentences - std::max<std::int64_t>(1, limits_.sentences / 4);
}

// If limits_.fair, new clients (those that have nothing under way) do not wait until the queue is open: every
// kStepsForNew steps they may take free places.
std::vector<TranslationRequest> Admission::admit(const TakeMemory& take_memory) {
  if (waiting_.empty()) return {};
  const bool open = is_open();
  const auto any_new = [&] { return std::ranges::any_of(waiting_, [&](const Waiting& one) { return is_new(one); }); };
  if (!open && (!limits_.fair || ++closed_steps_ < kStepsForNew || !any_new())) return {};
  closed_steps_ = 0;
  return choose(open, take_memory);
}

// Sentences enter in the order in which they came, but if limits_.fair those of new clients come first. The following
// rules hold for a sentence that does not fit. Each adds to those before it.
// 1. Later sentences may pass it.
// 2. After kPatience steps the later sentences of its client wait for it.
// 3. From then on, if its client is new, others must also leave free the room that it needs (`kept`, for one sentence
//    at a time). Small first sentences of other new clients are excepted: otherwise two or three large requests at a
//    time would keep all other clients out. Without limits_.fair, the rule holds for any client.
// 4. After 4 kPatience steps, if the limits leave room for it, but take_memory() still finds no memory in one piece, no
//    later sentence enters before it.
std::vector<TranslationRequest> Admission::choose(bool open, const TakeMemory& take_memory) {
  // While the queue is closed, a sentence may enter only if its client has fewer sentences than this under way.
  const std::int64_t max_while_closed = std::max<std::int64_t>(1, limits_.sentences / 8);
  if (limits_.fair) std::ranges::stable_partition(waiting_, [&](const Waiting& waiting) { return is_new(waiting); });
  std::vector<TranslationRequest> entering;
  std::int64_t tokens = 0;          // source tokens of `entering`
  std::set<std::string> impatient;  // clients whose later sentences wait (rule 2)
  SentenceNeeds kept;               // what others must leave free (rule 3)
  for (auto waiting = waiting_.begin(); waiting != waiting_.end() && tokens < entering_tokens_;) {
    const std::string& client = waiting->client();
    const bool has_turn = (open || capacity_.under_way(client) < max_while_closed) && !impatient.contains(client);
    if (has_turn && has_room(*waiting, kept) && take_memory(waiting->request)) {
      capacity_.enter(client, waiting->needs);
      ++under_way_;
      tokens += waiting->needs.tokens;
      entering.push_back(std::move(waiting->request));
      waiting = waiting_.erase(waiting);
      continue;
    }
    if (has_turn && ++waiting->passed > kPatience) {
      impatient.insert(client);
      if (kept.cells == 0 && (!limits_.fair || is_new(*waiting))) kept = waiting->needs;
      // Rule 4.
      if (waiting->passed > 4 * kPatience && capacity_.has_room(client, waiting->needs)) break;
    }
    ++waiting;
  }
  return entering;
}

bool Admission::has_room(const Waiting& waiting, const SentenceNeeds& kept) const {
  const SentenceNeeds& needs = waiting.needs;
  const bool passes = limits_.fair && is_new(waiting) && kSmallPart * needs.cells <= capacity_.cells() &&
                      kSmallPart * needs.tokens <= capacity_.tokens();
  return capacity_.has_room(waiting.client(), needs, passes ? SentenceNeeds{} : kept);
}

}  // namespace dragoman::decode
