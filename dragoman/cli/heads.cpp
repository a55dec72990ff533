// dragoman heads: finds what each attention head of a model does over many sentences, and gives it a role.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/backend/choice.h"
#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/json_text.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/find_roles.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/heads_report.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/swapped_files.h"
#include "dragoman/decode/roles/heads_file.h"
#include "dragoman/eval/spaces.h"
#include "dragoman/text/lines.h"

namespace dragoman::cli {
namespace {

struct HeadsOptions {
  std::string model;
  std::string reference, alignments;
  int sentences = kRoleSentences;
  DeviceChoice device = DeviceChoice::kCpu;
  int threads = 0;
  bool json = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model), "directory of the model; heads.json is written there");
    field("reference", file_name(reference),
          "translations of the files; without them, the model translates the sentences itself");
    field("alignments", file_name(alignments),
          "word alignments of each line, such as 0-0 1-2; the table then shows the alignment error of each head");
    field("sentences", sentences, "number of lines to read at most");
    field("device", device, "device to compute on: cpu, or cuda for an NVIDIA GPU");
    field("threads", threads, "threads to use; 0 for all");
    field("json", json, "print JSON");
  }

  void validate(const std::vector<std::string>& files) const {
    constexpr int kMaxSentences = 100'000;
    require<UsageError>(sentences >= 1 && sentences <= kMaxSentences, "sentences is ", sentences,
                        "; it must be from 1 to ", kMaxSentences, ".");
    require<UsageError>(threads >= 0 && threads <= 1024, "threads is ", threads, "; it must be from 0 to 1024.");
    require<UsageError>(reference.empty() || files.size() == 1,
                        "--reference has the translations of one file; give exactly one FILE.");
    require<UsageError>(reference.empty() || files.front() != reference,
                        "--reference names the text itself; it needs the translations.");
    require<UsageError>(alignments.empty() || !reference.empty(),
                        "--alignments belong to given translations; name them with --reference.");
  }
};

void read_sources(const std::vector<std::string>& files, std::int64_t count, RolesRequest& to) {
  for (const std::string& file : files) {
    text::LineReader lines(file);
    for (std::string line; std::ssize(to.sources) < count && lines.next(line);) to.sources.push_back(line);
  }
}

// Throws a UsageError for a link to a word that the pair does not have.
void check_links(const std::vector<eval::WordLink>& links, const std::string& source, const std::string& target,
                 std::string_view where) {
  const std::int64_t sources = std::ssize(eval::split_words(source)), targets = std::ssize(eval::split_words(target));
  for (const eval::WordLink& link : links) {
    require<UsageError>(link.source < sources && link.target < targets, where, ": there is no link ", link.source, "-",
                        link.target, "; the sentence has ", counted(sources, "word"), " and its translation ", targets,
                        ", counted from 0.");
  }
}

void read_gold(const std::string& file, RolesRequest& to) {
  text::LineReader lines(file);
  for (std::string line; to.gold.size() < to.sources.size() && lines.next(line);) {
    const std::string where = join(lines.name(), " line ", lines.line());
    const std::size_t pair = to.gold.size();
    to.gold.push_back(eval::read_gold_links(line, where));
    check_links(to.gold.back().sure, to.sources[pair], to.references[pair], where);
    check_links(to.gold.back().possible, to.sources[pair], to.references[pair], where);
  }
  require<UsageError>(to.gold.size() == to.sources.size(), lines.name(), " has ", counted(std::ssize(to.gold), "line"),
                      " for ", counted(std::ssize(to.sources), "sentence"), "; it needs one for each.");
}

// What a file of this model says, for a call without text.
Json saved_heads(const std::string& model) {
  const std::optional<Json> saved = decode::read_heads(model, model::read_info(model));
  require<UsageError>(saved.has_value(), "nothing is known of the heads of '", model,
                      "' yet; name a file of sentences in its source language, one per line.");
  if (!saved->value("current", true)) {
    note("heads: the model has changed since this was found; name a file of sentences to find it again.");
  }
  return *saved;
}

// What `demo` found with these weights stays true, and cannot be found without its grammar. Nothing if the file is
// damaged, because it will be replaced.
std::optional<Json> saved_pronoun(const std::string& model) try {
  const std::optional<Json> saved = decode::read_heads(model, model::read_info(model));
  if (!saved || !saved->value("current", false) || !saved->contains("pronoun")) return std::nullopt;
  pronoun_text((*saved)["pronoun"]);  // throws if this part is damaged
  return (*saved)["pronoun"];
} catch (const DamagedFile&) {
  return std::nullopt;
} catch (const Json::exception&) {
  return std::nullopt;
}

Json heads_of(const HeadsOptions& options, const std::vector<std::string>& files) {
  if (files.empty()) return saved_heads(options.model);
  RolesRequest request{.model = options.model,
                       .sources = {},
                       .references = {},
                       .gold = {},
                       .device = device_of(options.device),
                       .threads = options.threads};
  for (const std::string& file : files) announce_typing(file, "heads", "the sentences");
  announce_typing(options.reference, "heads", "the translations");
  decode::require_writable_heads(options.model);
  if (options.reference.empty()) {
    read_sources(files, options.sentences, request);
  } else {
    warn_if_swapped("heads", model::read_info(options.model),
                    {.source = files.front(), .reference = options.reference, .flags = "FILE and --reference"});
    read_pairs({.source = files.front(), .target = options.reference}, options.sentences, request);
  }
  const auto is_empty = [](const std::string& source) { return eval::trimmed(source).empty(); };
  require<UsageError>(!std::ranges::all_of(request.sources, is_empty), "there is no sentence in ",
                      text::shown_name(files.front()), ".");
  if (!options.alignments.empty()) read_gold(options.alignments, request);
  const std::optional<Json> pronoun = saved_pronoun(options.model);
  Json heads = find_roles(request);
  if (pronoun) heads["pronoun"] = *pronoun;
  decode::write_heads(options.model, heads);
  return heads;
}

// The table. The file may have been edited, so that a value is of another type.
std::string text_of(const Json& heads, const std::string& model) try {
  return heads_text(heads);
} catch (const Json::exception&) {
  decode::refuse_heads(model);
}

void heads(CommandSettings& settings) {
  settings.read_file();
  HeadsOptions options;
  settings.apply(options);
  options.validate(settings.arguments());
  settings.require_effect("sentences", !settings.arguments().empty(), "without a FILE of sentences.");
  const Json found = heads_of(options, settings.arguments());
  print(options.json ? json_text(found, 2) + "\n" : text_of(found, options.model));
}

}  // namespace

void add_heads(CLI::App& program) {
  CommandSettings& settings = add_command(program, "heads", "find what each attention head does", heads);
  settings.add_flags(HeadsOptions{}, "Options");
  settings.add_arguments("FILE",
                         "sentences of the source language, one per line; without a file, what was found before "
                         "is shown");
  settings.require_keys({"model"});
  settings.add_examples({{"find the roles of the heads from a text and its translation",
                          "dragoman heads --model dragoman-demo --reference dragoman-demo/text/valid.de \\\n"
                          "  dragoman-demo/text/valid.en"},
                         {"show what was found", "dragoman heads --model dragoman-demo"}});
}

}  // namespace dragoman::cli
