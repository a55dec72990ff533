#include "dragoman/serve/api/document.h"

#include <utility>

#include "dragoman/text/html/markup.h"
#include "dragoman/text/sentences.h"

namespace dragoman::serve {
namespace {

class Plain final : public Document {
 public:
  Plain(const std::string& text, std::string source, std::string target)
      : layout_(text::cut_sentences(text, source)), source_(std::move(source)), target_(std::move(target)) {}

  const std::vector<std::string>& sentences() const override { return layout_.sentences; }

  std::string assembled(std::span<const Rendering> renderings) const override {
    return put_together(layout_, texts_of(renderings));
  }

  // A gap (the text between two sentences) is shown only with the sentence that follows it: before that, it is not
  // known how the gap is translated.
  std::string beginning(std::span<const Rendering> done, const std::string& partial) const override {
    std::vector<std::string> texts = texts_of(done);
    if (!partial.empty()) texts.push_back(partial);
    if (texts.empty()) return "";
    const auto count = static_cast<std::ptrdiff_t>(texts.size());
    text::Layout first{.gaps = {layout_.gaps.begin(), layout_.gaps.begin() + count},
                       .sentences = {layout_.sentences.begin(), layout_.sentences.begin() + count}};
    first.gaps.emplace_back();
    return put_together(first, texts);
  }

 private:
  static std::vector<std::string> texts_of(std::span<const Rendering> renderings) {
    std::vector<std::string> texts;
    for (const Rendering& rendering : renderings) texts.push_back(rendering.text);
    return texts;
  }
  std::string put_together(const text::Layout& layout, const std::vector<std::string>& texts) const {
    return text::put_together(layout, texts, source_, target_);
  }

  text::Layout layout_;
  std::string source_, target_;
};

// Each unit of the fragment is a text with sentences of its own.
class Html final : public Document {
 public:
  Html(const std::string& text, std::string source, std::string target)
      : markup_(text), source_(std::move(source)), target_(std::move(target)) {
    for (const text::Unit& unit : markup_.units()) {
      const text::Layout& layout = layouts_.emplace_back(text::cut_sentences(unit.text, source_));
      sentences_.insert(sentences_.end(), layout.sentences.begin(), layout.sentences.end());
      wants_links_ = wants_links_ || !unit.tags.empty();
    }
  }

  const std::vector<std::string>& sentences() const override { return sentences_; }
  bool wants_links() const override { return wants_links_; }

  std::string assembled(std::span<const Rendering> renderings) const override {
    std::vector<text::Translation> translations;
    for (std::size_t u = 0; u < layouts_.size(); ++u) {
      const std::size_t count = layouts_[u].sentences.size();
      translations.push_back(unit_translation(u, renderings.first(count)));
      renderings = renderings.subspan(count);
    }
    return markup_.put_back(translations);
  }

  // The place of tags is not known before the end, so nothing is shown early.
  std::string beginning(std::span<const Rendering>, const std::string&) const override { return ""; }

 private:
  text::Translation unit_translation(std::size_t u, std::span<const Rendering> renderings) const {
    std::vector<std::string> texts;
    for (const Rendering& rendering : renderings) texts.push_back(rendering.text);
    text::Translation translation{.text = text::put_together(layouts_[u], texts, source_, target_)};
    std::size_t source_at = 0, target_at = 0;  // where the search for the current sentence starts
    for (std::size_t i = 0; i < renderings.size(); ++i) {
      const std::string& sentence = layouts_[u].sentences[i];
      source_at = markup_.units()[u].text.find(sentence, source_at);
      target_at = translation.text.find(texts[i], target_at);
      for (text::TextLink link : sentence_links(sentence, renderings[i])) {
        translation.links.push_back({.source = {source_at + link.source.begin, source_at + link.source.end},
                                     .target = {target_at + link.target.begin, target_at + link.target.end}});
      }
      source_at += sentence.size();
      target_at += texts[i].size();
    }
    return translation;
  }
  static std::vector<text::TextLink> sentence_links(const std::string& sentence, const Rendering& rendering) {
    std::vector<std::pair<std::int64_t, std::int64_t>> alignment;
    for (const decode::WordLink& link : rendering.links) alignment.emplace_back(link.source, link.target);
    return text::link_words(sentence, rendering.text, alignment);
  }

  text::Markup markup_;
  std::string source_, target_;
  std::vector<text::Layout> layouts_;  // of each unit
  std::vector<std::string> sentences_;
  bool wants_links_ = false;
};

}  // namespace

std::unique_ptr<Document> html_document(const std::string& text, const std::string& source, const std::string& target) {
  return std::make_unique<Html>(text, source, target);
}

std::unique_ptr<Document> plain_document(const std::string& text, const std::string& source,
                                         const std::string& target) {
  return std::make_unique<Plain>(text, source, target);
}

}  // namespace dragoman::serve
