#include "dragoman/model/transformer/transformer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "dragoman/model/steps_testing.h"

namespace dragoman::model::transformer {
namespace {

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

// The kinds of blocks as one text.
std::string kinds_of(const Blocks& blocks) {
  std::string kinds;
  for (const Block& block : blocks) kinds += (kinds.empty() ? "" : " ") + std::string(to_string(block.kind));
  return kinds;
}

TEST(TransformerBlocks, AreThoseOfFigure1) {
  TransformerConfig config = small_config();
  config.N_enc = 3;
  const Transformer model(config);
  const BlockStacks stacks = model.blocks();
  ASSERT_EQ(stacks.size(), 2u);
  const auto& [encoder, decoder] = std::tie(stacks[0], stacks[1]);
  EXPECT_EQ(kinds_of(encoder.input), "embedding positions");
  EXPECT_EQ(encoder.layers[0].count, 3);
  EXPECT_EQ(kinds_of(encoder.layers[0].blocks), "attention add-norm feed-forward add-norm");
  EXPECT_EQ(kinds_of(encoder.output), "");
  EXPECT_EQ(decoder.layers[0].count, 2);
  EXPECT_EQ(kinds_of(decoder.layers[0].blocks), "attention add-norm attention add-norm feed-forward add-norm");
  EXPECT_EQ(kinds_of(decoder.output), "linear softmax");
  EXPECT_EQ(decoder.layers[0].blocks[0].site, "decoder");
  EXPECT_EQ(decoder.layers[0].blocks[2].site, "cross");
  EXPECT_EQ(decoder.layers[0].blocks[2].reads, "encoder");
  EXPECT_EQ(mistake_in(stacks, model.sites()), "");
}

TEST(TransformerBlocks, WithPreNormTheNormComesBeforeASubLayerAndOnTopOfAStack) {
  TransformerConfig config = small_config();
  config.norm = Norm::kPre;
  config.positions = Positions::kNone;
  const Transformer model(config);
  const BlockStacks stacks = model.blocks();
  EXPECT_EQ(kinds_of(stacks[0].input), "embedding");
  EXPECT_EQ(kinds_of(stacks[0].layers[0].blocks), "norm attention add norm feed-forward add");
  EXPECT_EQ(kinds_of(stacks[0].output), "norm");
  EXPECT_EQ(kinds_of(stacks[1].layers[0].blocks), "norm attention add norm attention add norm feed-forward add");
  EXPECT_EQ(kinds_of(stacks[1].output), "norm linear softmax");
  EXPECT_EQ(mistake_in(stacks, model.sites()), "");
}

}  // namespace
}  // namespace dragoman::model::transformer
