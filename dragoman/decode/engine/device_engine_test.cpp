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

std::vector<TranslationRequest> requests_for(const std::vector<Sentence>& sources) {
  std::vector<TranslationRequest> requests;
  for (const Sentence& source : sources) {
    requests.push_back({.source = source, .prefix = {}, .number = static_cast<std::uint64_t>(requests.size())});
  }
  return requests;
}

// Gives each of these requests a random prefix: of no, one or some words, or of all but the last that the translation
// may have. In some of them, the first word or all words count as certain.
std::vector<TranslationRequest> with_prefixes(std::vector<TranslationRequest> requests, std::int64_t V, int max_extra,
                                              std::uint64_t seed) {
  RandomStream random(seed);
  for (TranslationRequest& request : requests) {
    const auto longest =
        static_cast<std::uint32_t>(std::max<std::int64_t>(0, std::ssize(request.source) - 2 + max_extra));
    const std::uint32_t lengths[] = {0, 1, random.below(1 + longest), longest};
    const std::uint32_t length = std::min(longest, lengths[random.below(4)]);
    for (std::uint32_t i = 0; i < length; ++i) {
      request.prefix.push_back(3 + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(V - 3))));
    }
    const std::uint32_t given[] = {0, std::min(length, 1u), length};
    request.given = given[random.below(3)];
  }
  return requests;
}

template <class AnyEngine>
std::map<std::uint64_t, Result> run(AnyEngine& engine, const std::vector<TranslationRequest>& requests) {
  std::map<std::uint64_t, Result> results;
  for (const TranslationRequest& request : requests) engine.add(request);
  while (!engine.idle()) {
    for (Result& result : engine.step()) EXPECT_TRUE(results.emplace(result.number, std::move(result)).second);
  }
  return results;
}

// Expects that DeviceEngine finds exactly what Engine finds within the same limits.
template <class Small>
void expect_as_engine(const Small& small, const std::vector<TranslationRequest>& requests,
                      const SearchSettings& settings, const EngineLimits& limits) {
  Engine host(*small.on, {&small.model}, settings, limits);
  const auto expected = run(host, requests);
  DeviceEngine device(*small.on, small.model, settings, limits);
  const auto actual = run(device, requests);
  ASSERT_EQ(actual.size(), requests.size());
  for (const auto& [number, result] : actual) {
    SCOPED_TRACE(testing::Message() << "sentence " << number);
    expect_same(result.hypotheses, expected.at(number).hypotheses);
    EXPECT_EQ(result.steps, expected.at(number).steps);
  }
}

template <class Small>
void expect_as_engine(const Small& small, const std::vector<Sentence>& sources, const SearchSettings& settings,
                      const EngineLimits& limits) {
  expect_as_engine(small, requests_for(sources), settings, limits);
}

// Searches of all kinds for models with ties; see model_with_twins().
SearchSettings settings_of(std::uint64_t seed) {
  const int beam = 1 + static_cast<int>(seed % 5);
  return {.method = seed % 11 == 10 ? Method::kGreedy : Method::kBeam,
          .beam = beam,
          .alpha = 0.3 * static_cast<double>(seed % 4),
          .length_norm = static_cast<LengthNorm>(seed % 3),
          .stop = seed % 7 == 3 ? Stop::kBeam : Stop::kProvable,
          .n_best = seed % 11 != 10 && seed % 3 == 0 ? beam : 1,
          .max_extra = static_cast<int>(seed % 9),
          .min_length = seed % 6 == 5 ? 4 : 0};
}

TEST(DeviceEngine, FindsWhatTheHostFindsBitForBitOnTwoHundredModelsWithTies) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "model " << seed);
    const std::unique_ptr<SmallModel> small = model_with_twins(seed, /*twins=*/seed % 4 != 3);
    expect_as_engine(*small, model::random_sentences(9, 4, 14, seed + 1), settings_of(seed),
                     {.sentences = 1 + static_cast<std::int64_t>(seed % 6), .source_tokens = 15});
  }
}

TEST(DeviceEngine, FindsWhatTheHostFindsBitForBitAfterPrefixesOfAnyLength) {
  for (std::uint64_t seed = 0; seed < 66; ++seed) {
    SCOPED_TRACE(testing::Message() << "model " << seed);
    const std::unique_ptr<SmallModel> small = model_with_twins(seed, /*twins=*/seed % 4 != 3);
    const SearchSettings settings = settings_of(seed);
    const auto requests = requests_for(model::random_sentences(12, 6, 14, seed + 1));
    expect_as_engine(*small, with_prefixes(requests, 14, settings.max_extra, seed), settings,
                     {.sentences = 1 + static_cast<std::int64_t>(seed % 6), .source_tokens = 25});
  }
}

TEST(DeviceEngine, APrefixMayContainTheEndOfTheSentence) {
  const SmallModel small;
  std::vector<TranslationRequest> requests = requests_for(model::random_sentences(3, 8, 37, 4));
  requests[1].prefix = {7, kEos, 8};
  for (const Method method : {Method::kBeam, Method::kGreedy}) {
    expect_as_engine(small, requests, {.method = method, .max_extra = 5, .min_length = 4},
                     {.sentences = 2, .source_tokens = 30});
  }
}

TEST(DeviceEngine, APrefixThatFillsTheTranslationIsRefused) {
  const SmallModel small;
  DeviceEngine engine(*small.on, small.model, {.max_extra = 2}, {.sentences = 2, .source_tokens = 8});
  engine.add({.source = {5, kEos}, .prefix = {7, 8}});
  EXPECT_THROW(engine.add({.source = {5, kEos}, .prefix = {7, 8, 9}}), UsageError);
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
  EXPECT_TRUE(engine.accepts({.source = {5, 2}, .prefix = {7}}));
  EXPECT_FALSE(engine.accepts({.source = {5, 2}, .prefix = {}, .options = {.search = SearchSettings{}}}));
  EXPECT_FALSE(engine.accepts({.source = {5, 2}, .prefix = {}, .options = {.heads_off = {{}}}}));
  EXPECT_FALSE(engine.accepts({.source = {5, 2}, .prefix = {}, .options = {.trace = true}}));
  EXPECT_FALSE(engine.accepts({.source = {5, 2}, .prefix = {}, .options = {.follow = true}}));
  EXPECT_THROW(engine.add({.source = {5, 2}, .prefix = {}, .options = {.trace = true}}), UsageError);
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

TEST(DeviceEngine, FailsIfScoresAreNotFinite) {
  const SmallModel small;
  const Array E = small.parameter("embed.E");
  small.on->scaled(E, std::numeric_limits<double>::quiet_NaN(), Sink::overwrite(E));
  EXPECT_THROW(search(*small.on, small.model, model::random_sentences(3, 5, 37, 4), {}, Place::kDevice), Error);
  DeviceEngine engine(*small.on, small.model, {}, {.sentences = 1, .source_tokens = 8});
  engine.add({.source = {5, kEos}, .prefix = {7, 8}, .given = 2});
  std::vector<Result> results;
  while (results.empty()) results = engine.step();
  EXPECT_TRUE(results[0].failed);
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
      const auto requests = with_prefixes(requests_for(sources), 37, settings.max_extra, 8);
      const auto actual = run(one, requests), expected = run(other, requests);
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

TEST_P(DeviceEngineOn, FindsWhatTheHostFindsAfterPrefixes) {
  const SmallModel small(model::small_config(), {.device = GetParam()});
  for (const SearchSettings& settings : {SearchSettings{.method = Method::kGreedy}, SearchSettings{.n_best = 2},
                                         SearchSettings{.beam = 3, .max_extra = 20, .min_length = 12}}) {
    const auto requests =
        with_prefixes(requests_for(model::random_sentences(30, 15, 37, 4)), 37, settings.max_extra, 5);
    Dispatcher host(*small.on, {&small.model}, settings, {9, 200}, Place::kHost);
    Dispatcher device(*small.on, {&small.model}, settings, {9, 200}, Place::kDevice);
    const auto expected = run(host, requests), actual = run(device, requests);
    ASSERT_EQ(actual.size(), requests.size());
    for (const auto& [number, result] : actual) {
      const Hypothesis &best = result.hypotheses[0], &wanted = expected.at(number).hypotheses[0];
      EXPECT_EQ(best.tokens, wanted.tokens);
      EXPECT_NEAR(best.score, wanted.score, 1e-4);
      EXPECT_TRUE(
          std::ranges::equal(requests[number].prefix, std::span(best.tokens).first(requests[number].prefix.size())));
    }
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
        .source = sources[i], .prefix = {}, .number = static_cast<std::uint64_t>(i), .options = {.follow = i % 3 == 1}};
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
