// Times the recurrence of a recurrent model alone: forward and backward of the encoder's layers and of the decoder's
// layers, without embeddings, attention, output projection, loss and optimiser. The inputs are random numbers, and
// their gradient is computed too. The decoder starts from zero states, so no setting of the source reaches it.
//
//   bench_recurrence --preset rnn-luong --set input-feeding=false,hidden=512,embedding=512,encoder-hidden=256
//   bench_recurrence --cuda --preset rnn-luong --set input-feeding=false --tokens 25088 --sentence 32
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/batch_lengths.h"
#include "bench/flags.h"
#include "bench/preset.h"
#include "bench/timing.h"
#include "dragoman/backend/choice.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/random.h"
#include "dragoman/data/time_rows.h"
#include "dragoman/data/tokens.h"
#include "dragoman/model/recurrent/decoder.h"
#include "dragoman/model/recurrent/encoder.h"
#include "dragoman/ops/arithmetic.h"
#include "dragoman/ops/take_rows.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::bench {
namespace {

using model::RecurrentConfig;

struct Options {
  std::string preset = "rnn-luong", changes = "input-feeding=false";
  std::int64_t tokens = 2048, sentence = 32;
  int threads = 0, warmup = 1, steps = 5;
  bool cuda = false, fp32 = false, profile = false;
  bool json = false;

  DeviceAndType device_and_type() const {
    return {device_of(cuda ? DeviceChoice::kCuda : DeviceChoice::kCpu),
            cuda && !fp32 ? DType::kBFloat16 : DType::kFloat32};
  }
};

// The recurrent layers of a model.
struct Layers {
  model::recurrent::Encoder encoder;
  std::vector<nn::Cell> decoder;
  double P_layers;

  explicit Layers(const RecurrentConfig& config)
      : encoder(config), decoder(model::recurrent::Decoder(config).cells), P_layers(config.P_layers) {
    require<UsageError>(decoder.front().sizes.context == 0 && config.context == model::recurrent::ContextName::kCurrent,
                        "the decoder reads the source in every step, so it has no layers that run alone; set context "
                        "to current and input-feeding to false.");
  }

  void parameters(params::ParameterVisitor& visit) {
    visit.inside("encoder", encoder);
    for (std::size_t l = 0; l < decoder.size(); ++l) visit.inside("decoder." + std::to_string(l), decoder[l]);
  }

  Tensor encode(const Tensor& x, const Segments& segments, nn::Pass& pass) const {
    return encoder(x, segments, pass).states;
  }
  Tensor decode(const Tensor& x, const Segments& segments, nn::Pass& pass) const {
    const data::TimeRows rows = data::time_rows(pass.on, segments, segments);
    Tensor states = ops::take_rows(x, rows.forwards);
    for (std::size_t l = 0; l < decoder.size(); ++l) {
      if (l > 0) states = ops::dropout(states, rows.segments, pass.dropout(P_layers));
      nn::CellLoop loop(decoder[l], decoder[l].W(states), {}, rows);
      loop.run();
      states = loop.states().h;
    }
    return ops::place_rows(states, rows.forwards);
  }
};

// An array that outlives the steps.
struct Kept {
  std::unique_ptr<Reservation> memory;
  Array array;

  Kept(Backend& on, const Shape& shape, DType dtype)
      : memory(on.reserve(static_cast<std::size_t>(shape.count()) * size_of(dtype))),
        array(memory->base(), shape, dtype, on.device()) {}
};

Kept random_numbers(Backend& on, const Shape& shape, DType dtype) {
  Kept numbers(on, shape, dtype);
  Kept in_double(on, shape, DType::kFloat64);
  std::vector<double> drawn(static_cast<std::size_t>(shape.count()));
  RandomStream random(1);
  for (double& value : drawn) value = random.normal();
  on.copy_in(drawn.data(), in_double.array);
  on.scaled(in_double.array, 1.0, Sink::overwrite(numbers.array));
  on.wait();
  return numbers;
}

// Both passes over a batch of sentences of these lengths.
class Recurrence {
 public:
  Recurrence(Backend& on, const RecurrentConfig& config, const BatchLengths& lengths, DType dtype)
      : on_(on),
        layers_(config),
        block_(on, dtype, layers_, params::Purpose::kTraining),
        sentences_(random_batch(lengths, {.V_source = config.V_source, .V_target = config.V_target}).source),
        x_(random_numbers(on, {source_tokens(lengths), config.E}, dtype)),
        d_encoder_(random_numbers(on, {source_tokens(lengths), config.d_h()}, dtype)),
        d_decoder_(random_numbers(on, {source_tokens(lengths), config.H_dec}, dtype)) {
    block_.initialise(1);
  }

  void run_encoder() { run(d_encoder_.array, &Layers::encode); }
  void run_decoder() { run(d_decoder_.array, &Layers::decode); }

  // A number that the work of a step writes, so that waiting for it is waiting for the step.
  Array last_written() const { return block_.gradients().columns(0, 1); }

 private:
  void run(const Array& d_states, Tensor (Layers::*compute)(const Tensor&, const Segments&, nn::Pass&) const) {
    block_.begin_update();
    const Recording recording(on_);
    nn::Pass pass{.on = on_, .training = true, .seed = 1, .update = ++updates_};
    const Segments segments = data::to_device(on_, sentences_).segments;
    backward((layers_.*compute)(leaf(on_, x_.array), segments, pass), d_states);
  }

  Backend& on_;
  Layers layers_;
  params::ParameterBlock block_;
  data::HostTokens sentences_;
  Kept x_, d_encoder_, d_decoder_;
  std::uint32_t updates_ = 0;
};

// Seconds of each timed step. As in a training run, a step is launched while the device is busy with the one before.
std::vector<double> measure(const Backend& on, const Recurrence& recurrence, const Options& options,
                            const std::function<void()>& step) {
  const auto launch = [&] {
    step();
    return on.copy_out_later(recurrence.last_written());
  };
  std::unique_ptr<HostCopy> current = launch();
  std::vector<double> times;
  for (int i = 0; i < options.warmup + options.steps; ++i) {
    const double time = time_of([&] {
      std::unique_ptr<HostCopy> next = launch();
      float written = 0;
      current->wait(&written);
      current = std::move(next);
    });
    if (i >= options.warmup) times.push_back(time);
  }
  on.wait();
  return times;
}

void run(const Options& options) {
  const model::Preset preset = changed_preset(options.preset, options.changes);
  const auto [device, dtype] = options.device_and_type();
  const auto on = make_backend(device, {.threads = options.threads, .profile = options.profile});
  const BatchLengths lengths = equal_lengths(options.tokens, options.sentence);
  Recurrence recurrence(*on, preset.model.as<RecurrentConfig>(), lengths, dtype);

  const auto encoder = [&] { recurrence.run_encoder(); };
  const auto decoder = [&] { recurrence.run_decoder(); };
  const auto both = [&] {
    recurrence.run_encoder();
    recurrence.run_decoder();
  };
  Json json;
  json["preset"] = options.preset;
  json["changes"] = options.changes;
  json["device"] = device_name(on->device());
  json["precision"] = dtype == DType::kBFloat16 ? "bf16" : "fp32";
  json["threads"] = on->threads();
  const auto report = [&](const std::string& name, const std::string& key, const std::function<void()>& step) {
    const std::vector<double> times = measure(*on, recurrence, options, step);
    json["ms_" + key] = 1e3 * median(times);
    if (options.json) return;
    fmt::print("{:8} {:9.2f} ms (least {:.2f}, most {:.2f}), {:.0f} tokens/s\n", name, 1e3 * median(times),
               1e3 * std::ranges::min(times), 1e3 * std::ranges::max(times),
               static_cast<double>(source_tokens(lengths)) / median(times));
  };
  if (!options.json) {
    fmt::print("{}: {} sentences, {} tokens on each side, {} {}, {} threads\n", preset.model.describe(), lengths.size(),
               source_tokens(lengths), device_name(on->device()), std::string(json["precision"]), on->threads());
  }
  report("encoder", "encoder", encoder);
  report("decoder", "decoder", decoder);
  on->profile();  // clears the profile
  report("both", "per_step", both);
  json["target_tokens_per_second"] = 1e3 * static_cast<double>(source_tokens(lengths)) / double{json["ms_per_step"]};
  if (options.json) fmt::print("{}\n", json.dump());
  if (options.profile) fmt::print("{}in {} steps of both\n", on->profile(), options.warmup + options.steps + 1);
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  dragoman::bench::Options options;
  dragoman::bench::read_flags(
      argc, argv, "Times the recurrent layers of a model alone, forward and backward.",
      {{"--preset", &options.preset, "model settings"},
       {"--set", &options.changes, "changes to these settings: KEY=VALUE,KEY=VALUE; default: input-feeding=false"},
       {"--tokens", &options.tokens, "tokens on each side of a batch", {.positive = true}},
       {"--sentence", &options.sentence, "tokens per sentence", {.positive = true}},
       {"--threads", &options.threads, "number of threads; 0 for all cores"},
       {"--warmup", &options.warmup, "untimed steps before the timed ones"},
       {"--steps", &options.steps, "timed steps", {.positive = true}},
       {"--cuda", &options.cuda, "run on the GPU, in bfloat16"},
       {"--fp32", &options.fp32, "run on the GPU in float32; needs --cuda"},
       {"--profile", &options.profile, "with --cuda: print the time of each kernel, which makes the steps slower"},
       {"--json", &options.json, "print the times as JSON"}});
  try {
    dragoman::bench::run(options);
  } catch (const dragoman::Error& error) {
    fmt::print(stderr, "bench_recurrence: {}\n", error.what());
    return 1;
  }
  return 0;
}
