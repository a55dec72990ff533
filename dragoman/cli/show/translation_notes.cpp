#include "dragoman/cli/show/translation_notes.h"

#include <utility>

#include "dragoman/cli/show/output.h"

namespace dragoman::cli {

bool TranslationNotes::can_show_progress() const { return !quiet_ && standard_error().terminal; }

void TranslationNotes::begin_progress(std::function<std::int64_t()> total) {
  const std::lock_guard lock(mutex_);
  if (!can_show_progress()) return;
  total_ = std::move(total);
  progress_.emplace(ProgressOptions{.unit = "lines"});
}

void TranslationNotes::show(std::int64_t done) {
  const std::lock_guard lock(mutex_);
  if (progress_) progress_->show({.done = done, .total = total_(), .text = "translating"});
}

void TranslationNotes::say(const std::string& sentence) {
  const std::lock_guard lock(mutex_);
  if (quiet_) return;
  progress_ ? progress_->say(sentence) : note(sentence);
}

void TranslationNotes::finish() {
  const std::lock_guard lock(mutex_);
  progress_.reset();
}

}  // namespace dragoman::cli
