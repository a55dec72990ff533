#include "dragoman/train/live_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "dragoman/base/clock.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/train/report/table.h"
#include "dragoman/train/run_report.h"

namespace dragoman::train {
namespace {

// A page is written at most this often, and takes at most one part in kMinShare of the time.
constexpr double kMinSeconds = 10, kMinShare = 500;

std::string ending_text(Ending ending, const std::string& step) {
  switch (ending) {
    case Ending::kAllSteps: return "Finished: all " + step + " steps.";
    case Ending::kMinutes: return "Stopped at step " + step + ": the time limit is reached.";
    case Ending::kPatience: return "Finished at step " + step + ": validation did not improve any more.";
    case Ending::kStopped: return "Stopped at step " + step + "; the run can be continued.";
  }
  return "";
}

// The device, as the run knows it.
std::string machine_text(const PreparedRun& run) {
  if (run.on->device().kind == Device::Kind::kCpu) {
    return fmt::format("CPU, {}, float32{}", counted(run.on->threads(), "thread").text(),
                       run.settings().run.bf16_products() ? " with products of bfloat16" : "");
  }
  const bool rounds = run.settings().run.device_and_type().dtype == DType::kBFloat16;
  return fmt::format("{}, {}", device_name(run.on->device()), rounds ? "bfloat16" : "float32");
}

}  // namespace

void LiveReport::add_pause(double seconds) { pause_ = std::max(pause_, seconds); }

bool LiveReport::is_due() const { return clock_seconds() - written_ >= std::max(kMinSeconds, kMinShare * cost_); }

RunStatus LiveReport::status(const Stage& stage) const {
  const std::string step = with_thousands(stage.step);
  if (!stage.failure.empty()) return {.text = join("Failed at step ", step, ": ", stage.failure)};
  if (stage.ending) return {.text = ending_text(*stage.ending, step)};
  return {.text = join("Training: step ", step, " of ", with_thousands(run_.settings().training.steps), "."),
          .is_running = true,
          .written = unix_time(),
          .seconds_until = std::max({kMinSeconds, kMinShare * cost_, pause_})};
}

void LiveReport::write(const Stage& stage) {
  const double start = clock_seconds();
  ReportFacts facts = facts_of(run_.settings(), run_.config);
  facts.machine = machine_text(run_);
  facts.status = status(stage);
  replace_file(run_.directory() / "report.html", report_html(read_metrics(run_.metrics_file()), facts));
  if (run_.settings().machine.csv) {
    replace_file(run_.directory() / "metrics.csv", records_csv(read_records(run_.metrics_file())));
  }
  written_ = clock_seconds();
  cost_ = written_ - start;
}

}  // namespace dragoman::train
