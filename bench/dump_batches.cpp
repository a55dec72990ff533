// Prints the first batches that a training run on a corpus would use, as lengths of sentences (see batch_lengths.h).
//
//   dump_batches --source train.en --target train.de --tokenizer tokenizer.model --cache DIR
//   dump_batches [...] --batch-tokens 4096 --count 50
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "bench/batch_lengths.h"
#include "bench/flags.h"
#include "dragoman/data/loader.h"
#include "dragoman/data/token_cache.h"

namespace dragoman::bench {
namespace {

struct Options {
  std::string source, target, tokenizer, cache;
  std::int64_t batch_tokens = 4096, count = 50;
  std::uint64_t seed = 1;
};

BatchLengths lengths_of(const data::HostBatch& batch) {
  const auto length = [](const std::vector<std::int32_t>& offsets, std::int64_t b) {
    return static_cast<std::uint16_t>(offsets[b + 1] - offsets[b]);
  };
  BatchLengths lengths;
  for (std::int64_t b = 0; b < batch.sentences(); ++b) {
    lengths.push_back({length(batch.source.offsets, b), length(batch.target.offsets, b)});
  }
  return lengths;
}

void dump(const Options& options) {
  const text::Tokenizer tokenizer = text::Tokenizer::load(options.tokenizer);
  const data::TokenCache cache = data::TokenCache::open({.files = {{options.source, options.target}},
                                                         .source = tokenizer,
                                                         .target = tokenizer,
                                                         .cleaning = {},
                                                         .directory = options.cache});
  data::Loader loader(cache, {.batch_tokens = options.batch_tokens, .seed = options.seed});
  for (std::int64_t i = 0; i < options.count; ++i) {
    for (const data::HostBatch& batch : loader.next().micro_batches) fmt::print("{}", to_text(lengths_of(batch)));
  }
}

}  // namespace
}  // namespace dragoman::bench

int main(int argc, char** argv) {
  dragoman::bench::Options options;
  dragoman::bench::read_flags(
      argc, argv, "Prints the lengths of a corpus's sentences, batch by batch.",
      {{"--source", &options.source, "text of the source language, plain or compressed", {.required = true}},
       {"--target", &options.target, "its translation, line by line", {.required = true}},
       {"--tokenizer", &options.tokenizer, "tokenizer of both sides", {.required = true}},
       {"--cache", &options.cache, "directory for the tokenized corpus", {.required = true}},
       {"--batch-tokens", &options.batch_tokens, "most tokens on each side of a batch"},
       {"--count", &options.count, "number of batches to print"},
       {"--seed", &options.seed, "seed of the random streams, as in training"}});
  try {
    dragoman::bench::dump(options);
  } catch (const dragoman::Error& error) {
    fmt::print(stderr, "dump_batches: {}\n", error.what());
    return 1;
  }
  return 0;
}
