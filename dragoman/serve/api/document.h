// A text to be translated: its sentences, and the layout or markup around them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dragoman/decode/inside/alignment.h"

namespace dragoman::serve {

// The translation of a sentence: its text, and which of its words come from which source words.
struct Rendering {
  std::string text;
  // Pairs of words by their numbers: words are separated by spaces and counted from 0. Only for markup.
  std::vector<decode::WordLink> links = {};
};

class Document {
 public:
  virtual ~Document() = default;

  virtual const std::vector<std::string>& sentences() const = 0;
  // Whether renderings must have links.
  virtual bool wants_links() const { return false; }

  // The whole text, translated. There is one rendering per sentence.
  virtual std::string assembled(std::span<const Rendering> renderings) const = 0;
  // The beginning of the translated text, when the first sentences are translated and the translation of the next
  // begins with `partial`. What it returns will not change any more.
  virtual std::string beginning(std::span<const Rendering> done, const std::string& partial) const = 0;
};

// Plain text: keeps paragraphs and their layout. Languages are BCP 47 tags, or empty.
std::unique_ptr<Document> plain_document(const std::string& text, const std::string& source, const std::string& target);
// A fragment of HTML: keeps its tags.
std::unique_ptr<Document> html_document(const std::string& text, const std::string& source, const std::string& target);

}  // namespace dragoman::serve
