// Fuzzes the reader of a tokenizer's file: for any bytes, the result is a tokenizer that can encode and decode text, or
// reading throws an Error.
#include "dragoman/text/tokenizer.h"

#include <algorithm>
#include <cstdlib>

#include "dragoman/array/tokens.h"
#include "dragoman/base/error.h"
#include "fuzz/scratch_file.h"

namespace dragoman::fuzz {
namespace {

// A word that the seeds contain, other words, a tab, the text of a special token, and a byte that is not UTF-8.
constexpr std::string_view kText =
    "the cat's  Stra\xC3\x9F"
    "e \xE4\xB8\xAD\xE6\x96\x87\t<s> \xE2\x96\x81 \xFF";

void use(const text::Tokenizer& tokenizer, const std::vector<std::int32_t>& ids) {
  std::int32_t previous = kBos;
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= tokenizer.size()) std::abort();
    tokenizer.id(tokenizer.piece(id));
    tokenizer.begins_word(previous, id);
    tokenizer.piece_after(previous, id);
    previous = id;
  }
  tokenizer.decode(ids);
}

}  // namespace
}  // namespace dragoman::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  try {
    const auto tokenizer = text::Tokenizer::from_bytes(std::string(fuzz::as_text(data, size)), "tokenizer.model");
    fuzz::use(tokenizer, tokenizer.encode(fuzz::kText));
    RandomStream random(1, 0, 0);
    fuzz::use(tokenizer, tokenizer.sample(fuzz::kText, 0.3, random));
    std::vector<std::int32_t> first;
    for (std::int32_t id = 0; id < std::min<std::int64_t>(tokenizer.size(), 300); ++id) first.push_back(id);
    fuzz::use(tokenizer, first);
  } catch (const Error&) {
  }
  return 0;
}
