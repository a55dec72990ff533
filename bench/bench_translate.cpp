// Measures how fast a model translates: sentences and tokens per second, the time of single sentences, and peak memory.
//
//   bench_translate --preset base --draw FILE                     write random weights of a preset, and exit
//   bench_translate --preset base --weights FILE [...]            translate random sentences of fixed lengths
//   bench_translate --preset base --weights FILE --cuda --precision bf16 --batch 512 --sentences 2048
//   bench_translate --model DIR --source FILE [...]               translate a text with a trained model
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/flags.h"
#include "bench/timing.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/random.h"
#include "dragoman/base/threads.h"
#include "dragoman/decode/engine/dispatcher.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/text/lines.h"

namespace dragoman::bench {
namespace {

struct Options {
  std::string preset = "base", draw, weights, model, source, output;
  std::string precision = "fp32", stop = "provable";
  int sentences = 64, source_length = 32, target_length = 32, batch = 32, beam = 4, threads = 2, workers = 1;
  int prefix = 0;
  int repeats = 3, seconds = 0;
  bool json = false, cuda = false, host = false, profile = false;

  WeightForm form() const {
    return precision == "int8" ? WeightForm::kInt8 : precision == "bf16" ? WeightForm::kBFloat16 : WeightForm::kFloat32;
  }
  Device device() const { return {cuda ? Device::Kind::kCuda : Device::Kind::kCpu, 0}; }
};

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void draw_weights(const Options& options) {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {});
  const std::unique_ptr<model::Seq2Seq> network = model::preset(options.preset).model.make_model();
  params::ParameterBlock block(*on, DType::kFloat32, *network, params::Purpose::kInference);
  block.initialise(1);
  model::write_safetensors(options.draw, *on, block.tensors());
}

struct Figures {
  std::vector<double> times = {};      // seconds of each repeat
  std::vector<double> latencies = {};  // seconds of each sentence, if the batch size is 1
  std::int64_t sentences = 0, tokens = 0;
  std::int64_t steps = 0;                      // of a text: the sum over its sentences
  std::int64_t batch_steps = 0, launches = 0;  // of random sentences: steps of whole batches, and launches per step

  double seconds() const { return median(times); }
};

void report(const Options& options, const Figures& figures) {
  const double n = static_cast<double>(figures.sentences), tokens = static_cast<double>(figures.tokens);
  std::vector<double> latencies = figures.latencies;
  std::ranges::sort(latencies);
  const auto percentile_ms = [&](double share) {  // 0 if single sentences were not timed
    return latencies.empty()
               ? 0.0
               : 1000 * latencies[static_cast<std::size_t>(share * static_cast<double>(latencies.size() - 1))];
  };
  if (options.json) {
    Json json;
    json["device"] = device_name(options.device());
    json["precision"] = options.precision;
    json["sentences"] = figures.sentences;
    json["tokens"] = figures.tokens;
    json["steps"] = figures.steps;
    json["seconds"] = figures.seconds();
    json["seconds_least"] = std::ranges::min(figures.times);
    json["seconds_most"] = std::ranges::max(figures.times);
    json["p50_ms"] = percentile_ms(0.5);
    json["p99_ms"] = percentile_ms(0.99);
    json["megabytes"] = peak_megabytes();
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print("{} sentences in {:.3f} s: {:.1f} sentences/s, {:.0f} tokens/s; peak memory {:.0f} MiB\n",
             figures.sentences, figures.seconds(), n / figures.seconds(), tokens / figures.seconds(), peak_megabytes());
  if (figures.batch_steps > 0) {
    fmt::print("{:.3f} ms per step, encoding included",
               1000 * figures.seconds() / static_cast<double>(figures.batch_steps));
    fmt::print("{}\n", figures.launches > 0 ? fmt::format("; {} launches per step", figures.launches) : "");
  }
  if (!latencies.empty()) {
    fmt::print("a sentence takes {:.1f} ms (median), {:.1f} ms (90th percentile), {:.1f} ms (99th percentile)\n",
               percentile_ms(0.5), percentile_ms(0.9), percentile_ms(0.99));
  }
}

// Random sentences without special tokens (the ids 0 to 3), except for the EOS at their ends.
std::vector<data::Sentence> random_sources(const Options& options, std::int64_t V) {
  RandomStream random(7);
  std::vector<data::Sentence> sources(static_cast<std::size_t>(options.sentences));
  for (data::Sentence& source : sources) {
    for (int i = 1; i < options.source_length; ++i) {
      source.push_back(4 + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(V - 4))));
    }
    source.push_back(kEos);
  }
  return sources;
}

// Random words, the same for every translation.
data::Sentence random_prefix(const Options& options, std::int64_t V) {
  RandomStream random(8);
  data::Sentence prefix;
  for (int i = 0; i < options.prefix; ++i) {
    prefix.push_back(4 + static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(V - 4))));
  }
  return prefix;
}

// A worker has its own threads and its own engine, which serves all its batches, as in a server.
struct Worker {
  std::unique_ptr<Backend> on;
  data::Sentence prefix = {};  // of every translation
  std::unique_ptr<decode::Dispatcher> engine = {};
  std::int64_t tokens = 0;             // of all translations
  std::vector<double> latencies = {};  // seconds of each batch

  void translate(std::span<const data::Sentence> batch) {
    latencies.push_back(time_of([&] {
      for (const data::Sentence& source : batch) engine->add({.source = source, .prefix = prefix});
      while (!engine->idle()) {
        for (const decode::Result& result : engine->step()) {
          tokens += static_cast<std::int64_t>(result.hypotheses.front().rows.size());
        }
      }
    }));
  }
};

// Runs the workers at the same time. A worker takes every batch whose number modulo the number of workers is its own.
void translate_all(std::vector<Worker>& workers, std::span<const data::Sentence> sources, std::size_t batch) {
  std::vector<std::future<void>> running;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    running.push_back(std::async(std::launch::async, [&, w] {
      flush_denormals();
      for (std::size_t first = w * batch; first < sources.size(); first += workers.size() * batch) {
        workers[w].translate(sources.subspan(first, std::min(sources.size() - first, batch)));
      }
    }));
  }
  for (std::future<void>& worker : running) worker.get();
}

// Translates random sentences, after an untimed batch of each worker.
Figures translate_random(const Options& options) {
  std::vector<Worker> workers;
  for (int w = 0; w < options.workers; ++w) {
    const int threads = std::max(1, options.threads / options.workers);
    workers.push_back({.on = make_backend(options.device(), {.threads = threads, .profile = options.profile})});
  }
  Backend& on = *workers.front().on;
  const std::unique_ptr<model::Seq2Seq> network = model::preset(options.preset).model.make_model();
  params::ParameterBlock block(on, options.form(), *network);
  model::read_tensors(model::SafetensorsFile(options.weights), on, block.tensors());
  const std::vector<data::Sentence> sources = random_sources(options, network->source_vocabulary());
  // The limits force every translation to have exactly target_length tokens, unless that is less than
  // source_length - 1: a translation may always have as many tokens as its source without EOS.
  const decode::SearchSettings settings{.method = options.beam == 1 ? decode::Method::kGreedy : decode::Method::kBeam,
                                        .beam = options.beam,
                                        .max_extra = std::max(0, options.target_length - options.source_length + 1),
                                        .min_length = options.target_length};
  for (Worker& worker : workers) {
    worker.prefix = random_prefix(options, network->target_vocabulary());
    worker.engine = std::make_unique<decode::Dispatcher>(
        *worker.on, std::vector<const model::Seq2Seq*>{network.get()}, settings,
        decode::EngineLimits{.sentences = options.batch, .source_tokens = options.batch * options.source_length},
        options.host ? decode::Place::kHost : decode::Place::kAutomatic);
  }
  const auto batch = static_cast<std::size_t>(options.batch);
  translate_all(workers, std::span(sources).first(std::min(sources.size(), workers.size() * batch)), batch);
  for (Worker& worker : workers) {
    worker.tokens = 0;
    worker.latencies.clear();
  }
  on.profile();  // clears the profile
  Figures figures{.sentences = options.sentences};
  figures.times = times_of([&] { translate_all(workers, sources, batch); }, options.repeats, options.seconds);
  for (const Worker& worker : workers) {
    figures.tokens += worker.tokens / std::ssize(figures.times);
    if (options.batch == 1) {
      figures.latencies.insert(figures.latencies.end(), worker.latencies.begin(), worker.latencies.end());
    }
  }
  const int at_once = options.batch * options.workers;
  figures.batch_steps = options.target_length * ((options.sentences + at_once - 1) / at_once);
  if (options.profile) fmt::print("{}", on.profile());
  if (workers.front().engine->on_device() != nullptr) {
    figures.launches = workers.front().engine->on_device()->launches();
  }
  return figures;
}

Figures translate_text(const Options& options) {
  decode::TranslatorOptions how;
  how.search.beam = options.beam;
  if (options.beam == 1) how.search.method = decode::Method::kGreedy;
  how.search.stop = options.stop == "beam" ? decode::Stop::kBeam : decode::Stop::kProvable;
  how.threads = options.threads;
  how.workers = options.workers;
  how.device = options.device();
  how.batch_size = options.batch;
  how.weights = options.form();
  decode::Translator translator(options.model, how);
  std::vector<std::string> lines;
  text::LineReader reader(options.source);
  for (std::string line; reader.next(line);) lines.push_back(line);
  Figures figures;
  std::vector<decode::TranslatedLine> results;
  const auto translate = [&] { results = translator.translate(lines); };
  translate();  // warm-up
  figures.times = times_of(translate, options.repeats, options.seconds);
  figures.sentences = static_cast<std::int64_t>(lines.size());
  std::ofstream output(options.output);
  for (const decode::TranslatedLine& line : results) {
    figures.tokens += static_cast<std::int64_t>(line.target.size());
    figures.steps += line.steps;
    if (!options.output.empty()) output << line.text << '\n';
  }
  return figures;
}

int run(int argc, char** argv) {
  Options options;
  read_flags(
      argc, argv, "Measures how fast a model translates.",
      {{"--preset", &options.preset, "preset that gives the sizes of the model"},
       {"--draw", &options.draw, "write random weights of the preset to this file, and exit"},
       {"--weights", &options.weights, "file of weights of the preset"},
       {"--model", &options.model, "directory of a trained model, in place of a preset"},
       {"--source", &options.source, "text that the trained model translates"},
       {"--output", &options.output, "file for the translation of the text"},
       {"--precision", &options.precision, "number format of the weights", {.choices = {"fp32", "int8", "bf16"}}},
       {"--cuda", &options.cuda, "run on a CUDA device"},
       {"--host", &options.host, "run the beam search on the host, even with --cuda; random sentences only"},
       {"--profile", &options.profile, "print the time of each kind of launch; random sentences only"},
       {"--stop", &options.stop, "when the beam search of a text stops", {.choices = {"provable", "beam"}}},
       {"--sentences", &options.sentences, "number of random sentences", {.positive = true}},
       {"--source-length", &options.source_length, "tokens per random sentence, EOS included", {.positive = true}},
       {"--target-length",
        &options.target_length,
        "tokens per translation of a random sentence, EOS included",
        {.positive = true}},
       {"--prefix", &options.prefix, "words that every translation of a random sentence is forced to begin with"},
       {"--batch", &options.batch, "sentences per batch", {.positive = true}},
       {"--beam", &options.beam, "beam size; 1 is greedy search", {.positive = true}},
       {"--threads", &options.threads, "number of threads", {.positive = true}},
       {"--workers", &options.workers, "batches at the same time; they share the threads", {.positive = true}},
       {"--repeats", &options.repeats, "least number of runs; the median is printed", {.positive = true}},
       {"--seconds", &options.seconds, "least time of all runs together"},
       {"--json", &options.json, "print JSON"}});
  try {
    if (!options.draw.empty()) {
      draw_weights(options);
    } else {
      report(options, options.model.empty() ? translate_random(options) : translate_text(options));
    }
  } catch (const Error& error) {
    fmt::print(stderr, "bench_translate: {}\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) { return dragoman::bench::run(argc, argv); }
