#include "bench/flags.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "dragoman/backend/instructions.h"
#include "dragoman/base/error.h"

namespace dragoman::bench {

void read_flags(int argc, char** argv, const std::string& purpose, const std::vector<Flag>& flags) {
  CLI::App program(purpose);
  for (const Flag& flag : flags) {
    CLI::Option* option = std::visit(
        [&](auto* value) {
          if constexpr (std::is_same_v<decltype(value), bool*>) {
            return program.add_flag(flag.name, *value, flag.help);
          } else {
            return program.add_option(flag.name, *value, flag.help);
          }
        },
        flag.value);
    option->required(flag.rule.required);
    if (flag.rule.positive) option->check(CLI::PositiveNumber);
    if (!flag.rule.choices.empty()) option->check(CLI::IsMember(flag.rule.choices));
  }
  std::string instructions;
  program.add_option("--instructions", instructions, "CPU instructions to use instead of the best, such as avx2");
  try {
    program.parse(argc, argv);
    if (!instructions.empty()) use_instructions(instructions);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::exit(2);
  } catch (const CLI::ParseError& error) {
    std::exit(program.exit(error));
  }
}

}  // namespace dragoman::bench
