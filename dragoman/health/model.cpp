#include "dragoman/health/model.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/printable.h"
#include "dragoman/base/strings.h"
#include "dragoman/decode/inside/film.h"
#include "dragoman/decode/lines/search_of_model.h"
#include "dragoman/decode/lines/translator.h"
#include "dragoman/decode/roles/heads_file.h"
#include "dragoman/health/weights_check.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/languages.h"
#include "dragoman/model/files/search.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/files/words.h"
#include "dragoman/serve/api/models.h"
#include "dragoman/text/common_words.h"
#include "dragoman/text/lines.h"
#include "dragoman/train/report/metrics.h"
#include "dragoman/train/run_state.h"

namespace dragoman::health {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherCopy = "copy the model again from where it came from, or train it again.";

// The advice for an error, unless its text says what to do, which is after a semicolon or a question.
std::string advice_for(const std::string& error, const std::string& usual) {
  if (error.find("(permission denied)") != std::string::npos) return "allow yourself to read it, as with chmod.";
  return error.find("; ") == std::string::npos && !error.ends_with('?') ? usual : "";
}

// Adds an error with the text of the Error that `check` throws, if it throws one.
template <class Check>
void guarded(const std::string& name, Section& section, const std::string& advice, const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    section.findings.push_back(
        {.check = name, .level = Level::kError, .text = error.what(), .advice = advice_for(error.what(), advice)});
  }
}

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& list) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, list.size()); ++i) text += (i > 0 ? ", " : "") + list[i];
  return list.size() > kShown ? join(text, " and ", list.size() - kShown, " more") : text;
}

void check_weights(const fs::path& directory, const model::ModelInfo& info, Section& section) {
  const model::SafetensorsFile file(model::weights_file(directory));
  const std::unique_ptr<model::Seq2Seq> model = info.config.make_model();
  params::ParameterVisitor visitor(params::Purpose::kInference);  // of an exported copy or of a trained model
  model->parameters(visitor);
  model::check_tensors(file, visitor.saved());
  const WeightsReport report = examine_weights(file);
  section.facts.push_back({"weights", report.types});
  section.facts.push_back({"numbers", report.numbers});
  section.facts.push_back({"numbers_not_finite", report.not_finite});
  if (report.not_finite > 0) {
    section.findings.push_back(
        {.check = "finite",
         .level = Level::kError,
         .text = join("numbers of the weights that are not finite: ", with_thousands(report.not_finite), " of ",
                      with_thousands(report.numbers), ", in ", some_of(report.damaged)),
         .advice = join("the file is damaged, or its training diverged; ", kOtherCopy),
         .count = report.not_finite,
         .of = report.numbers});
    return;
  }
  if (!report.zero.empty()) {
    section.findings.push_back(
        {.check = "zero",
         .level = Level::kWarning,
         .text = join("matrices of the weights that hold nothing but zeros: ", some_of(report.zero)),
         .advice = join("the file was probably not written to its end; ", kOtherCopy)});
  }
  section.findings.push_back(
      {.check = "weights",
       .text = join(with_thousands(report.tensors), " tensors of the right shapes, ", with_thousands(report.numbers),
                    " numbers (", report.types, "), all finite")});
}

void check_vocabulary(const fs::path& directory, const model::ModelInfo& info, Section& section) {
  const model::Tokenizers tokenizers = model::read_tokenizers(directory);
  model::check_vocabularies(directory, tokenizers, info.config);
  const bool is_joint = tokenizers.source.bytes() == tokenizers.target.bytes();
  section.findings.push_back(
      {.check = "vocabulary",
       .text =
           join(is_joint ? "one vocabulary of " : "vocabularies of ", with_thousands(tokenizers.source.size()),
                is_joint ? "" : " and " + with_thousands(tokenizers.target.size()), " tokens, as the model expects")});
}

void check_languages(const fs::path& directory, const model::ModelInfo& info, Section& section) {
  const auto known = model::read_languages(directory, {info.source_language, info.target_language});
  if (info.source_language.empty() || info.target_language.empty()) {
    section.findings.push_back({.check = "languages", .text = "the model does not say its languages"});
    return;
  }
  const bool has_profiles = std::ranges::all_of(known, [](const text::KnownLanguage& language) {
    return language.profile || text::common_profile(language.tag) != nullptr;
  });
  section.findings.push_back({.check = "languages",
                              .text = join("translates ", serve::language_name(info.source_language), " to ",
                                           serve::language_name(info.target_language),
                                           has_profiles ? ""
                                                        : "; without languages.json, a server tells them by their "
                                                          "letters only")});
}

void check_search(const fs::path& directory, Section& section) {
  decode::search_of_model(directory);
  if (!fs::exists(status_of(model::search_file(directory)))) return;
  section.findings.push_back({.check = "search", .text = "search.json has settings of a search that can be used"});
}

void check_heads(const fs::path& directory, const model::ModelInfo& info, Section& section) {
  const std::optional<Json> heads = decode::read_heads(directory, info);
  if (!heads) return;
  section.findings.push_back(
      {.check = "heads",
       .text = join("heads.json describes ", counted(std::ssize(heads->at("heads")), "attention head"))});
}

void check_records(const fs::path& directory, Section& section) {
  const fs::path file = directory / "metrics.jsonl";
  if (!fs::exists(status_of(file))) return;
  section.findings.push_back(
      {.check = "records",
       .text = join("metrics.jsonl has ", counted(std::ssize(train::read_records(file)), "record"), " of training")});
}

void check_film(const fs::path& directory, Section& section) {
  decode::film_json(directory);
  if (!decode::summarise_film(directory).exists) return;
  section.findings.push_back({.check = "film", .text = "the film of the training can be shown"});
}

// A damaged checkpoint is an error only if there is no whole one left to resume from.
void check_checkpoints(const fs::path& directory, Section& section) {
  const std::vector<train::Checkpoint> checkpoints = train::list_checkpoints(directory);
  if (checkpoints.empty()) return;
  std::vector<std::string> problems;
  for (const train::Checkpoint& checkpoint : checkpoints) {
    try {
      train::read_run_state(checkpoint);
    } catch (const Error& error) {
      problems.emplace_back(error.what());
    }
  }
  const auto whole = checkpoints.size() - problems.size();
  section.facts.push_back({"checkpoints", static_cast<std::int64_t>(checkpoints.size())});
  section.facts.push_back({"whole_checkpoints", static_cast<std::int64_t>(whole)});
  for (const std::string& problem : problems) {
    section.findings.push_back({.check = "checkpoints",
                                .level = whole == 0 ? Level::kError : Level::kWarning,
                                .text = problem,
                                .advice = whole == 0 ? "the run cannot be resumed; the model itself may still be used."
                                                     : "training resumes from the newest whole checkpoint."});
  }
  if (whole == 0) return;
  section.findings.push_back(
      {.check = "checkpoints",
       .text = join(whole, whole == 1 ? " checkpoint" : " checkpoints",
                    " with the right checksums, the newest of step ", with_thousands(checkpoints.back().step))});
}

void check_leftovers(const fs::path& directory, Section& section) {
  std::vector<std::string> names;
  for (const fs::path& folder : {directory, directory / "checkpoints", directory / "corpus", directory / "probe"}) {
    for (const fs::path& path : list_directory(folder)) {
      if (is_unfinished(path)) names.push_back(path.filename().string());
    }
  }
  if (names.empty()) return;
  section.findings.push_back({.check = "unfinished",
                              .level = Level::kWarning,
                              .text = "unfinished files of a run that is running or was killed: " + some_of(names),
                              .advice = "'dragoman train --model DIR' removes them when it resumes the run."});
}

// A sentence that training validated with; empty if there is none.
std::string validated_sentence(const fs::path& directory) {
  const fs::path records = directory / "metrics.jsonl";
  if (!fs::is_regular_file(status_of(records))) return "";
  try {
    text::LineReader lines(records.string(), {.any_bytes = true});
    for (std::string line; lines.next(line);) {
      if (line.find("\"samples\"") == std::string::npos) continue;
      const Json record = try_parse_json(line);
      const Json::json_pointer source("/samples/0/source");
      if (record.contains(source) && record[source].is_string()) return record[source].get<std::string>();
    }
  } catch (const Error&) {  // the records are not needed to translate
  }
  return "";
}

// Some words of the vocabulary.
std::string some_words(const text::Tokenizer& tokenizer) {
  constexpr std::size_t kWords = 5;
  std::vector<std::int32_t> words, pieces;
  for (std::int32_t id = 4; id < tokenizer.size() && words.size() < kWords; ++id) {
    if (tokenizer.is_byte(id)) continue;
    if (pieces.size() < kWords) pieces.push_back(id);
    const bool is_word = tokenizer.begins_word(kBos, id) && tokenizer.piece_after(kBos, id).size() > 5;
    if (is_word) words.push_back(id);  // U+2581 takes three bytes
  }
  return tokenizer.decode(words.empty() ? pieces : words);
}

// What is suspicious about the translation of a real sentence; empty if nothing is.
std::string suspicion(const decode::TranslatedLine& line) {
  if (line.text.empty()) return "the translation is empty";
  if (!line.finished) return "the translation has no end";
  if (line.repeats) return "the translation repeats itself";
  return line.unseen.empty() ? "" : text::never_saw(line.unseen);
}

void check_translation(const ModelRequest& request, Section& section) {
  decode::Translator translator(request.directory, {.device = request.device, .threads = request.threads});
  std::string sentence = request.sentence.empty() ? validated_sentence(request.directory) : request.sentence;
  const bool is_real = !sentence.empty();
  if (!is_real) sentence = some_words(translator.model().tokenizers.source);
  const std::vector<std::string> lines{sentence};
  const decode::TranslatedLine result = translator.translate(lines).front();
  section.facts.push_back({"trial_source", sentence});
  section.facts.push_back({"trial_translation", result.text});
  Finding finding{.check = "translation",
                  .text = join("translates ", in_quotes(sentence), " to ", in_quotes(result.text))};
  if (!std::isfinite(result.log_probability)) {
    finding.level = Level::kError;
    finding.text += ", but its probability is not a number";
    finding.advice = kOtherCopy;
  } else if (!is_real) {
    finding.text += "; these are only some words of its vocabulary, so --sentence TEXT shows more";
  } else if (const std::string wrong = suspicion(result); !wrong.empty()) {
    finding.level = Level::kWarning;
    finding.text += "; " + wrong;
    finding.advice = "try other sentences with --sentence TEXT; if they fail too, the model was not trained enough.";
  }
  section.findings.push_back(finding);
}

}  // namespace

Section model_section(const ModelRequest& request) {
  const fs::path& directory = request.directory;
  Section section{.name = "model", .title = "Model '" + directory.string() + "'"};
  section.facts.push_back({"directory", directory.string()});
  std::optional<model::ModelInfo> info;
  guarded("config", section, "give the directory that 'dragoman train' wrote, with config.json in it.", [&] {
    info = model::read_info(directory);
    section.findings.push_back(
        {.check = "config",
         .text = join("format ", model::kDirectoryFormat, ", ", info->config.arch(), " of ", info->config.describe())});
  });
  if (!info) return section;
  section.facts.push_back({"format", std::int64_t{model::kDirectoryFormat}});
  section.facts.push_back({"architecture", std::string(info->config.arch())});
  section.facts.push_back({"source_language", info->source_language});
  section.facts.push_back({"target_language", info->target_language});
  guarded("weights", section, kOtherCopy, [&] { check_weights(directory, *info, section); });
  guarded("vocabulary", section, kOtherCopy, [&] { check_vocabulary(directory, *info, section); });
  guarded("words", section, "", [&] { model::read_words(directory); });
  if (section.count(Level::kError) == 0) {
    guarded("translation", section, "", [&] { check_translation(request, section); });
  }
  guarded("languages", section, "", [&] { check_languages(directory, *info, section); });
  guarded("search", section, "correct the file, or remove it to search with the defaults.",
          [&] { check_search(directory, section); });
  guarded("heads", section, "", [&] { check_heads(directory, *info, section); });
  guarded("records", section, "", [&] { check_records(directory, section); });
  guarded("film", section, "remove this file; the film is then shown without its step.",
          [&] { check_film(directory, section); });
  guarded("checkpoints", section, "", [&] { check_checkpoints(directory, section); });
  guarded("unfinished", section, "", [&] { check_leftovers(directory, section); });
  return section;
}

}  // namespace dragoman::health
