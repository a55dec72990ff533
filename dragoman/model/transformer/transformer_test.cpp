#include "dragoman/model/transformer/transformer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "dragoman/model/testing.h"

namespace dragoman::model::transformer {
namespace {

using data::Sentence;
using Sentences = std::vector<Sentence>;

// Everything below runs without gradients, as translation does.
Doubles encoder_states(const SmallModel& small, const Sentences& sources, std::size_t b,
                       nn::Observer* observer = nullptr) {
  const ArenaScope values(small.on->arena());
  nn::Pass pass{.on = *small.on, .observer = observer};
  const Tokens tokens = data::make_tokens(*small.on, sources, {.V = small.model.source_vocabulary()});
  const Array states = small.model.encode(tokens, pass).states.array();
  std::int64_t first = 0;
  for (std::size_t i = 0; i < b; ++i) first += static_cast<std::int64_t>(sources[i].size());
  return values_of(*small.on, states.row_range(first, static_cast<std::int64_t>(sources[b].size())));
}

enum class Output { kStates, kLogProbabilities };

// The decoder's rows of sentence b with teacher forcing; `inputs` are the targets, already shifted right.
Doubles decoder_rows(const SmallModel& small, const Sentences& sources, const Sentences& inputs, std::size_t b,
                     Output output, nn::Observer* observer = nullptr) {
  const ArenaScope values(small.on->arena());
  nn::Pass pass{.on = *small.on, .observer = observer};
  const Tokens source = data::make_tokens(*small.on, sources, {.V = small.model.source_vocabulary()});
  const Tokens target =
      data::make_tokens(*small.on, inputs, {.V = small.model.target_vocabulary(), .zero_start = true});
  Tensor rows = small.model.decode(target, small.model.encode(source, pass), pass);
  if (output == Output::kLogProbabilities) rows = log_probabilities(small.model, rows);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < b; ++i) first += static_cast<std::int64_t>(inputs[i].size());
  return values_of(*small.on, rows.array().row_range(first, static_cast<std::int64_t>(inputs[b].size())));
}

Sentence shifted(const SmallModel& small, Sentence target) {
  target.insert(target.begin(), small.model.start_token());
  target.pop_back();
  return target;
}

// A translation of several sentences at once, step by step.
struct Steps {
  Steps(const SmallModel& small_, const Sentences& sources, std::int64_t cells)
      : small(small_), values(small.on->arena()) {
    std::int64_t source_rows = 0;
    for (const Sentence& source : sources) source_rows += static_cast<std::int64_t>(source.size());
    state = start_decoding(small.model, *small.on, {.source_rows = source_rows, .cells = cells});
    enter(sources);
  }
  void enter(const Sentences& sources) {
    const ArenaScope scope(small.on->arena());
    nn::Pass pass{.on = *small.on};
    std::vector<std::int32_t> numbers;
    for (const Sentence& source : sources) numbers.push_back(state.enter(static_cast<std::int64_t>(source.size())));
    const Tokens tokens = data::make_tokens(*small.on, sources, {.V = small.model.source_vocabulary()});
    store_memory(small.model, small.model.encode(tokens, pass), numbers, state);
  }
  // log P of every next token, one vector for each row.
  std::vector<Doubles> step(const Sentence& ids) {
    const ArenaScope scope(small.on->arena());
    nn::Pass pass{.on = *small.on};
    const Tensor log_p = log_probabilities(small.model, model::step(small.model, ids, state, pass));
    std::vector<Doubles> rows;
    for (std::int64_t r = 0; r < log_p.rows(); ++r) rows.push_back(values_of(*small.on, log_p.array().row_range(r, 1)));
    return rows;
  }

  const SmallModel& small;
  ArenaScope values;
  DecoderState state;
};

// log P of the token after `inputs`, for a single hypothesis of a single sentence that reads them one by one.
Doubles alone(const SmallModel& small, const Sentence& source, const Sentence& inputs) {
  Steps steps(small, {source}, static_cast<std::int64_t>(inputs.size()));
  Doubles last;
  for (const std::int32_t id : inputs) last = steps.step({id}).front();
  return last;
}

TEST(CausalMask, FutureTokensDoNotChangeThePast) {
  const SmallModel small;
  const Sentence source{5, 6, 7, 2};
  for (const Output output : {Output::kStates, Output::kLogProbabilities}) {
    const Doubles before = decoder_rows(small, {source}, {{1, 10, 11, 12, 13}}, 0, output);
    const std::size_t width = before.size() / 5;
    for (std::size_t j = 0; j < 5; ++j) {
      Sentence changed{1, 10, 11, 12, 13};
      changed[j] = 30;
      const Doubles after = decoder_rows(small, {source}, {changed}, 0, output);
      EXPECT_TRUE(std::equal(before.begin(), before.begin() + j * width, after.begin())) << "token " << j;
      for (std::size_t row = j; row < 5; ++row) {
        EXPECT_FALSE(
            std::equal(before.begin() + row * width, before.begin() + (row + 1) * width, after.begin() + row * width))
            << "token " << j << ", row " << row;
      }
    }
  }
}

// The other sentences of a batch: how many come before the tested one, how many after it, and their largest length.
struct OtherSentences {
  int before, after, longest;
};

TransformerConfig wider_config() {
  TransformerConfig config = small_config();
  config.d_model = 48;
  config.d_ff = 600;  // more than kDepth, the range of k that a product sums at a time
  config.h = 3;
  config.V_source = config.V_target = 700;
  return config;
}

TEST(BatchMates, ChangeNoBitOfASentence) {
  const SmallModel one(wider_config()), three(wider_config(), {.threads = 3});
  const Sentence source{15, 16, 317, 18, 600, 2}, input{1, 20, 421, 22};
  const Doubles encoded = encoder_states(one, {source}, 0);
  const Doubles states = decoder_rows(one, {source}, {input}, 0, Output::kStates);
  const Doubles scores = decoder_rows(one, {source}, {input}, 0, Output::kLogProbabilities);
  for (const OtherSentences others : {OtherSentences{0, 0, 1}, {1, 0, 3}, {0, 1, 40}, {7, 9, 20}, {40, 20, 30}}) {
    Sentences sources = random_sentences(others.before, others.longest, 700, 1), inputs = sources;
    std::ranges::rotate(inputs, inputs.begin() + others.before / 2);
    sources.push_back(source);
    inputs.push_back(input);
    for (const Sentence& mate : random_sentences(others.after, others.longest, 700, 2)) {
      sources.push_back(mate);
      inputs.push_back(mate);
    }
    const auto b = static_cast<std::size_t>(others.before);
    for (const SmallModel* small : {&one, &three}) {
      EXPECT_EQ(encoder_states(*small, sources, b), encoded);
      EXPECT_EQ(decoder_rows(*small, sources, inputs, b, Output::kStates), states);
      EXPECT_EQ(decoder_rows(*small, sources, inputs, b, Output::kLogProbabilities), scores);
    }
  }
}

struct Variant {
  const char* name;
  void (*change)(TransformerConfig& config);
};

constexpr Variant kVariants[] = {
    {"PostNorm", [](auto&) {}},
    {"PreNorm", [](auto& c) { c.norm = Norm::kPre; }},
    {"SinusoidsOfTensor2Tensor", [](auto& c) { c.positions = Positions::kSinusoidT2T; }},
    {"LearnedPositions", [](auto& c) { c.positions = Positions::kLearned; }},
    {"NoPositions", [](auto& c) { c.positions = Positions::kNone; }},
    {"Window", [](auto& c) { c.window = 3; }},
    {"AttentionBias", [](auto& c) { c.attention_bias = true; }},
    {"OutputBias", [](auto& c) { c.output_bias = true; }},
    {"NarrowKeys", [](auto& c) { c.d_k = 3; }},
    {"DecoderTied", [](auto& c) { c.tie = Tie::kDecoder, c.V_source = 50; }},
    {"Untied", [](auto& c) { c.tie = Tie::kNone, c.V_source = 50; }},
    {"StartsFromEos", [](auto& c) { c.decoder_start = DecoderStart::kEos; }},
    {"StartsFromZero", [](auto& c) { c.decoder_start = DecoderStart::kZeroVector; }},
    {"PreNormWithWindowAndBiases",
     [](auto& c) { c.norm = Norm::kPre, c.window = 4, c.attention_bias = c.output_bias = true, c.N_dec = 3; }},
};

class Variants : public ::testing::TestWithParam<Variant> {
 protected:
  Variants() { small.add_noise(); }
  static TransformerConfig config() {
    TransformerConfig changed = small_config();
    GetParam().change(changed);
    return changed;
  }

  SmallModel small{config()};
};
INSTANTIATE_TEST_SUITE_P(Configurations, Variants, ::testing::ValuesIn(kVariants),
                         [](const auto& variant) { return variant.param.name; });

TEST_P(Variants, CachedStepsGiveTheBitsOfTeacherForcing) {
  const Sentences sources{{5, 6, 7, 8, 2}, {9, 2}, {11, 12, 13, 2}};
  const Sentences targets{{20, 21, 22, 23, 24, 2}, {30, 31, 32, 33, 34, 35}, {20, 20, 20, 20, 20, 2}};
  Sentences inputs;
  for (const Sentence& target : targets) inputs.push_back(shifted(small, target));
  std::vector<Doubles> forced;
  for (std::size_t b = 0; b < 3; ++b) {
    forced.push_back(decoder_rows(small, sources, inputs, b, Output::kLogProbabilities));
  }
  Steps steps(small, sources, 3 * 6);
  const auto V = static_cast<std::size_t>(small.model.target_vocabulary());
  for (std::size_t t = 0; t < 6; ++t) {
    const std::vector<Doubles> cached = steps.step({inputs[0][t], inputs[1][t], inputs[2][t]});
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_EQ(cached[b], Doubles(forced[b].begin() + t * V, forced[b].begin() + (t + 1) * V));
    }
  }
}

TEST_P(Variants, ProbabilitiesSumToOne) {
  double sum = 0;
  for (const double log_p : alone(small, {5, 6, 2}, {small.model.start_token(), 7})) sum += std::exp(log_p);
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(Reorder, PermutingRowsPermutesResults) {
  const SmallModel small;
  const Sentences sources{{5, 6, 7, 2}, {8, 2}, {9, 10, 2}};
  Steps plain(small, sources, 3 * 4), permuted(small, sources, 3 * 4);
  plain.step({1, 1, 1});
  permuted.step({1, 1, 1});
  permuted.state.reorder(std::vector<std::int32_t>{2, 0, 1});
  for (const Sentence& ids : Sentences{{20, 21, 22}, {23, 24, 25}}) {
    const std::vector<Doubles> expected = plain.step(ids), actual = permuted.step({ids[2], ids[0], ids[1]});
    EXPECT_EQ(actual[0], expected[2]);
    EXPECT_EQ(actual[1], expected[0]);
    EXPECT_EQ(actual[2], expected[1]);
  }
}

// Like a beam search, but with random choices: hypotheses fork, end and change places.
TEST(Reorder, EveryHypothesisScoresAsIfItWereAlone) {
  for (const bool window : {false, true}) {
    TransformerConfig config = small_config();
    if (window) config.window = 3;
    const SmallModel small(config, {.threads = 2});
    const Sentences sources{{5, 6, 7, 2}, {8, 9, 10, 11, 12, 2}};
    constexpr std::int64_t kRows = 6, kSteps = 8;
    Steps steps(small, sources, kRows * kSteps);
    RandomStream random(window ? 8 : 7);
    struct Hypothesis {
      std::int32_t sentence;
      Sentence inputs;
    };
    std::vector<Hypothesis> rows{{0, {1}}, {1, {1}}};
    for (std::int64_t t = 0; t < kSteps; ++t) {
      Sentence ids;
      for (const Hypothesis& row : rows) ids.push_back(row.inputs.back());
      const std::vector<Doubles> scores = steps.step(ids);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        EXPECT_EQ(steps.state.sentence(static_cast<std::int64_t>(r)), rows[r].sentence);
        EXPECT_EQ(scores[r], alone(small, sources[rows[r].sentence], rows[r].inputs)) << "step " << t << ", row " << r;
      }
      std::vector<std::int32_t> parents(1 + random.below(kRows));
      std::vector<Hypothesis> next;
      for (std::int32_t& parent : parents) {
        parent = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(rows.size())));
        next.push_back(rows[parent]);
        next.back().inputs.push_back(4 + static_cast<std::int32_t>(random.below(30)));
      }
      steps.state.reorder(parents);
      rows = next;
    }
  }
}

TEST(Reorder, RefusesRowsThatAreNotThere) {
  const SmallModel small;
  Steps steps(small, {{5, 2}, {6, 2}}, 8);
  EXPECT_THROW(steps.state.reorder(std::vector<std::int32_t>{0, 2}), Error);
  EXPECT_THROW(steps.state.reorder(std::vector<std::int32_t>{-1}), Error);
  EXPECT_NO_THROW(steps.state.reorder(std::vector<std::int32_t>{1, 1, 0}));
}

TEST(Step, RefusesMoreTokensThanItHasCellsFor) {
  const SmallModel small;
  Steps steps(small, {{5, 2}}, 2);
  steps.step({1});
  steps.step({7});
  EXPECT_THROW(steps.step({8}), Error);
}

TEST(DecoderState, ASentenceThatEntersLateScoresAsIfItWereAlone) {
  const SmallModel small;
  const Sentences sources{{5, 6, 7, 2}, {8, 2}};
  Steps steps(small, sources, 12);
  steps.step({1, 1});
  steps.step({20, 21});
  steps.state.reorder(std::vector<std::int32_t>{1});  // the first sentence leaves, and its memory is free again
  const Sentence late{9, 10, 11, 2};
  steps.enter({late});
  const std::vector<Doubles> scores = steps.step({22, 1});
  EXPECT_EQ(scores[0], alone(small, sources[1], {1, 21, 22}));
  EXPECT_EQ(scores[1], alone(small, late, {1}));
}

TEST(Transformer, TheInitialLossIsNearThatOfGuessing) {
  TransformerConfig config = small_config();
  config.d_model = 64;
  config.d_ff = 128;
  config.V_source = config.V_target = 500;
  config.tie = Tie::kNone;
  for (const Norm norm : {Norm::kPost, Norm::kPre}) {
    config.norm = norm;
    const SmallModel small(config);
    double nll = 0, tokens = 0;
    for (const data::SentencePair& pair : random_pairs(30, 20, 500, 3)) {
      const Doubles scores =
          decoder_rows(small, {pair.source}, {shifted(small, pair.target)}, 0, Output::kLogProbabilities);
      for (std::size_t t = 0; t < pair.target.size(); ++t) nll -= scores[t * 500 + pair.target[t]];
      tokens += static_cast<double>(pair.target.size());
    }
    // The initial logits have variance 1, which adds half a nat to ln V.
    EXPECT_NEAR(nll / tokens, std::log(500) + 0.5, 0.15);
  }
}

// Counts the calls for each site and layer, and checks that each query's weights sum to one.
struct Watcher : nn::Observer {
  explicit Watcher(Backend& on_) : on(on_) {}
  void see(int site, int layer, const Array& weights, const Reach& reach) override {
    ++seen[{site, layer}];
    const Doubles all = values_of(on, weights.reshaped({1, weights.count()}));
    const Doubles q = values_of(on, reach.queries.offsets.reshaped({1, reach.queries.B + 1}));
    const Doubles k = values_of(on, reach.keys.offsets.reshaped({1, reach.keys.B + 1}));
    std::size_t at = 0;
    for (std::size_t b = 0; b + 1 < q.size(); ++b) {
      for (double row = 0; row < 2 * (q[b + 1] - q[b]); ++row) {  // two heads
        double sum = 0;
        for (double key = k[b]; key < k[b + 1]; ++key) sum += all[at++];
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
    EXPECT_EQ(at, all.size());
  }

  Backend& on;
  std::map<std::pair<int, int>, int> seen;
};

TEST(Observer, SeesEveryLayerAndChangesNoBit) {
  const SmallModel small;
  const Sentences sources{{5, 6, 7, 2}, {8, 2}}, inputs{{1, 10, 11}, {1, 12, 13, 14, 15}};
  Watcher watcher(*small.on);
  for (const std::size_t b : {0, 1}) {
    EXPECT_EQ(encoder_states(small, sources, b, &watcher), encoder_states(small, sources, b));
    EXPECT_EQ(decoder_rows(small, sources, inputs, b, Output::kStates, &watcher),
              decoder_rows(small, sources, inputs, b, Output::kStates));
  }
  EXPECT_EQ(watcher.seen.size(), 6u);
  for (const int layer : {0, 1}) {
    EXPECT_EQ((watcher.seen[{kEncoderSite, layer}]), 4);
    EXPECT_EQ((watcher.seen[{kDecoderSite, layer}]), 2);
    EXPECT_EQ((watcher.seen[{kCrossSite, layer}]), 2);
  }
}

TEST(DecoderStart, IsBosEosOrTheZeroVector) {
  for (const auto& [start, token] :
       {std::pair{DecoderStart::kBos, kBos}, {DecoderStart::kEos, kEos}, {DecoderStart::kZeroVector, kPad}}) {
    TransformerConfig config = small_config();
    config.decoder_start = start;
    const SmallModel small(config);
    EXPECT_EQ(small.model.start_token(), token);
    const auto first = [&] { return decoder_rows(small, {{5, 6}}, {{small.model.start_token()}}, 0, Output::kStates); };
    const Doubles before = first();
    Array row = small.parameter("embed.E").row_range(token, 1);
    const ArenaScope scratch(small.on->arena());
    small.on->scaled(make_array(*small.on, {1, 20}, DType::kFloat32, random_values(20, 9)), 1.0, Sink::overwrite(row));
    EXPECT_EQ(first() == before, start == DecoderStart::kZeroVector);
  }
}

TEST(LearnedPositions, RefuseASentenceLongerThanTheTable) {
  TransformerConfig config = small_config();
  config.positions = Positions::kLearned;
  config.max_positions = 4;
  const SmallModel small(config);
  const std::string expected = "a sentence of 5 tokens is longer than the 4 positions of the model.";
  const auto error_message = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_message([&] { encoder_states(small, {{5, 6, 7, 2}}, 0); }), "");
  EXPECT_EQ(error_message([&] { encoder_states(small, {{5, 2}, {5, 6, 7, 8, 2}}, 0); }), expected);
  EXPECT_EQ(error_message([&] { decoder_rows(small, {{5}}, {{1, 5, 6, 7, 8}}, 0, Output::kStates); }), expected);
  EXPECT_EQ(error_message([&] { alone(small, {5}, {1, 5, 6, 7}); }), "");
  EXPECT_EQ(error_message([&] { alone(small, {5}, {1, 5, 6, 7, 8}); }), expected);
}

TEST(Positions, WithoutThemTheEncoderDoesNotKnowTheOrderOfWords) {
  for (const Positions positions : {Positions::kNone, Positions::kSinusoid}) {
    TransformerConfig config = small_config();
    config.positions = positions;
    const SmallModel small(config, {.dtype = DType::kFloat64});
    const Doubles ordered = encoder_states(small, {{5, 6, 7}}, 0), turned = encoder_states(small, {{7, 5, 6}}, 0);
    double difference = 0;
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      difference = std::max(difference, std::abs(turned[(i + 20) % 60] - ordered[i]));
    }
    if (positions == Positions::kNone)
      EXPECT_LT(difference, 1e-12);
    else
      EXPECT_GT(difference, 1e-2);
  }
}

TEST(Window, WiderThanTheSentenceChangesNothing) {
  TransformerConfig config = small_config();
  const SmallModel plain(config);
  config.window = 9;
  const SmallModel windowed(config);
  const Sentences sources{{5, 6, 7, 8, 2}}, inputs{{1, 10, 11, 12}};
  EXPECT_EQ(decoder_rows(windowed, sources, inputs, 0, Output::kStates),
            decoder_rows(plain, sources, inputs, 0, Output::kStates));
}

TEST(Embedding, HasVarianceOneAfterScaling) {
  const auto embeddings = [](Init init) {
    TransformerConfig config;
    config.init = init;
    Transformer model(config);
    params::ParameterVisitor visitor;
    model.parameters(visitor);
    return visitor.tensors().front();
  };
  const params::NamedTensor t2t = embeddings(Init::kT2T);
  EXPECT_EQ(t2t.name, "embed.E");
  EXPECT_EQ(t2t.initial.kind, params::Initial::Kind::kNormal);
  EXPECT_DOUBLE_EQ(t2t.initial.amount, 1 / std::sqrt(512.0));
  EXPECT_FALSE(t2t.initial.zero_first_row);
  EXPECT_TRUE(embeddings(Init::kFairseq).initial.zero_first_row);
}

TEST(Transformer, NamesItsTensorsAfterTheirPlace) {
  TransformerConfig config = small_config();
  config.N_enc = config.N_dec = 1;
  config.norm = Norm::kPre;
  std::vector<std::string> names;
  for (const ParameterInfo& tensor : parameter_table(config)) names.push_back(tensor.name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "embed.E",         "enc.0.self.W_Q",  "enc.0.self.W_K",  "enc.0.self.W_V",  "enc.0.self.W_O",
                       "enc.0.ln1.gamma", "enc.0.ln1.beta",  "enc.0.ffn.W_1",   "enc.0.ffn.b_1",   "enc.0.ffn.W_2",
                       "enc.0.ffn.b_2",   "enc.0.ln2.gamma", "enc.0.ln2.beta",  "enc.ln.gamma",    "enc.ln.beta",
                       "dec.0.self.W_Q",  "dec.0.self.W_K",  "dec.0.self.W_V",  "dec.0.self.W_O",  "dec.0.ln1.gamma",
                       "dec.0.ln1.beta",  "dec.0.cross.W_Q", "dec.0.cross.W_O", "dec.0.ln2.gamma", "dec.0.ln2.beta",
                       "dec.0.ffn.W_1",   "dec.0.ffn.b_1",   "dec.0.ffn.W_2",   "dec.0.ffn.b_2",   "dec.0.ln3.gamma",
                       "dec.0.ln3.beta",  "dec.0.cross.W_K", "dec.0.cross.W_V", "dec.ln.gamma",    "dec.ln.beta"}));
}

}  // namespace
}  // namespace dragoman::model::transformer
