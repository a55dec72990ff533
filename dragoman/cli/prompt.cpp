#include "dragoman/cli/prompt.h"

#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <string_view>

#include "dragoman/base/error.h"
#include "dragoman/base/printable.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/decode/search/offers.h"
#include "dragoman/eval/spaces.h"

namespace dragoman::cli {
namespace {

constexpr const char* kPrompt = "> ";
constexpr std::string_view kHelp =
    "A line is translated when you press Enter. A line that begins with a colon is a command:\n"
    "  :beam 8           change a setting, as --beam 8 does on the command line; :beam shows it\n"
    "  :scores           turn a switch on; :scores off turns it off\n"
    "  :help             show this\n"
    "  :quit             end, as Ctrl-D does\n"
    "The settings and their values:\n";

// A colon, perhaps with a word or a question mark after it, so that a smiley is a text.
bool is_command(const std::string& line) {
  if (!line.starts_with(':')) return false;
  const std::size_t word = line.find_first_not_of(" \t", 1);
  return word == std::string::npos || std::isalpha(static_cast<unsigned char>(line[word])) != 0 || line[word] == '?';
}

std::string greeting(const model::ModelInfo& info) {
  const bool is_known = !info.source_language.empty() && !info.target_language.empty();
  const std::string languages = is_known ? join(" from ", info.source_language, " to ", info.target_language) : "";
  return join("A line is translated", languages, " when you press Enter; :help lists the settings, :quit ends.");
}

}  // namespace

void Prompt::run() {
  notes_.say(greeting(translator_.model().info));
  bool goes_on = true;
  for (std::string line; goes_on && next(line);) {
    try {
      goes_on = answer(line);
    } catch (const UsageError& error) {
      note(printable(error.what()));
    } catch (const MemoryError& error) {  // for example because of a very wide beam
      note(printable(error.what()));
    }
  }
}

bool Prompt::next(std::string& line) {
  if (!editor_ && !lines_ && LineEditor::is_possible()) editor_.emplace(kPrompt);
  const bool more = editor_ ? editor_->next(line) : next_unedited(line);
  if (!more && ::isatty(STDERR_FILENO) == 1) std::fputs("\n", stderr);
  return more;
}

// The prompt is written before the reader is made, because that waits for the first characters.
bool Prompt::next_unedited(std::string& line) {
  if (::isatty(STDERR_FILENO) == 1) std::fputs(kPrompt, stderr);
  if (!lines_) lines_.emplace("-", text::LineRules{.any_bytes = true, .any_kind = true});
  return lines_->next(line);
}

bool Prompt::answer(const std::string& line) {
  if (line.find_first_not_of(" \t") == std::string::npos) return true;
  if (is_command(line)) return obey(eval::trimmed(std::string_view(line).substr(1)));
  translate(line);
  return true;
}

bool Prompt::obey(std::string_view command) {
  const std::string_view name = command.substr(0, command.find_first_of(" \t"));
  const auto is_one_of = [name](auto... names) { return ((name == names) || ...); };
  const bool is_quit = is_one_of("quit", "q", "exit"), is_help = is_one_of("help", "h", "?");
  require<UsageError>(name == command || !(is_quit || is_help), ":", name, " takes no value.");
  if (is_quit) return false;
  if (is_help) {
    note(join(kHelp, settings_.list()));
  } else if (command.empty()) {
    note("a colon begins a command; :help lists them all.");
  } else {
    note(settings_.change(command));
  }
  return true;
}

void Prompt::translate(const std::string& line) {
  decode::SourceLine source{.text = line};
  source.options.search = search_;
  source.options.links = options_.alignment && !translator_.options().alignment;
  bool was_given = false;
  const auto next = [&](decode::SourceLine& given, const std::stop_token&) {
    if (was_given) return false;
    given = source;
    return was_given = true;
  };
  const auto deliver = [&](const decode::TranslatedLine& translated) {
    printer_(translated);
    say_doubts(translated);
  };
  translator_.translate(next, deliver, ++translated_);
}

// Somebody who types wants to know at once what --flags would print. The printer has reported the rest.
void Prompt::say_doubts(const decode::TranslatedLine& line) {
  if (line.failed) notes_.say(join("translate: this line has no translation; ", decode::kNotFinite));
  if (line.unknown) notes_.say("translate: this line has text that the model's vocabulary does not know.");
  if (!line.unseen.empty()) notes_.say(join("translate: ", text::never_saw(line.unseen), "; it can only guess."));
  if (line.repeats) notes_.say("translate: the translation repeats itself.");
  if (line.odd_length) notes_.say("translate: the translation is much longer or shorter than this line.");
}

}  // namespace dragoman::cli
