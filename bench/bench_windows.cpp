// Times the core of self-attention, softmax(Q K^T / sqrt(d_k)) V without the projections, over all keys of one long
// sentence and within windows of r keys. Restricted attention (Section 4 of the paper) costs O(r n d), so time must
// grow with r. Copying Q, K, V and O is the yardstick: no attention can be faster than reading and writing them.
//
//   bench_windows --threads 2
//   bench_windows --cuda            # bf16
//   bench_windows --cuda --fp32
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/flags.h"
#include "bench/timing.h"
#include "dragoman/backend/choice.h"
#include "dragoman/base/error.h"
#include "dragoman/base/random.h"
#include "dragoman/base/strings.h"
#include "dragoman/data/tokens.h"

namespace dragoman::bench {
namespace {

struct Options {
  int n = 4096, d = 512, h = 8;
  int threads = 0, rounds = 7;
  bool cuda = false, fp32 = false, causal = false, block = false;

  DType dtype() const { return cuda && !fp32 ? DType::kBFloat16 : DType::kFloat32; }
  // Calls that are timed together. On a GPU one call would take less time than starting and waiting for it.
  int calls() const { return cuda ? 20 : 1; }
  Mask mask(std::int64_t r) const {
    return {.kind = causal ? Mask::Kind::kCausal : Mask::Kind::kAll,
            .r = r,
            .window = block ? Mask::Window::kBlock : Mask::Window::kSliding};
  }
};

// One sentence with its queries, keys, values and gradients.
class Core {
 public:
  Core(Backend& on, const Options& options) : on_(on), options_(options) {
    const data::Sentence sentence(static_cast<std::size_t>(options.n), 1);
    segments_ = data::make_tokens(on, std::vector<data::Sentence>{sentence}, {.V = 2, .index = false}).segments;
    RandomStream random(1);
    for (Array* x : {&Q_, &K_, &V_, &O_, &dO_, &dQ_, &dK_, &dV_}) *x = random_numbers(random);
    log_sums_ = on.empty({options.n, options.h}, accumulation_dtype(options.dtype()));
  }

  // Writes Q, K, V and O to other places.
  void copy() const {
    on_.scaled(Q_, 1, Sink::overwrite(dQ_));
    on_.scaled(K_, 1, Sink::overwrite(dK_));
    on_.scaled(V_, 1, Sink::overwrite(dV_));
    on_.scaled(O_, 1, Sink::overwrite(dO_));
  }
  void forward(std::int64_t r) {
    on_.attention(Q_, K_, V_, {segments_, segments_, options_.mask(r)}, heads(), O_, log_sums_, no_weights_);
  }
  void both(std::int64_t r) {
    forward(r);
    on_.attention_backward(dO_, Q_, K_, V_, O_, log_sums_, {segments_, segments_, options_.mask(r)}, heads(),
                           Sink::overwrite(dQ_), Sink::overwrite(dK_), Sink::overwrite(dV_));
  }

 private:
  Array random_numbers(RandomStream& random) const {
    Array x = on_.empty({options_.n, options_.d}, options_.dtype());
    const ArenaScope scratch(on_.arena());
    Array in_double = on_.empty(x.shape(), DType::kFloat64);
    std::vector<double> drawn(static_cast<std::size_t>(x.count()));
    for (double& value : drawn) value = random.normal();
    on_.copy_in(drawn.data(), in_double);
    on_.scaled(in_double, 1, Sink::overwrite(x));
    on_.wait();
    return x;
  }
  Heads heads() const {
    return {.h = options_.h, .scale = 1 / std::sqrt(static_cast<double>(options_.d) / options_.h), .dropout = {}};
  }

  const Backend& on_;
  Options options_;
  Segments segments_;
  Array Q_, K_, V_, O_, dO_, dQ_, dK_, dV_, log_sums_, no_weights_;
};

struct Case {
  std::string name;
  std::function<void()> work;
  std::unique_ptr<Replay> recorded = nullptr;
  std::vector<double> seconds = {};

  double time() const { return median(seconds); }
};

// The cases take turns, so that what else the machine does in a round slows all of them.
void measure(const Backend& on, const Options& options, std::vector<Case>& cases) {
  for (Case& one : cases) {
    one.work();
    one.recorded = on.record_launches([&] {
      for (int i = 0; i < options.calls(); ++i) one.work();
    });
  }
  for (int round = 0; round <= options.rounds; ++round) {
    for (Case& one : cases) {
      on.wait();
      const double seconds = time_of([&] {
        one.recorded->run();
        on.wait();
      });
      if (round > 0) one.seconds.push_back(seconds / options.calls());  // the first round warms up
    }
  }
}

void run(const Options& options) {
  const Device device = device_of(options.cuda ? DeviceChoice::kCuda : DeviceChoice::kCpu);
  const auto on = make_backend(device, {.threads = options.threads});
  Core core(*on, options);
  for (const bool with_backward : {false, true}) {
    std::vector<Case> cases;
    const auto add = [&](const std::string& name, std::int64_t r) {
      cases.push_back({name, [&core, r, with_backward] { with_backward ? core.both(r) : core.forward(r); }});
    };
    cases.push_back({"copy Q, K, V, O", [&core] { core.copy(); }});
    add("full", 0);
    for (const int r : {33, 65, 129, 257}) add(fmt::format("r = {}", r), r);
    add("full again", 0);
    measure(*on, options, cases);
    fmt::print("{}, n = {}, d = {}, {} heads, {} {}{}, {} {}, {}; median of {}\n",
               with_backward ? "forward+backward" : "forward", options.n, options.d, options.h,
               options.causal ? "causal" : "centred", options.block ? "blocks" : "windows",
               options.calls() > 1 ? fmt::format(", {} calls at a time", options.calls()) : "", device_name(device),
               options.dtype() == DType::kBFloat16 ? "bf16" : "fp32", join(counted(on->threads(), "thread")),
               options.rounds);
    const double copy = cases[0].time(), full = cases[1].time(), narrow = cases[2].time();
    for (const Case& one : cases) {
      fmt::print("  {:16} {:10.3f} ms {:9.2f} x copy {:8.2f} x r = 33   full / this {:7.2f}\n", one.name,
                 1e3 * one.time(), one.time() / copy, one.time() / narrow, full / one.time());
    }
  }
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  dragoman::bench::Options options;
  dragoman::bench::read_flags(argc, argv, "Times self-attention over all keys and within windows.",
                              {{"--length", &options.n, "tokens of the sentence", {.positive = true}},
                               {"--d-model", &options.d, "width of Q, K, V and O", {.positive = true}},
                               {"--heads", &options.h, "attention heads, which divide the width", {.positive = true}},
                               {"--threads", &options.threads, "number of threads; 0 for all cores"},
                               {"--rounds", &options.rounds, "timed rounds", {.positive = true}},
                               {"--causal", &options.causal, "windows of the decoder, which look back"},
                               {"--block", &options.block, "windows are blocks of r positions"},
                               {"--cuda", &options.cuda, "run on the GPU, in bfloat16"},
                               {"--fp32", &options.fp32, "run on the GPU in float32; needs --cuda"}});
  try {
    dragoman::bench::run(options);
  } catch (const dragoman::Error& error) {
    fmt::print(stderr, "bench_windows: {}\n", error.what());
    return 1;
  }
  return 0;
}
