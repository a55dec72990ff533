// Fuzzes the readers of other programs' vocabularies and of BPE codes: any text is read or refused, and BPE keeps the
// text of a word. The first byte selects the format.
#include "dragoman/model/foreign/dictionary.h"

#include "dragoman/base/error.h"
#include "dragoman/text/pieces/bpe_codes.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

namespace dragoman::fuzz {
namespace {

using namespace model::foreign;
using text::BpeCodes;

void check_dictionary(const Dictionary& dictionary) {
  for (std::int32_t id = 0; id < dictionary.size(); ++id) {
    check(dictionary.id(dictionary.tokens()[static_cast<std::size_t>(id)]) == id);
  }
}

void check_codes(const BpeCodes& codes) {
  for (const std::string word : {"lower",
                                 "\xC3\xBC"
                                 "berlow",
                                 "l", "lolololo"}) {
    check(BpeCodes::join_pieces(codes.split(word)) == word);
  }
}

}  // namespace
}  // namespace dragoman::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman::fuzz;
  if (size == 0) return 0;
  const std::string_view text = as_text(data + 1, size - 1);
  try {
    switch (*data % 5) {
      case 0: check_dictionary(parse_fairseq_dictionary(text, "x")); break;
      case 1: check_dictionary(parse_vocab_json(text, "x")); break;
      case 2: check_dictionary(parse_ctranslate2_vocabulary_json(text, "<unk>", "x")); break;
      case 3: check_dictionary(parse_ctranslate2_vocabulary_text(text, "<unk>", "x")); break;
      default: check_codes(BpeCodes(text, "x"));
    }
  } catch (const dragoman::Error&) {
  }
  return 0;
}
