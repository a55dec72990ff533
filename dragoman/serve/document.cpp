#include "dragoman/serve/document.h"

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

  // A gap is shown with what follows it: until then nobody knows what that will be.
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

}  // namespace

std::unique_ptr<Document> plain_document(const std::string& text, const std::string& source,
                                         const std::string& target) {
  return std::make_unique<Plain>(text, source, target);
}

}  // namespace dragoman::serve
