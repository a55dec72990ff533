// dragoman tokenizer: learns a vocabulary (train), and turns lines of text into tokens (encode) and back (decode).
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/output_file.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/text/lines.h"
#include "dragoman/text/tokenizer.h"

namespace dragoman::cli {
namespace {

using text::LineReader;
using text::Tokenizer;

struct VocabularyOptions {
  std::vector<std::string> input;
  std::int64_t vocabulary = 8000;
  std::string output;
  std::uint64_t seed = 1;
  OptionalSize memory_mb = 0;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("input", file_name(input),
          "files of text to learn from, one sentence per line; may be packed with gzip, zstd or xz");
    field("vocabulary", vocabulary, "tokens to learn; a small text gives fewer");
    field("output", file_name(output), "file to write the tokenizer to");
    field("seed", seed, "random seed for choosing sentences if there are more than tokenizer-sentences");
    field("memory-mb", memory_mb,
          "memory limit in MiB; less text is used if that is needed to stay below it; no limit by default");
  }

  void validate() const {
    check_output_file(output, input);
    require<MemoryError>(memory_mb == 0 || memory_mb >= kProgramMebibytes + kMinMebibytes,
                         "learning a vocabulary needs at least ", kProgramMebibytes + kMinMebibytes, " MiB, but ",
                         memory_mb.value, memory_mb == 1 ? " MiB is" : " MiB are",
                         " allowed; give more with --memory-mb.");
  }

  text::LearningLimits limits() const {
    const auto say = [](const std::string& message) { note("tokenizer: " + message); };
    const std::int64_t left = memory_mb == 0 ? 0 : memory_mb - kProgramMebibytes;
    return {.memory = static_cast<std::size_t>(left) << 20, .message = say};
  }

 private:
  // What the program takes without any text, and the least that learning needs.
  static constexpr std::int64_t kProgramMebibytes = 24, kMinMebibytes = 16;
};

struct EncodeOptions {
  std::string model;
  bool ids = false;
  double sample = 0;
  std::uint64_t seed = 1;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", file_name(model), "tokenizer, or the directory of a model that has one");
    field("ids", ids, "print ids instead of the tokens' text");
    field("sample", sample,
          "cut words at random, from 0 (never) to 1; with bpe, the probability of leaving out a merge (BPE-dropout)");
    field("seed", seed, "random seed of --sample");
  }
};

struct DecodeOptions {
  std::string model;
  bool ids = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", file_name(model), "tokenizer, or the directory of a model that has one");
    field("ids", ids, "read ids instead of the tokens' text");
  }
};

Tokenizer load_tokenizer(const std::string& model) {
  const std::filesystem::path path(model);
  return Tokenizer::load(std::filesystem::is_directory(path) ? (path / "tokenizer.model").string() : model);
}

// The lines of several files, one after the other.
class Corpus {
 public:
  explicit Corpus(std::vector<std::string> files) : files_(std::move(files)) {}

  bool next(std::string& line) {
    while (!reader_ || !reader_->next(line)) {
      if (opened_ == files_.size()) {
        require<UsageError>(lines_ > 0, text::shown_name(files_.front()),
                            files_.size() > 1 ? " and all others are" : " is",
                            " empty: there is no text to learn a vocabulary from.");
        return false;
      }
      reader_.emplace(files_[opened_++]);
    }
    lines_ += 1;
    return true;
  }
  std::int64_t lines() const { return lines_; }

 private:
  std::vector<std::string> files_;
  std::size_t opened_ = 0;
  std::optional<LineReader> reader_;
  std::int64_t lines_ = 0;
};

void train(CommandSettings& settings) {
  settings.read_file();
  VocabularyOptions options;
  text::TokenizerSettings tokenizer_settings;
  settings.apply(options);
  settings.apply(tokenizer_settings);
  options.validate();
  for (const std::string& file : options.input) announce_typing(file, "tokenizer train", "the text");
  Corpus corpus(options.input);
  const auto next = [&corpus](std::string& line) { return corpus.next(line); };
  const Tokenizer tokenizer =
      text::train_tokenizer(tokenizer_settings, options.vocabulary, options.seed, next, options.limits());
  replace_file(options.output, tokenizer.bytes());
  print(fmt::format("'{}' has {}, learned from {}\n", options.output, counted(tokenizer.size(), "token").text(),
                    counted(corpus.lines(), "line").text()));
}

void encode(CommandSettings& settings) {
  settings.read_file();
  EncodeOptions options;
  settings.apply(options);
  require_between("sample", options.sample, 0, 1);
  const Tokenizer tokenizer = load_tokenizer(options.model);
  announce_typing("-", "tokenizer encode", "the text");
  LineReader input("-");
  for (std::string line; input.next(line);) {
    // A random stream per line: how a line is cut depends on its number, not on the lines before it.
    RandomStream random(options.seed, 0, static_cast<std::uint64_t>(input.line()));
    std::string tokens;
    for (const std::int32_t id : tokenizer.sample(line, options.sample, random)) {
      if (!tokens.empty()) tokens += ' ';
      tokens += options.ids ? write_value(id) : tokenizer.piece(id);
    }
    print(tokens + "\n");
  }
}

std::optional<std::int32_t> read_token(const Tokenizer& tokenizer, std::string_view word, bool is_id) {
  if (!is_id) return tokenizer.id(word);
  const std::optional<std::int32_t> id = parse_number<std::int32_t>(word);
  return id && *id >= 0 && *id < tokenizer.size() ? id : std::nullopt;
}

std::vector<std::int32_t> read_tokens(const Tokenizer& tokenizer, std::string_view line, bool are_ids,
                                      std::int64_t number) {
  std::vector<std::int32_t> ids;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    if (word.empty()) continue;
    const std::optional<std::int32_t> id = read_token(tokenizer, word, are_ids);
    require<UsageError>(id.has_value(), "standard input line ", number, ": '", word, "' is not ",
                        are_ids ? "an id" : "a token", " of this tokenizer.");
    ids.push_back(*id);
  }
  return ids;
}

void decode(CommandSettings& settings) {
  settings.read_file();
  DecodeOptions options;
  settings.apply(options);
  const Tokenizer tokenizer = load_tokenizer(options.model);
  announce_typing("-", "tokenizer decode", "the tokens");
  constexpr std::size_t kMaxBytes = 16 << 20;  // larger than for encode, because tokens are longer than their text
  LineReader input("-", {.max_bytes = kMaxBytes});
  for (std::string line; input.next(line);) {
    print(tokenizer.decode(read_tokens(tokenizer, line, options.ids, input.line())) + "\n");
  }
}

}  // namespace

void add_tokenizer(CLI::App& program) {
  const Example learn{"learn a vocabulary of 400 tokens",
                      "dragoman tokenizer train --input dragoman-demo/text/train.en --vocabulary 400 \\\n"
                      "  --output english.model"};
  const Example cut{"see how a sentence is cut into tokens",
                    "echo 'The old man sleeps.' | dragoman tokenizer encode --model english.model"};
  const Example join_again{"put tokens together again",
                           "echo 'The old man sleeps.' | dragoman tokenizer encode --model dragoman-demo | \\\n"
                           "  dragoman tokenizer decode --model dragoman-demo"};
  CLI::App& group =
      add_command_group(program, "tokenizer", "learn a vocabulary; text to tokens and back", {learn, cut});
  CommandSettings& training = add_command(group, "train", "learn a vocabulary from text", train);
  training.add_flags(VocabularyOptions{}, "Options");
  training.add_flags(text::TokenizerSettings{}, "Options");
  training.require_keys({"input", "output"});
  training.add_examples({learn,
                         {"one of 200 for two languages, by likelihood",
                          "dragoman tokenizer train --vocabulary 200 --tokenizer unigram --output both.model \\\n"
                          "  --input dragoman-demo/text/train.en,dragoman-demo/text/train.de"}});
  CommandSettings& encoding = add_command(group, "encode", "text on standard input to tokens, line by line", encode);
  encoding.add_flags(EncodeOptions{}, "Options");
  encoding.require_keys({"model"});
  encoding.add_examples(
      {cut,
       {"the numbers of the tokens of a model",
        "dragoman tokenizer encode --model dragoman-demo --ids < dragoman-demo/text/test.en > test.ids"}});
  CommandSettings& decoding = add_command(group, "decode", "tokens on standard input to text, line by line", decode);
  decoding.add_flags(DecodeOptions{}, "Options");
  decoding.require_keys({"model"});
  decoding.add_examples(
      {join_again, {"from numbers", "dragoman tokenizer decode --model dragoman-demo --ids < test.ids"}});
}

}  // namespace dragoman::cli
