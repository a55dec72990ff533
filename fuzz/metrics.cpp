// Fuzzes the reader of a training run's metrics.jsonl: for any bytes, a run that resumes keeps the records up to its
// step and adds its own, and the report can read them; or reading throws an Error.
#include "dragoman/train/report/metrics.h"

#include "dragoman/base/error.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  static const fuzz::ScratchFile scratch("metrics.jsonl");
  constexpr std::int64_t kStep = 10;
  replace_file(scratch.path(), fuzz::as_text(data, size));
  try {
    train::read_metrics(scratch.path());
  } catch (const Error&) {
  }
  try {
    train::MetricsFile file(scratch.path(), kStep);
    file.add(train::ProgressRecord{.step = kStep + 1});
    const train::TrainingRecords kept = train::read_metrics(scratch.path());
    fuzz::check(!kept.progress.empty() && kept.progress.back().step == kStep + 1);
    for (const train::Validation& record : kept.validations) fuzz::check(record.step <= kStep);
  } catch (const Error&) {
  }
  return 0;
}
