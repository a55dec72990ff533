// Fuzzes plain text and HTML documents. For any bytes: if the sentences stay unchanged, so does the document; with any
// translation no tag is lost; and each beginning shown while a translation is incomplete is a prefix of the final text.
// The first byte chooses the languages.
#include "dragoman/serve/api/document.h"

#include <iterator>
#include <string_view>

#include "dragoman/text/html/markup.h"
#include "dragoman/text/html/word_images.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

namespace dragoman::fuzz {
namespace {

using serve::Document;
using serve::Rendering;

struct Languages {
  const char *source, *target;
};
constexpr Languages kLanguages[] = {{"en", "de"}, {"zh", "en"}, {"de", "ja"}, {"el", "fr"}, {"", ""}};

std::vector<Rendering> unchanged(const Document& document) {
  std::vector<Rendering> renderings;
  for (const std::string& sentence : document.sentences()) {
    check(!sentence.empty());
    renderings.push_back({.text = sentence});
  }
  return renderings;
}

// Each sentence with its words in reverse order, and links that say which word became which.
std::vector<Rendering> turned_around(const Document& document) {
  std::vector<Rendering> renderings;
  for (const std::string& sentence : document.sentences()) {
    const std::vector<text::Range> words = text::words_of(sentence);
    Rendering& rendering = renderings.emplace_back();
    for (std::size_t i = words.size(); i-- > 0;) {
      if (!rendering.text.empty()) rendering.text += ' ';
      rendering.text += sentence.substr(words[i].begin, words[i].end - words[i].begin);
      rendering.links.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(words.size() - 1 - i)});
    }
  }
  return renderings;
}

void check_html(const std::string& text, const Languages& languages) {
  const auto same = serve::html_document(text, languages.source, languages.source);
  check(same->assembled(unchanged(*same)) == text);
  const auto document = serve::html_document(text, languages.source, languages.target);
  const std::string translated = document->assembled(turned_around(*document));
  const text::Markup markup(text);
  for (const text::Unit& unit : markup.units()) {
    for (const text::InlineTag& tag : unit.tags) check(translated.find(tag.bytes) != std::string::npos);
  }
}

void check_plain(const std::string& text, const Languages& languages) {
  const auto same = serve::plain_document(text, languages.source, languages.source);
  check(same->assembled(unchanged(*same)) == text);
  const auto document = serve::plain_document(text, languages.source, languages.target);
  const std::vector<Rendering> renderings = turned_around(*document);
  const std::string translated = document->assembled(renderings);
  for (std::size_t i = 0; i < renderings.size(); ++i) {
    const std::string& next = renderings[i].text;
    check(translated.starts_with(document->beginning(std::span(renderings).first(i), next.substr(0, next.size() / 2))));
  }
}

}  // namespace
}  // namespace dragoman::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  if (size == 0) return 0;
  const fuzz::Languages& languages = fuzz::kLanguages[data[0] % std::size(fuzz::kLanguages)];
  const std::string text(fuzz::as_text(data, size).substr(1));
  fuzz::check_html(text, languages);
  fuzz::check_plain(text, languages);
  return 0;
}
