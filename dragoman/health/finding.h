// What a check of `dragoman doctor` found: in words for people, and as names and numbers for programs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dragoman::health {

// An error makes a command fail or its result worthless. A warning is something that should be looked at.
enum class Level : std::uint8_t { kGood, kWarning, kError };
constexpr std::array<std::string_view, 3> names(Level) { return {"ok", "warning", "error"}; }

// A place in a text that shows the finding.
struct Example {
  std::string file;
  std::int64_t line = 0;  // from 1
  std::string text = {};  // a part of the line, in quotes, with escapes for what cannot be printed
  std::string note = {};  // what else belongs to it, such as "repeats line 3"

  bool operator==(const Example&) const = default;
};

struct Finding {
  std::string check;  // the name of the check, such as "duplicates"
  Level level = Level::kGood;
  std::string text = {};    // what was found
  std::string advice = {};  // what to do about it; empty if there is nothing to do
  // If the finding is about some of many things, such as lines: how many, and of how many.
  std::optional<std::int64_t> count = std::nullopt, of = std::nullopt;
  std::vector<Example> examples = {};
};

// A value for programs; null if unknown.
struct Fact {
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;
  std::string name;
  Value value;
};

// All that is known about one thing: the processor, a model, a text.
struct Section {
  std::string name = {};   // for programs, such as "processor"
  std::string title = {};  // for people
  std::vector<Fact> facts = {};
  std::vector<Finding> findings = {};

  std::int64_t count(Level level) const { return std::ranges::count(findings, level, &Finding::level); }
};

// Whether the user asked for something by a flag. A check that was asked for is an error if it fails. The same check
// is a warning if it is made anyway.
enum class Asked : std::uint8_t { kNo, kYes };
inline Level failure(Asked asked) { return asked == Asked::kYes ? Level::kError : Level::kWarning; }

}  // namespace dragoman::health
