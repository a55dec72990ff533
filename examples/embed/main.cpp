// Shows how to translate from your own program: reads lines, and prints the translation and its score for each.
#include <dragoman/base/error.h>
#include <dragoman/decode/lines/translator.h>

#include <iostream>
#include <stop_token>
#include <string>

namespace {

void translate(const std::string& directory) {
  dragoman::decode::TranslatorOptions options;
  options.search.beam = 4;
  dragoman::decode::Translator translator(directory, options);

  // If all lines are available:
  //   const std::vector<dragoman::decode::TranslatedLine> results = translator.translate(lines);
  // If lines are still arriving (needs bounded memory; the first function is called from another thread):
  translator.translate([](dragoman::decode::SourceLine& line,
                          const std::stop_token&) { return static_cast<bool>(std::getline(std::cin, line.text)); },
                       [](const dragoman::decode::TranslatedLine& line) {
                         std::cout << line.number << '\t' << line.text << '\t' << line.score << std::endl;
                       });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::string(argv[1]) == "--help") {
    std::cout << "usage: embed MODEL < TEXT\nPrints number, translation and score of each line, with tabs between.\n";
    return argc == 2 ? 0 : 2;
  }
  try {
    translate(argv[1]);
  } catch (const dragoman::Error& error) {
    std::cerr << "embed: " << error.what() << '\n';
    return 1;
  }
}
