#include "dragoman/decode/engine/device_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <thread>

#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/testing.h"
#include "dragoman/model/universal/testing.h"

namespace dragoman::decode {
namespace {

using data::Sentence;
using model::SmallModel;

void expect_same(const std::vector<Hypothesis>& actual, const std::vector<Hypothesis>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].tokens, expected[i].tokens);
    EXPECT_EQ(actual[i].log_probability, expected[i].log_probability);
    EXPECT_EQ(actual[i].score, expected[i].score);
    EXPECT_EQ(actual[i].finished, expected[i].finished);
    EXPECT_EQ(actual[i].rows, expected[i].rows);
  }
}

template <class AnyEngine>
std::map<std::uint64_t, Result> run(AnyEngine& engine, const std::vector<Sentence>& sources) {
  std::map<std::uint64_t, Result> results;
  for (std::size_t i = 0; i < sources.size(); ++i) engine.add({.source = sources[i], .prefix = {}, .number = i});
  while (!engine.idle()) {
    for (Result& result : engine.step()) EXPECT_TRUE(results.emplace(result.number, std::move(result)).second);
  }
  return results;
}

// Expects that DeviceEngine finds exactly what Engine finds within the same limits.
template <class Small>
void expect_as_engine(const Small& small, const std::vector<Sentence>& sources, const SearchSettings& settings,
                      const EngineLimits& limits) {
  Engine host(*small.on, {&small.model}, settings, limits);
  const auto expected = run(host, sources);
  DeviceEngine device(*small.on, small.model, settings, limits);
  const auto actual = run(device, sources);
  ASSERT_EQ(actual.size(), sources.size());
  for (const auto& [number, result] : actual) {
    SCOPED_TRACE(testing::Message() << "sentence " << number);
    expect_same(result.hypotheses, expected.at(number).hypotheses);
    EXPECT_EQ(result.steps, expected.at(number).steps);
  }
}

TEST(DeviceEngine, FindsWhatTheHostFindsBitForBitOnTwoHundredModelsWithTies) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "model " << seed);
    const std::unique_ptr<SmallModel> small = model_with_twins(seed, /*twins=*/seed % 4 != 3);
    const int beam = 1 + static_cast<int>(seed % 5);
    const SearchSettings settings{.method = seed % 11 == 10 ? Method::kGreedy : Method::kBeam,
                                  .beam = beam,
                                  .alpha = 0.3 * static_cast<double>(seed % 4),
                                  .length_norm = static_cast<LengthNorm>(seed % 3),
                                  .stop = seed % 7 == 3 ? Stop::kBeam : Stop::kProvable,
                                  .n_best = seed % 11 != 10 && seed % 3 == 0 ? beam : 1,
                                  .max_extra = static_cast<int>(seed % 9),
                                  .min_length = seed % 6 == 5 ? 4 : 0};
    expect_as_engine(*small, model::random_sentences(9, 4, 14, seed + 1), settings,
                     {.sentences = 1 + static_cast<std::int64_t>(seed % 6), .source_tokens = 15});
  }
}

TEST(DeviceEngine, SentencesEnterAndLeaveOthersUndisturbed) {
  model::TransformerConfig config = model::small_config();
  config.V_source = config.V_target = 200;
  config.tie = model::Tie::kNone;
  const SmallModel small(config, {.threads = 3});
  const std::vector<Sentence> sources = model::random_sentences(60, 15, 200, 4);
  for (const EngineLimits& limits :
       {EngineLimits{1, 16}, EngineLimits{3, 40}, EngineLimits{16, 100}, EngineLimits{64, 1000}}) {
    for (const int beam : {1, 4, 16}) {
      expect_as_engine(small, sources, {.beam = beam, .max_extra = 15}, limits);
    }
  }
}

TEST(DeviceEngine, SupportsModelsWithLearnedPositionsAndWindows) {
  model::TransformerConfig config = model::small_config();
  config.positions = model::transformer::Positions::kLearned;
  config.max_positions = 12;
  config.window = 3;
  for (const Mask::Window kind : {Mask::Window::kSliding, Mask::Window::kBlock}) {
    config.window_kind = kind;
    const SmallModel small(config);
    expect_as_engine(small, model::random_sentences(20, 11, 37, 4), {.beam = 3}, {.sentences = 5, .source_tokens = 60});
  }
}

TEST(DeviceEngine, SupportsModelsThatRunALayerSeveralTimes) {
  model::UniversalConfig config = model::universal::small_universal();
  config.halting = model::universal::HaltingName::kAct;
  const model::universal::SmallUniversal small(config);
  expect_as_engine(small, model::random_sentences(20, 11, 37, 4), {.beam = 3}, {.sentences = 5, .source_tokens = 60});
}

TEST(DeviceEngine, ASentenceThatMayHaveNoTokenHasNone) {
  const SmallModel small;
  expect_as_engine(small, {{kEos}, {5, kEos}}, {.max_extra = 0}, {.sentences = 2, .source_tokens = 4});
}

TEST(DeviceEngine, LeavesTheArenaAsItWas) {
  const SmallModel small;
  const std::size_t before = small.on->arena().used();
  search(*small.on, small.model, model::random_sentences(3, 5, 37, 4), {}, Place::kDevice);
  EXPECT_EQ(small.on->arena().used(), before);
}

TEST(DeviceEngine, RefusesWhatNeedsTheHost) {
  const SmallModel small;
  const model::Seq2Seq* const one[] = {&small.model};
  const model::Seq2Seq* const two[] = {&small.model, &small.model};
  EXPECT_TRUE(DeviceEngine::supports(one, {}));
  EXPECT_FALSE(DeviceEngine::supports(two, {}));
  EXPECT_FALSE(DeviceEngine::supports(one, {.beam = 17}));
  EXPECT_FALSE(DeviceEngine::supports(one, {.no_repeat_ngram = 2}));
  EXPECT_FALSE(DeviceEngine::supports(one, {.rules = Rules::kTransformers}));
  EXPECT_FALSE(DeviceEngine::supports(one, {.method = Method::kSample}));
  DeviceEngine engine(*small.on, small.model, {}, {.sentences = 2, .source_tokens = 8});
  EXPECT_TRUE(engine.accepts({.source = {5, 2}, .prefix = {}}));
  EXPECT_FALSE(engine.accepts({.source = {5, 2}, .prefix = {7}}));
  EXPECT_FALSE(engine.accepts({.source = {5, 2}, .prefix = {}, .options = {.search = SearchSettings{}}}));
  EXPECT_FALSE(engine.accepts({.source = {5, 2}, .prefix = {}, .options = {.heads_off = {{}}}}));
  EXPECT_FALSE(engine.accepts({.source = {5, 2}, .prefix = {}, .options = {.trace = true}}));
  EXPECT_FALSE(engine.accepts({.source = {5, 2}, .prefix = {}, .options = {.follow = true}}));
  EXPECT_THROW(engine.add({.source = {5, 2}, .prefix = {7}}), UsageError);
  EXPECT_THROW(engine.add({.source = {}, .prefix = {}}), UsageError);
}

TEST(DeviceEngine, ACancelledSentenceHasNoResultAndDoesNotAffectOthers) {
  const SmallModel small;
  const std::vector<Sentence> sources = model::random_sentences(6, 8, 37, 4);
  const auto expected = search(*small.on, small.model, sources, {}, Place::kHost);
  DeviceEngine engine(*small.on, small.model, {}, {.sentences = 3, .source_tokens = 60});
  for (std::uint64_t i = 0; i < 6; ++i) engine.add({.source = sources[i], .prefix = {}, .number = i});
  std::map<std::uint64_t, Result> results;
  for (int step = 0; !engine.idle(); ++step) {
    if (step == 1) {
      engine.cancel(1);  // under way
      engine.cancel(5);  // waiting
    }
    for (Result& result : engine.step()) results[result.number] = std::move(result);
  }
  ASSERT_EQ(results.size(), 4u);
  for (const auto& [number, result] : results) expect_same(result.hypotheses, expected[number]);
}

TEST(DeviceEngine, ThrowsIfScoresAreNotFinite) {
  const SmallModel small;
  const Array E = small.parameter("embed.E");
  small.on->scaled(E, std::numeric_limits<double>::quiet_NaN(), Sink::overwrite(E));
  EXPECT_THROW(search(*small.on, small.model, model::random_sentences(3, 5, 37, 4), {}, Place::kDevice), Error);
}

TEST(DeviceEngine, SentencesThatCannotBeEncodedLeaveOthersUndisturbed) {
  const SmallModel small;
  const std::vector<Sentence> sources = model::random_sentences(4, 8, 37, 4);
  const auto expected = search(*small.on, small.model, sources, {}, Place::kHost);
  DeviceEngine engine(*small.on, small.model, {}, {.sentences = 4, .source_tokens = 60});
  std::map<std::uint64_t, Result> results;
  const auto step = [&] {
    for (Result& result : engine.step()) results[result.number] = std::move(result);
  };
  const auto add = [&](std::uint64_t i) { engine.add({.source = sources[i], .prefix = {}, .number = i}); };
  add(0);
  add(1);
  step();
  engine.add({.source = {99, kEos}, .prefix = {}, .number = 9});  // no such token
  EXPECT_THROW(step(), UsageError);
  EXPECT_EQ(engine.under_way(), 2);
  add(2);
  add(3);
  while (!engine.idle()) step();
  ASSERT_EQ(results.size(), 4);
  for (const auto& [number, result] : results) expect_same(result.hypotheses, expected[number]);
}

class DeviceEngineOn : public ::testing::TestWithParam<Device> {};

TEST_P(DeviceEngineOn, RecordedStepsFindWhatSingleLaunchesFind) {
  model::TransformerConfig config = model::small_config();
  config.d_model = 32;
  const std::vector<Sentence> sources = model::random_sentences(50, 15, 37, 4);
  const SmallModel recorded(config, {.device = GetParam()});
  const SmallModel single(config, {.device = GetParam(), .profile = true});  // profiling launches kernels one by one
  for (const EngineLimits& limits : {EngineLimits{5, 60}, EngineLimits{64, 1000}}) {
    for (const int beam : {1, 4, 7}) {
      const SearchSettings settings{.beam = beam, .n_best = beam, .max_extra = 15};
      DeviceEngine one(*recorded.on, recorded.model, settings, limits),
          other(*single.on, single.model, settings, limits);
      const auto actual = run(one, sources), expected = run(other, sources);
      ASSERT_EQ(actual.size(), sources.size());
      for (const auto& [number, result] : actual) expect_same(result.hypotheses, expected.at(number).hypotheses);
    }
  }
}

TEST_P(DeviceEngineOn, FindsWhatTheHostFinds) {
  const SmallModel small(model::small_config(), {.device = GetParam()});
  const std::vector<Sentence> sources = model::random_sentences(30, 15, 37, 4);
  const SearchSettings settings{.beam = 4, .n_best = 2, .max_extra = 15};
  const auto actual = search(*small.on, small.model, sources, settings, Place::kDevice),
             expected = search(*small.on, small.model, sources, settings, Place::kHost);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ASSERT_EQ(actual[i].size(), expected[i].size());
    EXPECT_EQ(actual[i][0].tokens, expected[i][0].tokens);
    EXPECT_NEAR(actual[i][0].score, expected[i][0].score, 1e-4);
  }
}

std::size_t peak_of(const SmallModel& small, const std::vector<Sentence>& sources, const SearchSettings& settings) {
  small.on->arena().reset_peak();
  search(*small.on, small.model, sources, settings, Place::kDevice);
  return small.on->arena().peak();
}

// Training plans its memory with a dry run, whose sentences are the longest possible ones.
TEST_P(DeviceEngineOn, ADryRunTakesTheMemoryOfARealOne) {
  for (const int length : {2, 9, 230, 300}) {
    for (const SearchSettings& settings :
         {SearchSettings{.method = Method::kGreedy}, SearchSettings{.beam = 4}, SearchSettings{.min_length = 5}}) {
      const SmallModel dry(model::small_config(), {.device = GetParam(), .dry = true});
      const SmallModel real(model::small_config(), {.threads = 2, .device = GetParam()});
      const std::vector<Sentence> longest(7, Sentence(length, 5));
      const std::size_t planned = peak_of(dry, longest, settings);
      EXPECT_EQ(peak_of(real, longest, settings), planned);
      EXPECT_LE(peak_of(dry, longest, settings), planned);  // now the tables of position encodings exist
      EXPECT_LE(peak_of(real, model::random_sentences(7, std::max(1, length - 1), 37, 4), settings), planned);
    }
  }
}

TEST_P(DeviceEngineOn, WorkersThatComeAndGoShareAModel) {
  const SmallModel small(model::small_config(), {.device = GetParam()});
  const std::vector<Sentence> sources = model::random_sentences(20, 15, 37, 4);
  small.on->wait();
  std::vector<std::vector<std::vector<Hypothesis>>> found(4);
  std::vector<std::thread> workers;
  for (auto& mine : found) {
    workers.emplace_back([&] {
      for (int times = 0; times < 3; ++times) {
        const auto on = make_backend(GetParam(), {.threads = 1, .memory = 64 << 20, .gradient_memory = 1 << 20});
        mine = search(*on, small.model, sources, {.max_extra = 300}, Place::kDevice);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  const auto expected = search(*small.on, small.model, sources, {.max_extra = 300}, Place::kDevice);
  for (const auto& theirs : found) {
    for (std::size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(theirs[i][0].tokens, expected[i][0].tokens);
  }
}

std::vector<Device> devices() {
  std::vector<Device> devices{Device{}};
  if (cuda_devices() > 0) devices.push_back({Device::Kind::kCuda, 0});
  return devices;
}

std::string device_name_of(const ::testing::TestParamInfo<Device>& device) {
  return device.param.kind == Device::Kind::kCpu ? "cpu" : "cuda";
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceEngineOn, ::testing::ValuesIn(devices()), device_name_of);

TEST(Dispatcher, GivesTheHostWhatTheDeviceCannotDo) {
  const SmallModel small;
  const std::vector<Sentence> sources = model::random_sentences(12, 8, 37, 4);
  const SearchSettings settings{.max_extra = 9};
  const EngineLimits limits{.sentences = 4, .source_tokens = 30};
  Engine engine(*small.on, {&small.model}, settings, limits);
  Dispatcher dispatcher(*small.on, {&small.model}, settings, limits, Place::kDevice);
  std::map<std::uint64_t, Result> expected, actual;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const TranslationRequest request{
        .source = sources[i], .prefix = i % 3 == 1 ? Sentence{7} : Sentence{}, .number = static_cast<std::uint64_t>(i)};
    engine.add(request);
    dispatcher.add(request);
    for (Result& result : dispatcher.step()) actual[result.number] = std::move(result);
  }
  while (!engine.idle()) {
    for (Result& result : engine.step()) expected[result.number] = std::move(result);
  }
  while (!dispatcher.idle()) {
    for (Result& result : dispatcher.step()) actual[result.number] = std::move(result);
  }
  ASSERT_EQ(actual.size(), sources.size());
  for (const auto& [number, result] : actual) expect_same(result.hypotheses, expected.at(number).hypotheses);
}

}  // namespace
}  // namespace dragoman::decode
