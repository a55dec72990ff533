// What README and docs say of the program is true: every command line in them parses, and the numbers of commands,
// presets, views, models and words are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/completions/command_tree.h"
#include "dragoman/cli/help/hints.h"
#include "dragoman/cli/settings/architecture.h"
#include "dragoman/cli/settings/command.h"
#include "dragoman/demo/demo_corpus.h"
#include "dragoman/model/registry/registry.h"
#include "tests/program.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const fs::path kSource = DRAGOMAN_SOURCE_DIR;

// The names of files for readers, relative to the source.
Words document_names() {
  Words names{"README.md", "README.zh-CN.md", "bench/README.md"};
  for (const fs::directory_entry& entry : fs::directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") names.push_back("docs/" + entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// A line of shell that names the program, in a block of code, in a table or in running text.
struct Documented {
  std::string place;     // "docs/doctor.md:6"
  std::string line;      // as the document has it, lines that continue joined
  bool in_text = false;  // it may be part of a command line
};

// Reads a document line by line.
class DocumentReader {
 public:
  explicit DocumentReader(const std::string& name) : name_(name) {
    std::istringstream text(read_file(kSource / name));
    for (std::string line; std::getline(text, line);) read(line);
    end_paragraph();
  }

  std::vector<Documented> found;

 private:
  void read(const std::string& line) {
    ++number_;
    const std::size_t begin = line.find_first_not_of(' ');
    const bool is_fence = begin != std::string::npos && line.compare(begin, 3, "```") == 0;
    if (is_fence) in_fence_ = !in_fence_;
    if (is_fence || in_fence_) return;  // these hold C++ and diagrams
    const bool is_code = begin != std::string::npos && begin >= 4 && line.find('`') == std::string::npos;
    if (is_code) return read_code(line);
    code_.clear();
    if (begin == std::string::npos) return end_paragraph();
    if (line[begin] == '|') return read_spans(std::regex_replace(line, std::regex(R"(\\\|)"), "|"), false);
    if (paragraph_.empty()) paragraph_begin_ = number_;
    paragraph_ += line + ' ';
  }

  void read_code(const std::string& line) {
    end_paragraph();
    code_ += line;
    if (code_.ends_with('\\')) {
      code_.back() = ' ';
      return;
    }
    add(number_, std::exchange(code_, {}), false);
  }

  void read_spans(const std::string& text, bool in_text) {
    static const std::regex span("`([^`]+)`");
    for (std::sregex_iterator at(text.begin(), text.end(), span), end; at != end; ++at) {
      add(in_text ? paragraph_begin_ : number_, (*at)[1].str(), in_text);
    }
  }

  void end_paragraph() {
    read_spans(paragraph_, true);
    paragraph_.clear();
  }

  // A line that sets a variable of the shell may be needed by the lines after it.
  void add(int number, const std::string& line, bool in_text) {
    static const std::regex named(R"((^|[\s(|/])dragoman( +[a-z-]|$))"), variable(R"(^\s*\w+=\S.*)");
    const bool names_program = std::regex_search(line, named) && line != "dragoman";
    if (names_program || std::regex_match(line, variable)) {
      found.push_back({join(name_, ":", number), line, in_text});
    }
  }

  std::string name_, code_, paragraph_;
  int number_ = 0, paragraph_begin_ = 0;
  bool in_fence_ = false;
};

// The line for each of the alternatives in `--norm post|pre`.
Words alternatives(const std::string& line) {
  static const std::regex choice(R"(([^\s|'"`]+)\|([^\s'"`]+))");
  std::smatch found;
  if (!std::regex_search(line, found, choice)) return {line};
  Words all{found.prefix().str() + found[1].str() + found.suffix().str()};
  for (const std::string& other : alternatives(found.prefix().str() + found[2].str() + found.suffix().str())) {
    all.push_back(other);
  }
  return all;
}

// The line without files that it reads and writes, without "...", and with the program's name alone. What may be left
// out stands in brackets.
std::string plain(std::string line) {
  for (const auto& [from, to] : {std::pair{R"(^[^|&$'"(]*: (?=dragoman ))", ""},
                                 {R"(\[(--[^\]]*)\])", "$1"},
                                 {R"(\S*/dragoman )", "dragoman "},
                                 {R"(\s\.\.\.(?=\s|$))", ""},
                                 {R"(\s[0-9]?[<>]{1,2} ?[^\s(|;&)]+)", ""}}) {
    line = std::regex_replace(line, std::regex(from), to);
  }
  return line;
}

// The arguments of each call of the program in a line.
struct Call {
  std::size_t line = 0;  // its index
  Words arguments;
};

// Lets a shell read the lines, because it knows quotes, variables and comments. It finds no program to run: `dragoman`
// is a function that writes down its arguments.
std::vector<Call> calls_in(const std::vector<Documented>& lines) {
  const std::string place = scratch("documents");
  fs::create_directories(place);
  std::string script = R"(PATH=/nonexistent
exec 3> calls
dragoman() {
  local call=$at argument
  for argument; do call+=$'\x1f'$argument; done
  printf '%s\n' "$call" >&3
}
mpirun() {
  while [ $# -gt 0 ] && [ "$1" != dragoman ]; do shift; done
  "$@"
}
srun() { mpirun "$@"; }
cd() { :; }
command_not_found_handle() { :; }
)";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& line : alternatives(plain(lines[i].line))) {
      script += join("at=", i, "; eval '", std::regex_replace(line, std::regex("'"), R"('\'')"), "'\n");
    }
  }
  replace_file(place + "/script", script);
  const Ending ending = shell("cd " + place + " && env -i /bin/bash --norc script < /dev/null > /dev/null");
  std::istringstream written(read_file(place + "/calls"));
  std::vector<Call> calls;
  for (std::string line; std::getline(written, line);) {
    std::istringstream words(line);
    std::string word;
    std::getline(words, word, '\x1f');
    calls.push_back({.line = std::stoul(word), .arguments = {}});
    while (std::getline(words, word, '\x1f')) calls.back().arguments.push_back(word);
  }
  EXPECT_FALSE(calls.empty()) << ending.err;
  fs::remove_all(place);
  return calls;
}

// DIR, FILE, NAME, N: something to fill in.
bool is_placeholder(const std::string& word) {
  return std::ranges::all_of(word, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ','; });
}

// Why a value cannot be that of the flag; empty if it can.
std::string mistake_in_value(const cli::FlagEntry& flag, const std::string& value) {
  if (is_placeholder(value) && !parse_number<double>(value)) return "";
  const Words choices = flag.choices();
  const bool is_one = choices.empty() || std::ranges::find(choices, value) != choices.end();
  if (!is_one) return join(flag.name, " is ", value, ", not ", flag.placeholder);
  if (flag.placeholder == "N" && value != "none" && !parse_number<std::int64_t>(value)) return value + " is no integer";
  if (flag.placeholder == "X" && !parse_number<double>(value)) return value + " is no number";
  std::istringstream names(value);
  const Words presets = model::preset_names();
  for (std::string name; flag.name == "--preset" && std::getline(names, name, ',');) {
    if (std::ranges::find(presets, name) == presets.end()) return "there is no preset " + name;
  }
  const bool is_ours = flag.name == "--config" && value.starts_with("configs/");
  return is_ours && !fs::exists(kSource / value) ? "there is no file " + value : "";
}

// The program, whose commands are parsed and do not run.
struct ParsedProgram : cli::Command {
  explicit ParsedProgram(const cli::RequestedArchitecture& requested) : Command("", "dragoman") {
    set_help_flag("-h,--help");
    set_version_flag("--version", "");
    require_subcommand(0, 1);
    cli::add_commands(*this, requested);
    tree = cli::command_tree(*this);
  }
  void pre_callback() override { throw CLI::Success(); }

  cli::CommandEntry tree;
};

// There is one for each architecture, because its settings are flags.
ParsedProgram& program_for(const cli::RequestedArchitecture& requested) {
  static std::map<std::string, std::unique_ptr<ParsedProgram>> programs;
  std::unique_ptr<ParsedProgram>& program = programs[requested.name];
  if (!program) program = std::make_unique<ParsedProgram>(requested);
  return *program;
}

const CLI::App& used_command(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : used_command(*app.get_subcommands().front());
}

// Words of running text that are neither a command nor one of its flags. Values may be missing there.
std::string mistake_in_words(const cli::CommandLine& line) {
  if (!line.arguments.empty() && !line.arguments[0].starts_with("-") && line.begin == 0) {
    return "there is no command " + line.arguments[0];
  }
  for (std::size_t i = line.begin; i < line.arguments.size(); ++i) {
    const std::string flag = line.arguments[i].substr(0, line.arguments[i].find('='));
    if (flag.starts_with("-") && line.command->flag(flag) == nullptr) return "there is no flag " + flag;
  }
  return "";
}

// Why the program would not accept the arguments; empty if it would. `whole`: nothing was left out.
std::string mistake_in(Words arguments, bool in_text, bool whole = true) {
  if (arguments.size() >= 2 && arguments[0] == "--instructions")
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  const cli::RequestedArchitecture requested = cli::requested_architecture(arguments);
  if (!requested.problem.empty()) return requested.problem;
  ParsedProgram& program = program_for(requested);
  const cli::CommandLine line = cli::find_command(program.tree, arguments, requested.name);
  const bool is_name = line.begin == arguments.size();  // the document speaks of the command
  if (in_text || (is_name && line.begin > 0)) return mistake_in_words(line);
  if (const auto message = cli::flag_as_value_message(line)) return *message;
  if (const auto message = cli::misplaced_argument_message(line)) return *message;
  try {
    cli::parse(program, arguments);
  } catch (const CLI::CallForHelp&) {
    return cli::unknown_command_message(line).value_or("");
  } catch (const CLI::CallForVersion&) {
    return "";
  } catch (const CLI::Success&) {  // the command would run
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  const auto& used = dynamic_cast<const cli::Command&>(used_command(program));
  for (const std::string& flag : used.required) {
    const bool in_file = used.get_option_no_throw("--config") != nullptr && used.count("--config") > 0;
    if (whole && !in_file && used.count(flag) == 0) return flag + " is missing";
  }
  for (const cli::FlagEntry& flag : line.command->flags) {
    if (flag.is_switch() || flag.name == "--instructions") continue;
    for (const std::string& value : used.get_option(flag.name)->results()) {
      if (const std::string mistake = mistake_in_value(flag, value); !mistake.empty()) return mistake;
    }
  }
  return "";
}

TEST(Documents, HaveCommandsThatTheProgramAccepts) {
  std::vector<Documented> lines;
  for (const std::string& name : document_names())
    std::ranges::copy(DocumentReader(name).found, std::back_inserter(lines));
  fs::current_path(kSource);  // for the names of configurations
  std::set<std::size_t> understood;
  for (const auto& [i, arguments] : calls_in(lines)) {
    understood.insert(i);
    if (!arguments.empty() && arguments[0] == "greet") continue;  // how to add a command, in docs/architecture.md
    const bool whole = lines[i].line.find("...") == std::string::npos;
    EXPECT_EQ(mistake_in(arguments, lines[i].in_text, whole), "") << lines[i].place << ": " << lines[i].line;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_call = std::regex_search(lines[i].line, std::regex(R"(dragoman +[a-z-])"));
    EXPECT_EQ(understood.contains(i), is_call) << lines[i].place << ": " << lines[i].line;
  }
  EXPECT_GE(understood.size(), 200u);
}

TEST(Documents, WouldNotHideAMistakeInACommand) {
  const auto mistake = [](const std::string& line, bool in_text = false) {
    std::string all;
    const std::vector<Documented> lines{{"here", "more=\"--steps 2\"", false}, {"here", line, in_text}};
    for (const Call& call : calls_in(lines)) all += mistake_in(call.arguments, in_text);
    return all;
  };
  for (const char* line :
       {"dragoman translate --model DIR --beam 4 < in.txt > out.txt   # a comment",
        "echo x | dragoman translate --model d", "mpirun -np 2 dragoman train --model m $more --norm post|pre",
        "dragoman help tokenizer train", "dragoman --version", "dragoman inspect --preset base",
        "dragoman train --config configs/base.yaml --model DIR"}) {
    EXPECT_EQ(mistake(line), "") << line;
  }
  for (const char* line :
       {"dragoman trian", "dragoman translate --modle DIR", "dragoman translate --beam 2", "dragoman translate --model",
        "dragoman translate --model m --beam four", "dragoman translate --model m --device gpu",
        "dragoman inspect --preset bsae", "dragoman train --norm post|per --model m",
        "dragoman train --config configs/bsae.yaml --model m", "dragoman tokenizer lern",
        "dragoman train --arch rnn --heads 8 --model m"}) {
    EXPECT_NE(mistake(line), "") << line;
  }
  EXPECT_EQ(mistake("dragoman export --format", true), "");
  EXPECT_NE(mistake("dragoman export --fromat", true), "");
  EXPECT_NE(mistake("dragoman exprot", true), "");
}

// Where a document says how many things there are: a pattern, whose group is the number, and what the number is.
struct Count {
  const char* document;
  const char* pattern;
  std::size_t count;
};

TEST(Documents, SayHowManyThingsThereAre) {
  const std::size_t commands = program_for(cli::requested_architecture({})).tree.commands.size();
  std::size_t models = 0;
  for (const std::string& name : model::architecture_names())
    models += model::architecture(name).gradient_models.size();
  const demo::Grammar grammar(demo::demo_grammar(), "the grammar");
  const std::size_t words = demo::source_words(demo::make_demo_corpus(grammar, {}).train).size();
  const std::string list = read_file(kSource / "web/views/list.js");
  const std::regex view(R"re(name: "(\w+)", title: title\.\1,)re");
  const auto views = std::distance(std::sregex_iterator(list.begin(), list.end(), view), {});
  const Count counts[] = {{"docs/architecture.md", R"((\d+)\s+commands)", commands},
                          {"docs/training.md", R"(all\s+(\d+)\s+presets)", model::preset_names().size()},
                          {"docs/attention.md", R"((\d+)\s+views)", static_cast<std::size_t>(views)},
                          {"docs/tables.md", R"((\d+)\s+models\s+of\s+all\s+architectures)", models},
                          {"README.md", R"((\d+)\s+English\s+words)", words},
                          {"README.zh-CN.md", R"((\d+) 个英语词)", words}};
  for (const auto& [document, pattern, count] : counts) {
    const std::string text = read_file(kSource / document);
    const std::regex said(pattern);
    const std::sregex_iterator begin(text.begin(), text.end(), said), end;
    EXPECT_NE(begin, end) << document << " does not say " << pattern;
    for (auto at = begin; at != end; ++at)
      EXPECT_EQ((*at)[1].str(), std::to_string(count)) << document << ": " << at->str();
  }
}

TEST(Documents, DescribeEveryView) {
  const std::string titles = read_file(kSource / "web/strings/views.js"),
                    page = read_file(kSource / "docs/attention.md");
  const std::size_t begin = page.find("\n| view |");
  const std::string table = page.substr(begin, page.find("\n\n", begin) - begin);
  const std::string own = titles.substr(0, titles.find("});"));
  const std::regex title(R"re(en: "([^"]+)")re");
  int count = 0;
  for (std::sregex_iterator at(own.begin(), own.end(), title), end; at != end; ++at, ++count) {
    const std::string name = (*at)[1].str();
    EXPECT_TRUE(std::regex_search(table, std::regex("\n\\|[^|]*\\b" + name + "\\b[^|]*\\|"))) << name;
  }
  EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace dragoman
