#include "dragoman/cli/help/help.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"

namespace dragoman::cli {
namespace {

constexpr std::size_t kIndent = 2, kGap = 2;
constexpr std::size_t kWidestLeft = 32;  // a longer left side has its text on the next line
constexpr char kNoBreak = '\1';          // becomes a space, but no line is broken there
constexpr std::size_t kNarrowest = 60, kWidest = 120, kUsual = 100;

std::string spaces(std::size_t count) { return std::string(count, ' '); }

// Breaks the text at spaces into lines of at most `width` characters. A longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!lines.back().empty() && count_characters(lines.back()) + 1 + count_characters(word) > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  for (std::string& line : lines) std::ranges::replace(line, kNoBreak, ' ');
  return lines;
}

// A row of a table: a flag or a command, and what it does.
using Row = std::pair<std::string, std::string>;

// The table of rows, whose right side begins at this column.
std::string table(const std::vector<Row>& rows, std::size_t column, std::size_t columns) {
  std::string text;
  for (const auto& [left, right] : rows) {
    const std::size_t used = kIndent + count_characters(left);
    text += spaces(kIndent) + left;
    text += used + kGap > column ? "\n" + spaces(column) : spaces(column - used);
    const std::vector<std::string> lines = wrapped(right, columns - column);
    for (std::size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : spaces(column)) + lines[i] + "\n";
  }
  return text;
}

std::string left_of(const FlagEntry& flag) {
  return join(flag.short_name, flag.short_name.empty() ? "" : ", ", flag.name, flag.is_switch() ? "" : " ",
              flag.placeholder);
}

std::string right_of(const FlagEntry& flag) {
  if (flag.is_required) return flag.help + " (required)";
  return flag.initial.empty() ? flag.help : join(flag.help, " (default:", kNoBreak, flag.initial, ")");
}

// "[FILE]..."
std::string written_argument(const FlagEntry& argument) {
  return join("[", argument.name, "]", argument.is_repeated ? "..." : "");
}

// The tables of a command, each with its title.
std::vector<std::pair<std::string, std::vector<Row>>> tables_of(const CommandEntry& command) {
  std::vector<std::pair<std::string, std::vector<Row>>> tables;
  const auto add = [&](const std::string& title, Row row) {
    if (tables.empty() || tables.back().first != title) tables.emplace_back(title, std::vector<Row>{});
    tables.back().second.push_back(std::move(row));
  };
  for (const CommandEntry& inner : command.commands) add("Commands", {inner.name, inner.help});
  for (const FlagEntry& argument : command.arguments) add("Arguments", {written_argument(argument), argument.help});
  for (const FlagEntry& flag : command.flags) add(flag.group, {left_of(flag), right_of(flag)});
  return tables;
}

std::string examples_of(const CommandEntry& command) {
  if (command.examples.empty()) return "";
  std::string text = "\nExamples:\n";
  for (const Example& example : command.examples) {
    text += spaces(kIndent) + example.purpose + ":\n" + spaces(2 * kIndent);
    for (const char c : example.line) text += c == '\n' ? "\n" + spaces(2 * kIndent) : std::string(1, c);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string usage_of(const CommandEntry& command) {
  std::string usage = command.full_name;
  if (!command.commands.empty()) usage += " COMMAND";
  for (const FlagEntry& flag : command.flags) {
    if (flag.is_required) usage += " " + flag.name + " " + flag.one_value();
  }
  const bool has_others = std::ranges::any_of(
      command.flags, [](const FlagEntry& flag) { return !flag.is_required && flag.name != "--help"; });
  if (has_others) usage += " [FLAG]...";
  for (const FlagEntry& argument : command.arguments) usage += " " + written_argument(argument);
  return usage;
}

std::string help_text(const CommandEntry& command, std::size_t columns) {
  const auto tables = tables_of(command);
  std::size_t column = 3 * kIndent;
  for (const auto& [title, rows] : tables) {
    for (const Row& row : rows) {
      const std::size_t width = count_characters(row.first);
      if (width <= kWidestLeft) column = std::max(column, kIndent + width + kGap);
    }
  }
  std::string text = command.help + "\n\nUsage: " + usage_of(command) + "\n";
  for (const auto& [title, rows] : tables) text += "\n" + title + ":\n" + table(rows, column, columns);
  text += examples_of(command);
  if (!command.commands.empty()) {
    const std::string group = command.name == command.full_name ? "" : command.short_name() + " ";
    text += join("\n'dragoman help ", group, "COMMAND' explains a command.\n");
  }
  return text;
}

std::size_t help_columns() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
}

}  // namespace dragoman::cli
