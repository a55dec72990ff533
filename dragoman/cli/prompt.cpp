#include "dragoman/cli/prompt.h"

#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <string_view>

#include "dragoman/base/error.h"
#include "dragoman/base/printable.h"
#include "dragoman/cli/show/output.h"

namespace dragoman::cli {
namespace {

constexpr std::string_view kHelp =
    "A line is translated when you press Enter. A line that begins with a colon is a command:\n"
    "  :beam 8           change a setting, as --beam 8 does on the command line; :beam shows it\n"
    "  :scores           turn a switch on; :scores off turns it off\n"
    "  :help             show this\n"
    "  :quit             end, as Ctrl-D does\n"
    "The settings and their values:\n";

// A colon and a letter, so that a smiley is a text.
bool is_command(const std::string& line) {
  return line.size() > 1 && line[0] == ':' &&
         (std::isalpha(static_cast<unsigned char>(line[1])) != 0 || line[1] == '?');
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

// The prompt is written before the reader is made, because that waits for the first characters.
bool Prompt::next(std::string& line) {
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  if (is_terminal) std::fputs("> ", stderr);
  if (!lines_) lines_.emplace("-", text::LineRules{.any_bytes = true});
  const bool more = lines_->next(line);
  if (!more && is_terminal) std::fputs("\n", stderr);
  return more;
}

bool Prompt::answer(const std::string& line) {
  if (line.find_first_not_of(" \t") == std::string::npos) return true;
  if (is_command(line)) return obey(std::string_view(line).substr(1));
  translate(line);
  return true;
}

bool Prompt::obey(std::string_view command) {
  const auto is_one_of = [command](auto... names) { return ((command == names) || ...); };
  if (is_one_of("quit", "q", "exit")) return false;
  if (is_one_of("help", "h", "?")) {
    note(join(kHelp, settings_.list()));
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
  if (line.unknown) notes_.say("translate: this line has text that the model's vocabulary does not know.");
  if (line.repeats) notes_.say("translate: the translation repeats itself.");
  if (line.odd_length) notes_.say("translate: the translation is much longer or shorter than this line.");
}

}  // namespace dragoman::cli
