// Fuzzes the reader of a model's languages.json: for any bytes, the profiles can recognise a text and are the same
// after writing and reading again, or reading throws an Error.
#include "dragoman/model/languages.h"

#include "dragoman/base/error.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  static const fuzz::ScratchFile scratch("languages.json");
  static const fuzz::ScratchFile copy("languages.json");
  scratch.hold(fuzz::as_text(data, size));
  try {
    const std::vector<std::string> tags{"en", "de", "zh-Hant"};
    const auto languages = model::read_languages(scratch.directory(), tags);
    fuzz::check(languages.size() == tags.size());
    double together = 0;
    for (const text::LanguageGuess& guess : text::detect("a cat, and nothing more", languages)) {
      fuzz::check(guess.confidence >= 0);
      together += guess.confidence;
    }
    fuzz::check(together < 100.001);
    model::write_languages(copy.directory(), languages);
    const auto again = model::read_languages(copy.directory(), tags);
    for (std::size_t i = 0; i < tags.size(); ++i) fuzz::check(again[i].profile == languages[i].profile);
  } catch (const Error&) {
  }
  return 0;
}
