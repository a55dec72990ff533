#include "dragoman/model/foreign/dictionary.h"

#include <algorithm>
#include <array>
#include <limits>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/printable.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/utf8.h"

namespace dragoman::model::foreign {
namespace {

constexpr std::array<std::string_view, 100> kM2M100Languages{
    "af", "am", "ar", "ast", "az", "ba",  "be", "bg", "bn", "br", "bs", "ca", "ceb", "cs", "cy", "da", "de",
    "el", "en", "es", "et",  "fa", "ff",  "fi", "fr", "fy", "ga", "gd", "gl", "gu",  "ha", "he", "hi", "hr",
    "ht", "hu", "hy", "id",  "ig", "ilo", "is", "it", "ja", "jv", "ka", "kk", "km",  "kn", "ko", "lb", "lg",
    "ln", "lo", "lt", "lv",  "mg", "mk",  "ml", "mn", "mr", "ms", "my", "ne", "nl",  "no", "ns", "oc", "or",
    "pa", "pl", "ps", "pt",  "ro", "ru",  "sd", "si", "sk", "sl", "so", "sq", "sr",  "ss", "su", "sv", "sw",
    "ta", "th", "tl", "tn",  "tr", "uk",  "ur", "uz", "vi", "wo", "xh", "yi", "yo",  "zh", "zu"};

void require_utf8(std::string_view text, std::string_view where) {
  const auto at = first_invalid_utf8(text);
  require<Error>(!at, where, " is not UTF-8 (at byte ", at.value_or(0), ").");
}

// The lines without their ends. The last line may lack its end.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

Dictionary with_unknown(Dictionary dictionary, const std::string& unknown, std::string_view where) {
  if (!dictionary.id(unknown)) dictionary.append(unknown, where);
  return dictionary;
}

}  // namespace

Dictionary::Dictionary(std::vector<std::string> tokens, std::string_view where) {
  for (std::string& token : tokens) append(std::move(token), where);
}

std::optional<std::int32_t> Dictionary::id(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

void Dictionary::append(std::string token, std::string_view where) {
  require<Error>(tokens_.size() < std::numeric_limits<std::int32_t>::max(), where, " has too many tokens.");
  require<Error>(ids_.emplace(token, static_cast<std::int32_t>(tokens_.size())).second, where, " has the token ",
                 in_quotes(token), " twice.");
  tokens_.push_back(std::move(token));
}

Dictionary parse_fairseq_dictionary(std::string_view text, std::string_view where) {
  require_utf8(text, where);
  Dictionary dictionary({"<s>", "<pad>", "</s>", "<unk>"}, where);
  constexpr std::string_view kOverwrite = " #fairseq:overwrite";
  std::int64_t number = 0;
  for (std::string& line : lines_of(text)) {
    ++number;
    // Lines with this mark repeat a special token on purpose, and fairseq gives them an id of their own.
    require<Error>(!line.ends_with(kOverwrite), where, ", line ", number, ": '#fairseq:overwrite' is not supported.");
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    const std::size_t space = line.rfind(' ');
    require<Error>(space != std::string::npos && parse_number<std::int64_t>(line.substr(space + 1)), where, ", line ",
                   number, ": expected a token and its count.");
    dictionary.append(line.substr(0, space), where);
  }
  return dictionary;
}

Dictionary parse_vocab_json(std::string_view text, std::string_view where) {
  const Json json = parse_json(text, where);
  require<Error>(json.is_object(), where, " is not an object of tokens and ids.");
  std::vector<const std::string*> by_id(json.size(), nullptr);
  for (const auto& item : json.items()) {
    const Json& id = item.value();
    const bool is_id = id.is_number_unsigned() && id.get<std::uint64_t>() < by_id.size();
    require<Error>(is_id, where, ": the id of ", in_quotes(item.key()), " is not a number from 0 to ", json.size() - 1,
                   ".");
    const std::string*& place = by_id[id.get<std::size_t>()];
    require<Error>(place == nullptr, where, " has two tokens with the id ", id.get<std::uint64_t>(), ".");
    place = &item.key();
  }
  std::vector<std::string> tokens;
  for (const std::string* token : by_id) tokens.push_back(*token);
  return Dictionary(std::move(tokens), where);
}

Dictionary parse_ctranslate2_vocabulary_json(std::string_view text, const std::string& unknown,
                                             std::string_view where) {
  const Json json = parse_json(text, where);
  const auto is_text = [](const Json& token) { return token.is_string(); };
  require<Error>(json.is_array() && std::ranges::all_of(json, is_text), where, " is not a list of strings.");
  return with_unknown(Dictionary(json.get<std::vector<std::string>>(), where), unknown, where);
}

Dictionary parse_ctranslate2_vocabulary_text(std::string_view text, const std::string& unknown,
                                             std::string_view where) {
  require_utf8(text, where);
  std::vector<std::string> tokens = lines_of(text);
  // Windows ends lines with a carriage return; otherwise it may be a token or part of one.
  if (std::ranges::all_of(tokens, [](const std::string& token) { return token.ends_with('\r'); })) {
    for (std::string& token : tokens) token.pop_back();
  }
  return with_unknown(Dictionary(std::move(tokens), where), unknown, where);
}

std::span<const std::string_view> m2m100_languages() { return kM2M100Languages; }

std::string m2m100_token(std::string_view language) { return join("__", language, "__"); }

}  // namespace dragoman::model::foreign
