// demo --task translate: makes sentences in two languages from a grammar, trains a model on them, and translates.
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/new_directory.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/demo.h"
#include "dragoman/cli/find_roles.h"
#include "dragoman/cli/pronouns.h"
#include "dragoman/cli/show/alignment_picture.h"
#include "dragoman/cli/show/heads_report.h"
#include "dragoman/cli/show/invocation.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/training_watcher.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/decode/roles/heads_file.h"
#include "dragoman/demo/demo_corpus.h"
#include "dragoman/demo/nearest_neighbour.h"
#include "dragoman/eval/bleu.h"
#include "dragoman/model/files/info.h"
#include "dragoman/model/files/words.h"
#include "dragoman/model/registry/registry.h"
#include "dragoman/train/checkpoint.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;
using demo::TextPair;

constexpr std::size_t kShown = 6;                     // translations that are printed
constexpr std::size_t kWidestPicture = 12;            // words that fit side by side on a terminal
constexpr std::size_t kLargestGrammar = 1 << 20;      // bytes
constexpr const char* kGrammarFile = "text/grammar";  // the grammar that the text was made from

std::string grammar_text(const DemoOptions& options) {
  if (options.grammar.empty()) return std::string(demo::demo_grammar());
  std::string text = read_file(options.grammar, kLargestGrammar);
  require<UsageError>(text.find_first_not_of(" \t\r\n") != std::string::npos, "the grammar '", options.grammar,
                      "' is empty.");
  return text;
}

demo::DemoCorpus make_corpus(const DemoOptions& options, const std::string& text) {
  const demo::Grammar grammar(text, options.grammar.empty() ? "the built-in grammar" : options.grammar);
  demo::DemoCorpusSettings settings;
  settings.seed = options.seed;
  return demo::make_demo_corpus(grammar, settings);
}

// The files of a set, such as text/train.en and text/train.de.
struct TextFiles {
  fs::path source, target;
};
TextFiles files_of(const fs::path& text, const std::string& set, const demo::Languages& languages) {
  return {text / (set + "." + languages.source), text / (set + "." + languages.target)};
}

void write_pairs(const TextFiles& files, const std::vector<TextPair>& pairs) {
  std::string source, target;
  for (const TextPair& pair : pairs) {
    source += pair.source + "\n";
    target += pair.target + "\n";
  }
  replace_file(files.source, source);
  replace_file(files.target, target);
}

// Writes which words belong together, a line for each pair.
void write_alignments(const fs::path& file, const std::vector<demo::WordLinks>& pairs) {
  std::string text;
  for (const demo::WordLinks& links : pairs) text += decode::pharaoh(links) + "\n";
  replace_file(file, text);
}

// Writes a few short sentences whose attention is recorded during training.
void write_probe(const fs::path& file, const std::vector<TextPair>& pairs) {
  std::string probe;
  int left = 3;
  for (const TextPair& pair : pairs) {
    if (pair.source.size() < 100 && left-- > 0) probe += pair.source + "\n";
  }
  replace_file(file, probe);
}

// Leaves no new directory behind if a file cannot be written, for example because the disk is full.
void write_corpus(const fs::path& directory, const demo::DemoCorpus& corpus, const std::string& grammar) {
  const RemovedIfFailed removed_if_failed(directory, !fs::exists(status_of(directory)));
  const fs::path text = directory / "text";
  make_directory(text);
  write_pairs(files_of(text, "train", corpus.languages), corpus.train);
  write_pairs(files_of(text, "valid", corpus.languages), corpus.valid);
  write_pairs(files_of(text, "test", corpus.languages), corpus.test);
  write_alignments(text / "valid.align", corpus.valid_links);
  write_alignments(text / "test.align", corpus.test_links);
  write_probe(files_of(text, "probe", corpus.languages).source, corpus.test);
  replace_file(directory / kGrammarFile, grammar);
  model::write_words(directory, demo::source_words(corpus.train));
}

// A run in the directory continues with the text that it began with, so the corpus must be the same.
void require_same_corpus(const fs::path& text, const demo::DemoCorpus& corpus) {
  const fs::path file = files_of(text, "train", corpus.languages).source;
  if (!fs::exists(file)) return;
  std::string made;
  for (const TextPair& pair : corpus.train) made += pair.source + "\n";
  if (read_file(file) == made) return;
  const bool is_demo = fs::exists(text.parent_path() / kGrammarFile);
  throw UsageError(
      is_demo ? join("'", text.parent_path().string(),
                     "' holds a demo with another grammar or seed; choose another directory with --model.")
              : join("'", file.string(), "' exists and is not of this demo; choose another directory with --model."));
}

// The settings of the run, without its text.
train::TrainingSettings demo_settings(const DemoOptions& options) {
  const model::Preset preset = model::preset("demo");
  train::TrainingSettings settings;
  settings.model = preset.model;
  settings.training = preset.training;
  settings.training.seed = options.seed;
  if (options.steps > 0) settings.training.steps = options.steps;
  settings.run.valid_every = (settings.training.steps + 3) / 4;
  settings.run.save_every = (settings.training.steps + 15) / 16;  // each checkpoint is a frame of the training film
  settings.machine.threads = options.threads;
  settings.machine.report_every = 20;
  settings.validate();
  return settings;
}

// A run in the directory must have begun with the same settings; what differs comes from --steps or --seed.
void require_same_run(const DemoOptions& options, const train::TrainingSettings& settings) {
  if (train::list_checkpoints(options.model).empty()) return;
  const DirectoryLock lock(options.model);  // so that no run replaces its checkpoints meanwhile
  const std::optional<train::RunState> stored = train::resumable_state(options.model, [](const std::string&) {});
  if (!stored || train::differences(stored->settings, settings).empty()) return;
  const std::int64_t steps = stored->settings.training.steps;
  require<UsageError>(steps == settings.training.steps, "'", options.model, "' holds a run of ", counted(steps, "step"),
                      "; choose another directory with --model, or the same --steps.");
  throw UsageError(
      join("'", options.model, "' holds a run with other settings; choose another directory with --model."));
}

train::RunRequest training_request(const DemoOptions& options, const fs::path& text, const demo::Languages& languages) {
  train::RunRequest request{
      .directory = options.model, .init = {}, .settings = demo_settings(options), .allow_changes = false};
  train::TrainingSettings& settings = request.settings;
  const TextFiles train = files_of(text, "train", languages), valid = files_of(text, "valid", languages);
  settings.text.train_source = {train.source.string()};
  settings.text.train_target = {train.target.string()};
  settings.text.valid_source = valid.source.string();
  settings.text.valid_target = valid.target.string();
  settings.text.resolve_languages();
  const fs::path probe = files_of(text, "probe", languages).source;
  if (fs::file_size(probe) > 0) settings.machine.probe = probe.string();
  return request;
}

struct Score {
  double bleu = 0;
  double exact = 0;  // per cent of the sentences whose translation is the reference
};

Score score(const std::vector<TextPair>& test, const std::function<std::string(std::size_t)>& answer) {
  eval::BleuStatistics statistics;
  double exact = 0;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const std::string given = answer(i);
    statistics += eval::bleu_statistics(given, std::span(&test[i].target, 1));
    if (given == test[i].target) exact += 1;
  }
  return {eval::bleu(statistics).score, 100 * exact / static_cast<double>(test.size())};
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t end = std::min(text.find(' ', first), text.size());
    if (end > first) words.push_back(text.substr(first, end - first));
    first = end + 1;
  }
  return words;
}

// The number of the sentence with the most words that still fits on a terminal.
std::size_t longest_that_fits(const std::vector<std::string>& sentences) {
  std::size_t longest = 0, most = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::size_t words = split_words(sentences[i]).size();
    if (words <= most || words > kWidestPicture) continue;
    longest = i;
    most = words;
  }
  return longest;
}

void show_translations(const fs::path& directory, const DemoOptions& options, const std::vector<TextPair>& test) {
  decode::Translator translator(directory, {.threads = options.threads, .alignment = decode::HeadChoice{}});
  std::vector<std::string> sources;
  for (std::size_t i = 0; i < std::min(kShown, test.size()); ++i) sources.push_back(test[i].source);
  const std::vector<decode::TranslatedLine> lines = translator.translate(sources);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool right = lines[i].text == test[i].target;
    print(fmt::format("  {}\n  -> {}{}\n\n", sources[i], lines[i].text,
                      right ? "" : "\n     should be: " + test[i].target));
  }
  const std::size_t pictured = longest_that_fits(sources);
  const decode::TranslatedLine& line = lines[pictured];
  const model::Tokenizers& tokenizers = translator.model().tokenizers;
  const decode::AttentionMap words = decode::by_words(line.attention, decode::words_of(line.target, tokenizers.target),
                                                      decode::words_of(line.source, tokenizers.source));
  print("Where the decoder looked while it wrote one of them (the mean of all heads):\n\n");
  print(alignment_picture(words, split_words(sources[pictured]), split_words(line.text)) + "\n");
}

// The example of the built-in grammar: "The animal didn't cross the street because it was too tired", or "too wide".
PronounExample tired_and_wide() {
  const std::string source = "The animal didn't cross the street because it was too ";
  const std::string target = "Das Tier überquerte die Straße nicht, weil ";
  return {
      {{{source + "tired.", target + "es zu müde war."}, {.pronoun = 7, .meant = 1, .other = 5, .translation = 7}},
       {{source + "wide.", target + "sie zu breit war."}, {.pronoun = 7, .meant = 5, .other = 1, .translation = 7}}}};
}

// Adds what the model knows of pronouns to heads.json, and prints it.
void show_pronouns(const fs::path& directory, const DemoOptions& options, const demo::DemoCorpus& corpus) {
  const bool is_built_in = options.grammar.empty();
  std::optional<Json> heads = decode::read_heads(directory, model::read_info(directory));
  if (!heads || corpus.unseen_references.empty()) return;
  heads->erase("current");
  (*heads)["pronoun"] =
      test_pronouns(directory, corpus, is_built_in ? std::optional(tired_and_wide()) : std::nullopt, options.threads);
  decode::write_heads(directory, *heads);
  print(pronoun_text((*heads)["pronoun"]) + "\n");
}

// Commands that work where the demo was run.
void print_next_steps(const fs::path& directory, const std::string& sentence, std::size_t words) {
  const std::string program = program_call(), model = shell_word(directory.string());
  print(
      fmt::format("The model is in '{}'. It knows the {} words of its grammar and can only guess at others;\n"
                  "'translate' and the browser say which words it never saw. What you can do next:\n\n"
                  "Translate a sentence; without echo, as many as you like at a prompt:\n"
                  "  echo {} | {} translate --model {}\n"
                  "See what attention does, in a browser at http://127.0.0.1:8080:\n"
                  "  {} serve --model {}\n"
                  "See how it learned: open {} in a browser.\n"
                  "Edit the grammar that made the sentences, and train on your own:\n"
                  "  cp {} my.grammar\n"
                  "  {} demo --grammar my.grammar --model my-demo\n",
                  directory.string(), words, shell_word(sentence), program, model, program, model,
                  (directory / "report.html").string(), shell_word((directory / kGrammarFile).string()), program));
}

}  // namespace

void demo_translation(const DemoOptions& options) {
  const fs::path directory = options.model, text = directory / "text";
  model::require_directory_name(directory);
  require_same_run(options, demo_settings(options));
  const std::string grammar = grammar_text(options);
  const demo::DemoCorpus corpus = make_corpus(options, grammar);
  require_same_corpus(text, corpus);
  write_corpus(directory, corpus, grammar);
  note(fmt::format(
      "made {} sentence pairs from a grammar; the {} test pairs combine constructions that no training pair combines",
      with_thousands(static_cast<std::int64_t>(corpus.train.size())),
      with_thousands(static_cast<std::int64_t>(corpus.test.size()))));
  const train::RunResult result = watch_training(training_request(options, text, corpus.languages));

  const TextFiles valid = files_of(text, "valid", corpus.languages);
  save_roles(directory, {.source = valid.source.string(), .target = valid.target.string()}, kRoleSentences, {},
             options.threads);

  decode::Translator translator(directory, {.threads = options.threads});
  std::vector<std::string> sources;
  for (const TextPair& pair : corpus.test) sources.push_back(pair.source);
  const std::vector<decode::TranslatedLine> lines = translator.translate(sources);
  const demo::NearestNeighbour memory(corpus.train);
  const Score ours = score(corpus.test, [&](std::size_t i) { return lines[i].text; });
  const Score nearest = score(corpus.test, [&](std::size_t i) { return memory.translate(corpus.test[i].source); });

  print("\n");
  show_translations(directory, options, corpus.test);
  print(fmt::format("{} test sentences of constructions that training never combined, after {} of training:\n",
                    with_thousands(static_cast<std::int64_t>(corpus.test.size())), duration_text(result.seconds)));
  print(fmt::format("  this model                                  BLEU {:5.1f}   without a mistake {:5.1f} %\n",
                    ours.bleu, ours.exact));
  print(fmt::format("  the nearest training sentence's translation BLEU {:5.1f}   without a mistake {:5.1f} %\n\n",
                    nearest.bleu, nearest.exact));
  show_pronouns(directory, options, corpus);
  const bool is_built_in = options.grammar.empty();
  print_next_steps(options.model, is_built_in ? "The old man gave the child a red book." : corpus.test.front().source,
                   demo::source_words(corpus.train).size());
}

}  // namespace dragoman::cli
