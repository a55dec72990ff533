#include "dragoman/cli/help/help.h"

#include <gtest/gtest.h>

namespace dragoman::cli {
namespace {

CommandEntry paint() {
  const auto flag = [](std::string name, std::string placeholder, std::string initial, std::string help) {
    return FlagEntry{.name = std::move(name),
                     .short_name = "",
                     .placeholder = std::move(placeholder),
                     .initial = std::move(initial),
                     .help = std::move(help),
                     .group = "Options"};
  };
  CommandEntry command{.name = "paint",
                       .full_name = "dragoman paint",
                       .help = "paint a wall",
                       .flags = {flag("--wall", "FILE,...", "", "what to paint"),
                                 flag("--colour", "red|green", "red", "the colour"), flag("--twice", "", "", "again")},
                       .arguments = {},
                       .commands = {},
                       .examples = {{"paint it", "dragoman paint --wall a \\\n  --twice"}}};
  command.flags[0].is_required = true;
  return command;
}

TEST(HelpText, ShowsWhatIsRequiredAndTheDefaults) {
  EXPECT_EQ(help_text(paint(), 80),
            "paint a wall\n\n"
            "Usage: dragoman paint --wall FILE [FLAG]...\n\n"
            "Options:\n"
            "  --wall FILE,...     what to paint (required)\n"
            "  --colour red|green  the colour (default: red)\n"
            "  --twice             again\n\n"
            "Examples:\n"
            "  paint it:\n"
            "    dragoman paint --wall a \\\n"
            "      --twice\n");
}

TEST(HelpText, BreaksLinesAtTheWidth) {
  CommandEntry command = paint();
  command.flags = {command.flags[2]};
  command.flags[0].help = "again and again and again";
  EXPECT_NE(help_text(command, 24).find("  --twice  again and\n           again and\n           again\n"),
            std::string::npos)
      << help_text(command, 24);
  command.flags[0].name = "--a-flag-whose-name-is-longer-than-the-column";
  EXPECT_NE(help_text(command, 80).find("  --a-flag-whose-name-is-longer-than-the-column\n      again"),
            std::string::npos)
      << help_text(command, 80);
}

TEST(HelpText, ShowsArgumentsThatNeedNoFlag) {
  CommandEntry command = paint();
  command.arguments = {FlagEntry{.name = "COLOUR",
                                 .short_name = "",
                                 .placeholder = "red|green",
                                 .initial = "",
                                 .help = "which colour",
                                 .group = "",
                                 .is_repeated = true}};
  const std::string help = help_text(command, 80);
  EXPECT_NE(help.find("Usage: dragoman paint --wall FILE [FLAG]... [COLOUR]...\n\nArguments:\n  [COLOUR]..."),
            std::string::npos)
      << help;
}

TEST(HelpText, ListsTheCommandsOfAGroup) {
  CommandEntry group{.name = "wall",
                     .full_name = "dragoman wall",
                     .help = "walls",
                     .flags = {},
                     .arguments = {},
                     .commands = {paint()},
                     .examples = {}};
  EXPECT_EQ(help_text(group, 80),
            "walls\n\nUsage: dragoman wall COMMAND\n\nCommands:\n  paint  paint a wall\n\n"
            "'dragoman help wall COMMAND' explains a command.\n");
}

}  // namespace
}  // namespace dragoman::cli
