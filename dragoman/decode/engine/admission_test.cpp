#include "dragoman/decode/engine/admission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/testing.h"

namespace dragoman::decode {
namespace {

using Entered = std::vector<std::uint64_t>;  // the numbers of the requests that enter at a step

// An Admission whose sentences need as many cells of the decoder state as they have tokens. Its engine has memory for
// all of them but the one given to admit().
class Queue {
 public:
  explicit Queue(const EngineLimits& limits)
      : admission_(limits, {.tokens = limits.source_tokens, .cells = limits.source_tokens}) {}

  void add(std::uint64_t number, std::int64_t tokens, const std::string& client = "") {
    TranslationRequest request{
        .source = data::Sentence(static_cast<std::size_t>(tokens)), .prefix = {}, .number = number};
    request.options.client = client;
    admission_.add(std::move(request), {.tokens = tokens, .cells = tokens});
  }
  // Lets sentences enter and returns their numbers. The engine has no memory for the sentence with the number `refused`
  // (0 for none).
  Entered admit(std::uint64_t refused = 0) {
    Entered numbers;
    for (TranslationRequest& request :
         admission_.admit([&](const TranslationRequest& one) { return one.number != refused; })) {
      numbers.push_back(request.number);
      under_way_.push_back(std::move(request));
    }
    return numbers;
  }
  void leave(std::uint64_t number) {
    const auto found = std::ranges::find(under_way_, number, &TranslationRequest::number);
    const std::int64_t tokens = std::ssize(found->source);
    admission_.leave(*found, {.tokens = tokens, .cells = tokens});
    under_way_.erase(found);
  }
  Admission& admission() { return admission_; }

 private:
  Admission admission_;
  std::vector<TranslationRequest> under_way_;
};

TEST(Admission, SentencesThatFitEnterInTheOrderInWhichTheyCame) {
  for (const bool fair : {false, true}) {
    Queue queue({.sentences = 4, .source_tokens = 100, .fair = fair});
    for (std::uint64_t i = 1; i <= 7; ++i) queue.add(i, 5);
    EXPECT_EQ(queue.admit(), (Entered{1, 2, 3, 4}));
    EXPECT_EQ(queue.admit(), Entered());
    queue.leave(2);
    queue.leave(3);
    EXPECT_EQ(queue.admit(), (Entered{5, 6}));
    EXPECT_EQ(queue.admission().under_way(), 4);
    EXPECT_EQ(queue.admission().waiting(), 1);
  }
}

TEST(Admission, SentencesEnterWhenAQuarterOfThePlacesAreFree) {
  Queue queue({.sentences = 8, .source_tokens = 100});
  for (std::uint64_t i = 1; i <= 10; ++i) queue.add(i, 5);
  EXPECT_EQ(queue.admit().size(), 8u);
  queue.leave(1);
  EXPECT_EQ(queue.admit(), Entered());
  queue.leave(2);
  EXPECT_EQ(queue.admit(), (Entered{9, 10}));
}

TEST(Admission, ASentenceThatDoesNotFitLetsOthersPassUntilItHasWaitedLong) {
  for (const bool fair : {false, true}) {
    Queue queue({.sentences = 8, .source_tokens = 80, .fair = fair});  // if fair, an eighth more: 90 tokens
    queue.add(1, 50, "a");
    queue.add(2, 50, "b");
    EXPECT_EQ(queue.admit(), Entered{1});
    std::uint64_t next = 10;
    int passed = 0;
    for (int step = 0; step < 500; ++step) {
      queue.add(next, 20, "c");
      for (const std::uint64_t number : queue.admit()) {
        EXPECT_EQ(number, next);
        queue.leave(number);
        ++passed;
      }
      queue.admission().cancel(next++);
    }
    // One sentence passes at each step, for about 256 steps (kPatience in admission.cpp).
    EXPECT_GT(passed, 200) << fair;
    EXPECT_LT(passed, 300) << fair;
    queue.add(next, 20, "c");
    queue.leave(1);
    EXPECT_EQ(queue.admit(), (Entered{2, next})) << fair;
  }
}

TEST(Admission, ASmallFirstSentenceOfAClientPassesOneThatHasWaitedLong) {
  Queue queue({.sentences = 8, .source_tokens = 80, .fair = true});
  queue.add(1, 50, "a");
  queue.add(2, 50, "b");
  for (int step = 0; step < 300; ++step) queue.admit();
  queue.add(3, 20, "c");  // fits, but is not small
  queue.add(4, 5, "d");
  queue.add(5, 5, "a");  // small, but not its client's first
  EXPECT_EQ(queue.admit(), Entered{4});
}

TEST(Admission, OthersDoNotPassASentenceWithoutContiguousMemoryForEver) {
  Queue queue({.sentences = 8, .source_tokens = 80});
  queue.add(1, 20, "a");
  int passed = 0;
  for (std::uint64_t number = 10; number < 2010; ++number) {
    queue.add(number, 20, "b");
    for (const std::uint64_t entered : queue.admit(1)) {
      queue.leave(entered);
      ++passed;
    }
    queue.admission().cancel(number);
  }
  // One sentence passes at each step, for 1024 steps (4 kPatience in admission.cpp).
  EXPECT_GT(passed, 900);
  EXPECT_LT(passed, 1200);
  EXPECT_EQ(queue.admit(), Entered{1});
}

TEST(Admission, TheTokensThatEnterAtAStepAreLimited) {
  Admission admission({.sentences = 8, .source_tokens = 100}, {.tokens = 100, .cells = 100}, 10);
  for (std::uint64_t i = 0; i < 5; ++i) {
    admission.add({.source = data::Sentence(6), .prefix = {}, .number = i}, {.tokens = 6, .cells = 6});
  }
  const auto any = [](const TranslationRequest&) { return true; };
  EXPECT_EQ(admission.admit(any).size(), 2u);
  EXPECT_EQ(admission.admit(any).size(), 2u);
  EXPECT_EQ(admission.admit(any).size(), 1u);
}

TEST(Admission, ACancelledSentenceDoesNotEnter) {
  Queue queue({.sentences = 8, .source_tokens = 100});
  for (std::uint64_t i = 1; i <= 3; ++i) queue.add(i, 5, i == 2 ? "b" : "a");
  EXPECT_EQ(queue.admission().waiting("a"), 2);
  queue.admission().cancel(3);
  EXPECT_EQ(queue.admission().waiting("a"), 1);
  EXPECT_EQ(queue.admit(), (Entered{1, 2}));
}

struct EngineKind {
  Place place;
  Device device;
};

// Tests of both engines, Engine and DeviceEngine, through the Dispatcher.
class FairEngine : public ::testing::TestWithParam<EngineKind> {
 protected:
  // Sentences never end before their limits, which are max_extra - 1 tokens more than their sources have.
  void start(const EngineLimits& limits, int max_extra) {
    const SearchSettings settings{.beam = 2, .max_extra = max_extra, .min_length = 10000};
    engine = std::make_unique<Dispatcher>(*small.on, std::vector<const model::Seq2Seq*>{&small.model}, settings, limits,
                                          GetParam().place);
    ASSERT_EQ(engine->on_device() != nullptr, GetParam().place == Place::kDevice);
  }
  void add(std::uint64_t number, const std::string& client, std::int64_t tokens = 3) const {
    TranslationRequest request{
        .source = data::Sentence(static_cast<std::size_t>(tokens), 5), .prefix = {}, .number = number};
    request.source.back() = kEos;
    request.options.client = client;
    engine->add(std::move(request));
  }
  // The number of steps until this sentence is done.
  std::int64_t steps_until(std::uint64_t number, const std::function<void()>& when_another_is_done = {}) const {
    for (std::int64_t steps = 1; steps < 10000; ++steps) {
      bool done = false;
      for (const Result& result : engine->step()) {
        done = done || result.number == number;
        if (when_another_is_done && result.number != number) when_another_is_done();
      }
      if (done) return steps;
    }
    return 10000;
  }

  model::SmallModel small{untied_config(), {.device = GetParam().device}};
  std::unique_ptr<Dispatcher> engine;
};

TEST_P(FairEngine, ASentenceThatTakesAllRoomHoldsUpNoOtherClient) {
  start({.sentences = 8, .source_tokens = 400, .fair = true}, 4);
  add(1, "a", 350);
  add(2, "a", 350);
  engine->step();
  EXPECT_EQ(engine->under_way(), 1);
  add(3, "b");
  EXPECT_LE(steps_until(3), 12);
  EXPECT_EQ(engine->under_way(), 1);
  EXPECT_EQ(engine->waiting(), 1);
  EXPECT_EQ(engine->waiting("a"), 1);
}

TEST_P(FairEngine, AClientMayHaveAllPlacesAndANewcomerStillFindsOne) {
  start({.sentences = 8, .source_tokens = 100, .fair = true}, 20);
  for (std::uint64_t i = 0; i < 20; ++i) add(i, "a");
  engine->step();
  EXPECT_EQ(engine->under_way(), 8);
  add(100, "b");
  for (int step = 0; step < 4; ++step) engine->step();
  EXPECT_EQ(engine->under_way(), 9);
}

TEST_P(FairEngine, ClientsThatHaveAllPlacesTogetherLeaveOneForANewcomer) {
  start({.sentences = 8, .source_tokens = 100, .fair = true}, 20);
  for (std::uint64_t i = 0; i < 20; ++i) add(i, i % 2 == 0 ? "a" : "b");
  for (int step = 0; step < 8; ++step) engine->step();
  const std::int64_t before = engine->under_way();
  add(100, "c");
  for (int step = 0; step < 4; ++step) engine->step();
  EXPECT_EQ(engine->under_way(), before + 1);
}

TEST_P(FairEngine, LargeSentencesThatWaitKeepNoSmallOneOut) {
  start({.sentences = 8, .source_tokens = 700, .fair = true}, 4);
  for (std::uint64_t i = 1; i <= 3; ++i) add(i, std::string(1, static_cast<char>('a' + i)), 350);
  // Two of them take 700 of 788 tokens, which are the limit and an eighth more.
  for (int step = 0; step < 300; ++step) engine->step();
  EXPECT_EQ(engine->waiting(), 1);
  add(4, "z");
  EXPECT_LE(steps_until(4), 12);
}

TEST_P(FairEngine, ASentenceThatOthersPassHasItsTurnInTheEnd) {
  for (const bool fair : {false, true}) {
    start({.sentences = 8, .source_tokens = 100, .fair = fair}, 4);
    std::uint64_t next = 10;
    const auto add_other = [&] {
      add(next, "a", 3 + static_cast<std::int64_t>(next % 7));
      ++next;
    };
    for (int i = 0; i < 6; ++i) add_other();
    engine->step();
    add(1, "b", 100);  // all tokens that one client may have
    EXPECT_LT(steps_until(1, add_other), 2000) << fair;
    EXPECT_GT(next, 100u);  // others were translated meanwhile
    engine.reset();
  }
}

std::vector<EngineKind> engine_kinds() {
  std::vector<EngineKind> kinds{{Place::kHost, {}}, {Place::kDevice, {}}};
  if (cuda_devices() > 0) kinds.push_back({Place::kDevice, {Device::Kind::kCuda, 0}});
  return kinds;
}

std::string engine_name_of(const ::testing::TestParamInfo<EngineKind>& kind) {
  if (kind.param.place == Place::kHost) return "Engine";
  return kind.param.device.kind == Device::Kind::kCpu ? "DeviceEngine" : "DeviceEngineOnCuda";
}

INSTANTIATE_TEST_SUITE_P(Engines, FairEngine, ::testing::ValuesIn(engine_kinds()), engine_name_of);

}  // namespace
}  // namespace dragoman::decode
