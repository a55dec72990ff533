#include "dragoman/decode/engine/admission.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dragoman::decode {
namespace {

constexpr std::int64_t kPatience = 256;   // steps for which others may pass a sentence that has no room yet
constexpr std::int64_t kStepsForNew = 4;  // after which clients with nothing under way may enter
constexpr std::int64_t kSmallPart = 16;   // a sentence that needs at most 1/16 of the room is small

}  // namespace

Admission::Admission(const EngineLimits& limits, const RoomNeeds& most, std::int64_t entering_tokens)
    : limits_(limits), entering_tokens_(entering_tokens), room_(limits, most) {}

void Admission::add(Request request, const RoomNeeds& needs) { waiting_.push_back({std::move(request), needs}); }

void Admission::cancel(std::uint64_t number) {
  std::erase_if(waiting_, [number](const Waiting& waiting) { return waiting.request.number == number; });
}

std::int64_t Admission::waiting(const std::string& client) const {
  return std::ranges::count(waiting_, client, &Waiting::client);
}

void Admission::leave(const Request& request, const RoomNeeds& needs) {
  room_.leave(request.options.client, needs);
  --under_way_;
}

// A quarter of the places are free, so that sentences are encoded several at a time.
bool Admission::is_open() const {
  return under_way_ == 0 || under_way_ <= limits_.sentences - std::max<std::int64_t>(1, limits_.sentences / 4);
}

// Clients that have nothing under way do not wait until it is open: every few steps they may take what is free.
std::vector<Request> Admission::admit(const TakeMemory& take_memory) {
  if (waiting_.empty()) return {};
  const bool open = is_open();
  const auto any_new = [&] { return std::ranges::any_of(waiting_, [&](const Waiting& one) { return is_new(one); }); };
  if (!open && (!limits_.fair || ++closed_steps_ < kStepsForNew || !any_new())) return {};
  closed_steps_ = 0;
  return choose(open, take_memory);
}

// In the order in which they came, those of clients that have nothing under way first, but a sentence that does not fit
// lets others pass. When that has happened often, the later ones of its client wait for it. If it is all that its
// client has, others also leave the room that it needs, except the small first sentences of their clients: two or three
// large requests at a time must not keep everybody else out.
std::vector<Request> Admission::choose(bool open, const TakeMemory& take_memory) {
  const std::int64_t few = std::max<std::int64_t>(1, limits_.sentences / 8);
  if (limits_.fair) std::ranges::stable_partition(waiting_, [&](const Waiting& waiting) { return is_new(waiting); });
  std::vector<Request> entering;
  std::int64_t tokens = 0;          // of those
  std::set<std::string> impatient;  // clients
  RoomNeeds kept;
  for (auto waiting = waiting_.begin(); waiting != waiting_.end() && tokens < entering_tokens_;) {
    const std::string& client = waiting->client();
    const bool has_turn = (open || room_.under_way(client) < few) && !impatient.contains(client);
    if (has_turn && has_room(*waiting, kept) && take_memory(waiting->request)) {
      room_.enter(client, waiting->needs);
      ++under_way_;
      tokens += waiting->needs.tokens;
      entering.push_back(std::move(waiting->request));
      waiting = waiting_.erase(waiting);
      continue;
    }
    if (has_turn && ++waiting->passed > kPatience) {
      impatient.insert(client);
      if (kept.cells == 0 && (!limits_.fair || is_new(*waiting))) kept = waiting->needs;
      // Enough room, but never in one piece: then nobody enters before it.
      if (waiting->passed > 4 * kPatience && room_.has_room(client, waiting->needs)) break;
    }
    ++waiting;
  }
  return entering;
}

bool Admission::has_room(const Waiting& waiting, const RoomNeeds& kept) const {
  const RoomNeeds& needs = waiting.needs;
  const bool passes = limits_.fair && is_new(waiting) && kSmallPart * needs.cells <= room_.cells() &&
                      kSmallPart * needs.tokens <= room_.tokens();
  return room_.has_room(waiting.client(), needs, passes ? RoomNeeds{} : kept);
}

}  // namespace dragoman::decode
