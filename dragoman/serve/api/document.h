// A text that comes to be translated: its sentences, and what lies between them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dragoman/decode/inside/alignment.h"

namespace dragoman::serve {

// What became of a sentence: its text, and which of its words come from which.
struct Rendering {
  std::string text;
  std::vector<decode::Link> links = {};  // of words between spaces, both counted from 0; for markup only
};

class Document {
 public:
  virtual ~Document() = default;

  virtual const std::vector<std::string>& sentences() const = 0;
  // Whether renderings are to have links.
  virtual bool wants_links() const { return false; }

  // The whole, translated; one rendering for each sentence.
  virtual std::string assembled(std::span<const Rendering> renderings) const = 0;
  // What the whole will begin with, once the first sentences are done and the next one begins with `partial`.
  virtual std::string beginning(std::span<const Rendering> done, const std::string& partial) const = 0;
};

// Paragraphs, with their layout. Languages are BCP 47 tags, or empty.
std::unique_ptr<Document> plain_document(const std::string& text, const std::string& source, const std::string& target);
// A fragment of HTML, with its tags.
std::unique_ptr<Document> html_document(const std::string& text, const std::string& source, const std::string& target);

}  // namespace dragoman::serve
