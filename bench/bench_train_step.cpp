// Times training steps of a preset on random sentences. The sentences have equal lengths, or the lengths in a file of
// batches (see batch_lengths.h). On the CPU, unless the output is JSON, the rate is compared with the machine's matrix
// rate. That is measured in the same run with the same threads: the best of a 2048 x 2048 x 2048 product and, for
// Transformers, of the step's own shapes, for our own product and for the sgemm of OpenBLAS (if it is installed). With
// --rounds, steps and products take turns, and medians over the rounds are compared: a machine that others use too may
// be fast for the moment in which a product is measured.
// Under mpirun, the ranks divide the batches of an update, and rank 0 prints what their exchange takes.
//
//   bench_train_step --preset base --tokens 2048 --threads 2 [--bf16] [--rounds 7 --steps 2]
//   bench_train_step --preset multi30k-tiny --batches FILE --json
//   bench_train_step --cuda --preset base --tokens 25088 --steps 30 --warmup 5
//   mpirun -np 4 --bind-to none bench_train_step --preset base --tokens 1024 --threads 3 --accumulate 8
//   bench_train_step --preset rnn-luong --set hidden=512,input-feeding=false,bridge=zero --tokens 2048
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "bench/batch_lengths.h"
#include "bench/flags.h"
#include "bench/preset.h"
#include "bench/product_rate.h"
#include "bench/timing.h"
#include "dragoman/backend/choice.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/data/cleaning.h"
#include "dragoman/exchange/nccl.h"
#include "dragoman/model/seq2seq.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/trainer.h"

namespace dragoman::bench {
namespace {

struct Options {
  std::string preset = "base", changes;
  std::int64_t tokens = 2048, sentence = 32;
  std::string batches;
  int threads = 0, warmup = 1, steps = 0, seconds = 0, rounds = 1, accumulate = 1;
  bool cuda = false, fp32 = false, bf16 = false, nccl = false, in_turn = false, profile = false;
  bool json = false;

  DeviceAndType device_and_type() const {
    return {device_of(cuda ? DeviceChoice::kCuda : DeviceChoice::kCpu),
            cuda && !fp32 ? DType::kBFloat16 : DType::kFloat32};
  }

  std::string precision() const { return bf16 || device_and_type().dtype == DType::kBFloat16 ? "bf16" : "fp32"; }

  void validate() const {
    require<UsageError>(tokens > 0 && sentence > 0 && sentence <= data::CleaningSettings::kLongest && warmup >= 0 &&
                            steps >= 0 && seconds >= 0 && rounds > 0 && accumulate > 0,
                        "--tokens, --sentence, --rounds and --accumulate must be at least 1, --sentence at most ",
                        data::CleaningSettings::kLongest, ", and --warmup, --steps and --seconds at least 0.");
    require<UsageError>(rounds == 1 || !(cuda || json || profile || accumulate > 1 || seconds > 0),
                        "--rounds is for the CPU, without --json, --profile, --accumulate or --seconds.");
  }
};

// The times of the measured steps. Rates use the median of each batch's times.
struct Measurement {
  std::vector<double> steps;                 // seconds of each step
  std::vector<std::vector<double>> batches;  // the same, for each batch
  double target_tokens = 0, flops = 0;       // sums over the measured batches, each counted once
  train::ExchangeTimes exchange;             // of the measured steps together; with a tree
  std::int64_t parameters = 0;               // elements of the block

  void add(std::size_t b, double time, const BatchLengths& lengths, const model::ModelConfig& config) {
    steps.push_back(time);
    batches[b].push_back(time);
    if (batches[b].size() > 1) return;
    target_tokens += static_cast<double>(bench::target_tokens(lengths));
    for (const data::PairLengths& pair : lengths) flops += config.training_flops(pair.source, pair.target);
  }

  // Adds the steps of a later round, which had the same batches.
  void add(const Measurement& round) {
    if (steps.empty()) {
      *this = round;
      return;
    }
    steps.insert(steps.end(), round.steps.begin(), round.steps.end());
    for (std::size_t b = 0; b < batches.size(); ++b) {
      batches[b].insert(batches[b].end(), round.batches[b].begin(), round.batches[b].end());
    }
  }

  double seconds() const {
    double sum = 0;
    for (const std::vector<double>& times : batches) sum += times.empty() ? 0 : median(times);
    return sum;
  }
  double tokens_per_second() const { return target_tokens / seconds(); }
  double gflops() const { return flops / seconds() * 1e-9; }
  double milliseconds() const { return 1e3 * median(steps); }
};

// Runs one step per batch; after the last batch it starts again with the first. The batches are made in advance, as the
// loader of a training run does.
Measurement measure(Backend& on, const model::Preset& preset, const std::vector<BatchLengths>& batches,
                    const Options& options, exchange::Exchange& ranks) {
  const std::unique_ptr<model::Seq2Seq> network = preset.model.make_model();
  params::ParameterBlock block(on, options.device_and_type().dtype, *network, params::Purpose::kTraining);
  block.initialise(1);
  train::Trainer trainer(*network, block, preset.training, preset.training.rates(preset.model.width()));
  Measurement measured;
  measured.parameters = block.values().count();
  measured.batches.resize(batches.size());
  std::unique_ptr<exchange::Exchange> gpus;
  if (options.accumulate > 1 && !options.in_turn) {
    if (options.nccl) gpus = exchange::connect_gpus(ranks, on);
    trainer.add_by_tree(
        {.levels = train::tree_levels(options.accumulate), .buckets = train::bucket_count(measured.parameters)},
        gpus ? *gpus : ranks);
  }
  // Each of the lengths makes an update: its batch is repeated as often as a rank needs it.
  const auto repeated = static_cast<std::size_t>(options.accumulate / ranks.ranks());
  const std::vector<std::int64_t> ones(repeated, 1);
  std::vector<std::vector<data::HostBatch>> made;
  for (const BatchLengths& lengths : batches) {
    made.emplace_back(repeated, random_batch(lengths, train::batch_options(*network)));
  }
  const auto start = [&](std::size_t b) {
    train::ItemCounts whole = trainer.count(made[b]);
    whole.items *= ranks.ranks();
    whole.source_tokens *= ranks.ranks();
    trainer.start({.micro_batches = made[b], .batches = ones, .whole = whole});
  };
  const auto exchange_times = [&] {
    return trainer.exchange_times() != nullptr ? *trainer.exchange_times() : train::ExchangeTimes{};
  };

  // The next step is launched while the device is busy with the current one, as in a training run.
  start(0);
  train::ExchangeTimes before;
  double total = 0;
  for (int step = 0; step < options.warmup + options.steps || total < options.seconds; ++step) {
    const std::size_t b = step % batches.size();
    if (step == options.warmup) {
      on.profile();  // clears the profile
      before = exchange_times();
    }
    const double time = time_of([&] {
      start((step + 1) % batches.size());
      trainer.finish();
    });
    if (step < options.warmup) continue;
    measured.add(b, time, batches[b], preset.model);
    total += time;
  }
  const train::ExchangeTimes after = exchange_times();
  measured.exchange = {.adding = after.adding - before.adding,
                       .waiting = after.waiting - before.waiting,
                       .spreading = after.spreading - before.spreading,
                       .bytes_out = after.bytes_out - before.bytes_out};
  trainer.finish();
  return measured;
}

void print_json(const Options& options, const Backend& on, const model::ModelConfig& config,
                const Measurement& measured) {
  std::int64_t parameters = 0;
  for (const model::ParameterInfo& tensor : model::parameter_table(config)) parameters += tensor.count;
  Json json;
  json["preset"] = options.preset;
  json["changes"] = options.changes;
  json["device"] = device_name(on.device());
  json["precision"] = options.precision();
  json["parameters"] = parameters;
  json["threads"] = on.threads();
  json["steps"] = measured.steps.size();
  json["ms_per_step"] = measured.milliseconds();
  json["ms_least"] = 1e3 * std::ranges::min(measured.steps);
  json["ms_most"] = 1e3 * std::ranges::max(measured.steps);
  json["target_tokens_per_second"] = measured.tokens_per_second();
  json["gflops"] = measured.gflops();
  fmt::print("{}\n", json.dump());
}

void print_cuda(const Options& options, const Backend& on, const std::vector<BatchLengths>& batches,
                const Measurement& measured) {
  fmt::print("{}: {} batches, the first of {} + {} tokens, {} {}\n", options.preset, batches.size(),
             source_tokens(batches.front()), target_tokens(batches.front()), device_name(on.device()),
             options.precision());
  fmt::print("step {:.2f} ms (least {:.2f}, most {:.2f}), {:.0f} target tokens/s, {:.1f} TFLOP/s\n",
             measured.milliseconds(), 1e3 * std::ranges::min(measured.steps), 1e3 * std::ranges::max(measured.steps),
             measured.tokens_per_second(), 1e-3 * measured.gflops());
}

// What the profile has for the measured steps. The rest of their time is spent outside of launches.
void print_profile(const Options& options, const Backend& on, const Measurement& measured) {
  if (!options.profile) return;
  const double all = std::accumulate(measured.steps.begin(), measured.steps.end(), 0.0);
  fmt::print("{}{:10.3f} ms in {} steps\n", on.profile(), 1e3 * all, measured.steps.size());
}

// The times are those of rank 0. Those of the exchange are means, measured on the host; with a GPU they include its
// wait for the gradients.
void print_ranks(const Options& options, const exchange::Exchange& ranks, const Backend& on,
                 const std::vector<BatchLengths>& batches, const Measurement& measured) {
  const double steps = static_cast<double>(measured.steps.size()), total = measured.milliseconds();
  const double adding = 1e3 * measured.exchange.adding / steps, waiting = 1e3 * measured.exchange.waiting / steps,
               spreading = 1e3 * measured.exchange.spreading / steps;
  const double hidden = std::max(0.0, adding - waiting);
  fmt::print("{}: {} batches of {} + {} tokens an update, {} ranks, {} threads each, {} {}\n", options.preset,
             options.accumulate, source_tokens(batches.front()), target_tokens(batches.front()), ranks.ranks(),
             on.threads(), device_name(on.device()), options.precision());
  fmt::print(
      "update {:.1f} ms: compute {:.1f} ms; exchange {:.1f} ms (gradients {:.1f}, values {:.1f}), of which {:.1f} "
      "ms ({:.0f} %) hidden behind compute\n",
      total, total - waiting - spreading, adding + spreading, adding, spreading, hidden,
      adding + spreading > 0 ? 100 * hidden / (adding + spreading) : 0.0);
  const double R = ranks.ranks(), block = 4.0 * static_cast<double>(measured.parameters);
  fmt::print(
      "{:.0f} bytes sent by a rank in an update; 2 (R - 1) / R of the {:.0f} bytes of the parameters are {:.0f}\n",
      static_cast<double>(measured.exchange.bytes_out) / steps, block, 2 * (R - 1) / R * block);
}

void run(Options options, exchange::Exchange& ranks) {
  require<UsageError>(options.accumulate == 1 || train::tree_levels(options.accumulate) > 0,
                      "--accumulate must be 1 or even.");
  require<UsageError>(
      std::has_single_bit(static_cast<unsigned>(ranks.ranks())) && options.accumulate % ranks.ranks() == 0,
      "the number of ranks must be a power of two that divides --accumulate.");
  require<UsageError>(ranks.ranks() == 1 || (options.seconds == 0 && !options.in_turn),
                      "several ranks need the same number of --steps, not --seconds, and a tree.");
  const model::Preset preset = changed_preset(options.preset, options.changes);
  Device device = options.device_and_type().device;
  if (options.cuda) device.index = ranks.local_rank() % cuda_devices();
  const auto on =
      make_backend(device, {.threads = options.threads, .bf16_products = options.bf16, .profile = options.profile});
  std::vector<BatchLengths> batches = {equal_lengths(options.tokens, options.sentence)};
  if (!options.batches.empty()) batches = read_batch_lengths(options.batches);
  if (options.steps == 0) options.steps = options.batches.empty() ? 5 : static_cast<int>(batches.size());
  if (options.accumulate > 1) {
    const Measurement measured = measure(*on, preset, batches, options, ranks);
    if (ranks.leads()) print_ranks(options, ranks, *on, batches, measured);
    return;
  }
  if (options.json) return print_json(options, *on, preset.model, measure(*on, preset, batches, options, ranks));
  if (options.cuda) {
    const Measurement measured = measure(*on, preset, batches, options, ranks);
    print_cuda(options, *on, batches, measured);
    return print_profile(options, *on, measured);
  }

  const std::vector<ProductShape> shapes = step_shapes(preset.model, target_tokens(batches.front()));
  ProductRates ours(Library::kOurs, shapes), openblas(Library::kOpenBlas, shapes);
  Measurement measured;
  for (int round = 0; round < options.rounds; ++round) {
    ours.measure(*on);
    measured.add(measure(*on, preset, batches, options, ranks));
#if defined(DRAGOMAN_BENCH_OPENBLAS)
    // OpenBLAS comes last, because its idle threads keep a processor busy for a while; the next round waits for them.
    openblas.measure(*on);
    if (round + 1 < options.rounds) std::this_thread::sleep_for(std::chrono::seconds(1));
#endif
  }
  ours.print();
  fmt::print("{}: {} batches, the first of {} + {} tokens, {} threads, {}\n", options.preset, batches.size(),
             source_tokens(batches.front()), target_tokens(batches.front()), on->threads(), options.precision());
  fmt::print("step {:.1f} ms, {:.0f} target tokens/s, {:.1f} GFLOP/s\n", measured.milliseconds(),
             measured.tokens_per_second(), measured.gflops());
  fmt::print("{:.1f} % of the best rate of our own product\n", 100 * measured.gflops() / ours.best());
  print_profile(options, *on, measured);
#if defined(DRAGOMAN_BENCH_OPENBLAS)
  openblas.print();
  fmt::print("{:.1f} % of the best rate of the sgemm of OpenBLAS\n", 100 * measured.gflops() / openblas.best());
#endif
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  dragoman::bench::Options options;
  dragoman::bench::read_flags(
      argc, argv, "Times training steps of a preset and compares them with the machine's matrix rate.",
      {{"--preset", &options.preset, "model and training settings"},
       {"--set", &options.changes, "changes to these settings: KEY=VALUE,KEY=VALUE"},
       {"--tokens", &options.tokens, "tokens on each side of a batch"},
       {"--sentence", &options.sentence, "tokens per sentence"},
       {"--batches", &options.batches, "file of batches to use in place of sentences of equal length"},
       {"--threads", &options.threads, "number of threads; 0 for all cores"},
       {"--warmup", &options.warmup, "untimed steps before the timed ones"},
       {"--steps", &options.steps, "least number of timed steps; 0 for five, or one per batch of the file"},
       {"--seconds", &options.seconds, "least time of the timed steps together"},
       {"--rounds", &options.rounds, "how often steps and products are measured, in turns"},
       {"--accumulate", &options.accumulate, "batches of an update, which the ranks of mpirun divide"},
       {"--in-turn", &options.in_turn, "add these batches one after another instead of by a tree; for one process"},
       {"--nccl", &options.nccl, "exchange through NCCL; needs --cuda, and --accumulate of at least 2"},
       {"--cuda", &options.cuda, "run on the GPU, in bfloat16"},
       {"--fp32", &options.fp32, "run on the GPU in float32; needs --cuda"},
       {"--bf16", &options.bf16, "on the CPU: round the operands of products to bfloat16"},
       {"--profile", &options.profile, "print the time of each kind of launch, which makes the steps slower"},
       {"--json", &options.json, "print the times of the steps as JSON"}});
  int status = 0;
  try {
    options.validate();
    const std::unique_ptr<dragoman::exchange::Exchange> ranks = dragoman::exchange::join_ranks(
        [](const std::string& sentence) { fmt::print(stderr, "bench_train_step: {}\n", sentence); });
    dragoman::bench::run(options, *ranks);
  } catch (const dragoman::Error& error) {
    fmt::print(stderr, "bench_train_step: {}\n", error.what());
    status = 1;
  }
  dragoman::exchange::leave_ranks(status);
  return status;
}
