// The command lines of README and docs: finds them, and lets a shell read them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "tests/program.h"

namespace dragoman {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

inline const fs::path kSource = DRAGOMAN_SOURCE_DIR;

// The names of files for readers, relative to the source.
inline Words document_names() {
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
inline Words alternatives(const std::string& line) {
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
inline std::string plain(std::string line) {
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
inline std::vector<Call> calls_in(const std::vector<Documented>& lines) {
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

}  // namespace dragoman
