// What README and docs say of the program is true: every command line in them parses, and the numbers of commands,
// presets, views and models are right. (The demo's words are counted by tests/demo_slow_test.cpp.)
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
#include "dragoman/model/registry/registry.h"
#include "tests/documented_commands.h"

namespace dragoman {
namespace {

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

void add_flags(const cli::CommandEntry& command, std::set<std::string>& flags) {
  for (const cli::FlagEntry& flag : command.flags) flags.insert(flag.name);
  for (const cli::CommandEntry& below : command.commands) add_flags(below, flags);
}

TEST(Documents, NameFlagsThatExist) {
  // That of the program itself, and those of mpirun, Slurm, gcc, CMake and our benchmarks.
  std::set<std::string> flags{"--instructions", "--bind-to", "--mca",  "--gpus-per-node", "--gpus-per-task", "--param",
                              "--target",       "--bf16",    "--cuda", "--in-turn",       "--host"};
  for (const std::string& name : model::architecture_names()) {
    add_flags(program_for({.name = name, .file = {}, .problem = ""}).tree, flags);
  }
  const std::regex span("`(--[a-z0-9-]+)");
  for (const std::string& name : document_names()) {
    if (name.starts_with("bench/")) continue;  // its programs have flags of their own
    const std::string text = read_file(kSource / name);
    for (std::sregex_iterator at(text.begin(), text.end(), span), end; at != end; ++at) {
      EXPECT_TRUE(flags.contains((*at)[1].str())) << name << ": " << (*at)[1];
    }
  }
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
  const std::string list = read_file(kSource / "web/views/list.js");
  const std::regex view(R"re(name: "(\w+)", title: title\.\1,)re");
  const auto views = std::distance(std::sregex_iterator(list.begin(), list.end(), view), {});
  const Count counts[] = {{"docs/architecture.md", R"((\d+)\s+commands)", commands},
                          {"docs/training.md", R"(all\s+(\d+)\s+presets)", model::preset_names().size()},
                          {"docs/attention.md", R"((\d+)\s+views)", static_cast<std::size_t>(views)},
                          {"docs/tables.md", R"((\d+)\s+models\s+of\s+all\s+architectures)", models}};
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
