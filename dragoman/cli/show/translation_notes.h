// What `dragoman translate` says on standard error while it translates: sentences and a progress bar.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "dragoman/cli/show/progress.h"

namespace dragoman::cli {

// All functions may be called from any thread.
class TranslationNotes {
 public:
  // With `quiet` it says nothing.
  explicit TranslationNotes(bool quiet) : quiet_(quiet) {}

  bool can_show_progress() const;
  // Shows a bar from now on, if possible. `total` returns the number of lines, or 0 as long as it is not known.
  void begin_progress(std::function<std::int64_t()> total);
  // The number of lines that are done.
  void show(std::int64_t done);
  void say(const std::string& sentence);
  // Ends the bar.
  void finish();

 private:
  const bool quiet_;
  std::mutex mutex_;
  std::function<std::int64_t()> total_;
  std::optional<ProgressLine> progress_;
};

}  // namespace dragoman::cli
