#include "dragoman/data/parallel_text.h"

#include <algorithm>

#include "dragoman/base/error.h"
#include "dragoman/base/strings.h"

namespace dragoman::data {

void ParallelFiles::validate() const {
  require<UsageError>(weight >= 0.001 && weight <= 1000, "the weight of '", source, "' is ", weight,
                      "; it must be from 0.001 to 1000.");
}

ParallelReader::ParallelReader(const ParallelFiles& files) : source_(files.source) {
  if (!files.target.empty()) target_.emplace(files.target);
}

bool ParallelReader::next(std::string& source, std::string& target) {
  const bool more = source_.next(source);
  if (!target_) {
    if (more) split(source, target);
    return more;
  }
  if (target_->next(target) != more) throw_line_count_mismatch();
  return more;
}

void ParallelReader::split(std::string& source, std::string& target) const {
  const auto tabs = std::ranges::count(source, '\t');
  require<UsageError>(tabs == 1, "line ", source_.line(), " of ", source_.name(), " has ", counted(tabs, "tab"),
                      "; each line must be a source sentence, one tab and a target sentence.");
  const std::size_t tab = source.find('\t');
  target.assign(source, tab + 1);
  source.resize(tab);
}

void ParallelReader::throw_line_count_mismatch() {
  // Counts the remaining lines, because the full counts show best what happened to the files.
  std::string rest;
  while (source_.next(rest)) continue;
  while (target_->next(rest)) continue;
  const std::string_view advice = "; parallel files must have the same number of lines, one sentence on each.";
  const bool no_source = source_.line() == 0;
  const text::LineReader &one = no_source ? *target_ : source_, &other = no_source ? source_ : *target_;
  require<UsageError>(other.line() > 0, other.name(), " is empty, but ", one.name(), " has ",
                      counted(one.line(), "line"), advice);
  throw UsageError(join(source_.name(), " has ", counted(source_.line(), "line"), " but ", target_->name(), " has ",
                        with_thousands(target_->line()), advice));
}

}  // namespace dragoman::data
