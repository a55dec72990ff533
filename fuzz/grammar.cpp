// Fuzzes grammars for the demo's corpus: for any text, the grammar makes sentences, or reading or using it throws an
// Error.
#include "dragoman/data/grammar.h"

#include "dragoman/base/error.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  try {
    const data::Grammar grammar(fuzz::as_text(data, size), "fuzzed.grammar");
    RandomStream random(1);
    for (int i = 0; i < 10; ++i) {
      const data::Derivation derivation = grammar.derive(random);
      for (const int rule : derivation.rules) fuzz::check(rule >= 0 && rule < grammar.rule_count());
      for (const int word : derivation.words) fuzz::check(word >= 0 && word < grammar.word_count());
      grammar.unseen(derivation);
    }
  } catch (const Error&) {
  }
  return 0;
}
