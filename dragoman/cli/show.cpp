// dragoman show: writes the attention page as one file that needs no server.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/output_file.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/settings/translation_settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/serve/offline.h"
#include "dragoman/text/lines.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kMaxTexts = 200;

struct ShowSettings {
  std::string input = "-";
  std::string output = "-";

  template <class Visitor>
  void fields(Visitor&& field) {
    field("input", file_name(input), "texts to show, one per line; - for standard input");
    field("output", file_name(output), "page to write, such as attention.html; - for standard output");
  }
};

std::vector<std::string> read_texts(const std::string& file) {
  std::vector<std::string> texts;
  text::LineReader lines(file);
  for (std::string line; lines.next(line);) {
    if (!line.empty()) texts.push_back(line);
    require<UsageError>(texts.size() <= kMaxTexts, "a page shows at most ", kMaxTexts, " texts; give fewer lines.");
  }
  require<UsageError>(!texts.empty(), "there is no text to show; give at least one line.");
  return texts;
}

void show(CommandSettings& settings) {
  settings.read_file();
  TranslationSettings translation_settings;
  ShowSettings options;
  settings.apply(translation_settings);
  const decode::SearchSettings search = search_settings(settings, translation_settings);
  settings.apply(options);
  require_page_output(options.output, "attention.html");
  require_search_effects(settings, search);
  check_output_file(options.output, {options.input});
  decode::TranslatorOptions translation = options_of(translation_settings, search);
  translation.report = note;
  require<UsageError>(translation_settings.model.size() == 1, "a page shows one model; give --model once.");
  constexpr std::int64_t kMaxWaiting = 10'000;  // the most lines in the queue
  serve::Models models(directories(translation_settings), translation, kMaxWaiting);
  // A text may take 1 GiB of memory, eight times what a server allows by default.
  const serve::HandlerContext context{.models = models, .limits = {.cost = {.bytes = std::int64_t{1} << 30}}};
  announce_typing(options.input, "show", "the texts");
  const std::string page = serve::offline_page(context, read_texts(options.input));
  if (options.output == "-") return print(page);
  replace_file(options.output, page);
  note(fmt::format("show: wrote '{}' ({:.1f} MB); open it in a browser.", options.output,
                   static_cast<double>(page.size()) / 1e6));
}

}  // namespace

void add_show(CLI::App& program) {
  CommandSettings& settings = add_command(program, "show", "write a page that shows what attention does", show);
  settings.add_flags(TranslationSettings{}, "Options");
  settings.add_flags(ShowSettings{}, "Page");
  settings.add_flags(decode::SearchSettings{}, "Search");
  settings.require_keys({"model"});
  settings.add_examples(
      {{"show one sentence",
        "echo 'The old man gave the child a red book.' | \\\n"
        "  dragoman show --model dragoman-demo --output attention.html"},
       {"show every sentence of a file",
        "dragoman show --model dragoman-demo --input dragoman-demo/text/probe.en --output probe.html"}});
}

}  // namespace dragoman::cli
