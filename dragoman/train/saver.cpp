#include "dragoman/train/saver.h"

#include <chrono>
#include <filesystem>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/strings.h"
#include "dragoman/base/threads.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/info.h"
#include "dragoman/params/parameter_block.h"
#include "dragoman/train/publish.h"
#include "dragoman/version.h"

namespace dragoman::train {
namespace {

namespace fs = std::filesystem;

// All arrays with the tensors of a checkpoint.
std::vector<Array> saved_arrays(const PreparedRun& run) {
  std::vector<Array> arrays{run.block->values()};
  for (const optim::Moment& moment : run.trainer->optimiser().moments()) arrays.push_back(moment.values);
  if (!run.trainer->average().absent()) arrays.push_back(run.trainer->average());
  for (const params::NamedTensor& buffer : run.block->buffer_tensors()) arrays.push_back(buffer.values);
  return arrays;
}

std::future_status state_of(const std::future<std::string>& future) { return future.wait_for(std::chrono::seconds(0)); }

}  // namespace

Saver::Saver(PreparedRun& run) : run_(run) {
  if (run.state.plan.snapshot > 0) snapshot_ = std::make_unique<Snapshot>(*run.on, saved_arrays(run));
}

void Saver::save(const Parts& parts) {
  finish();
  job_ = job_of(parts);
  if (!snapshot_) {
    published_ = write(job_);
    return;
  }
  snapshot_->take();
  move_to_snapshot(job_);
  // If the system cannot start a thread, the work is deferred to finish().
  writing_ = std::async(std::launch::async | std::launch::deferred, [this] {
    flush_denormals();  // as the thread that trains does, so that both would write the same bytes
    return write(job_);
  });
  if (state_of(writing_) == std::future_status::deferred) finish();
}

void Saver::finish() {
  if (writing_.valid()) published_ = writing_.get();
}

void Saver::finish_if_ended() {
  if (writing_.valid() && state_of(writing_) == std::future_status::ready) finish();
}

void Saver::publish() { published_ = publish(job_of({})); }

Saver::Job Saver::job_of(const Parts& parts) const {
  Job job{.parts = parts, .on = run_.on.get(), .state = run_.state, .tensors = run_.tensors(), .average = {}};
  if (!run_.trainer->average().absent()) {
    job.average = run_.block->with_buffers(run_.block->tensors_in(run_.trainer->average()));
  }
  return job;
}

void Saver::move_to_snapshot(Job& job) const {
  job.on = &snapshot_->reader();
  for (std::vector<params::NamedTensor>* tensors : {&job.tensors.weights, &job.tensors.moments, &job.average}) {
    for (params::NamedTensor& tensor : *tensors) tensor.values = snapshot_->copy_of(tensor.values);
  }
}

// The records are flushed before the checkpoint is written, so that no checkpoint is ever without them, and so are the
// best weights. If the run is killed in between, it resumes from the checkpoint before and writes them again.
std::string Saver::write(const Job& job) const {
  const fs::path& directory = run_.directory();
  if (job.parts.best) {
    write_best(directory, job.state.step, *job.on, job.average.empty() ? job.tensors.weights : job.average);
  }
  if (!job.parts.checkpoint) return published_;
  run_.metrics->flush();
  write_checkpoint(directory, job.state.step, *job.on, job.tensors, to_json(job.state));
  tidy(directory, job.state);
  return publish(job);
}

std::string Saver::publish(const Job& job) const {
  const RunState& state = job.state;
  const TextSettings& text = state.settings.text;
  std::string weights = publish_weights(run_.directory(), state, *job.on, job.tensors.weights, job.average);
  Json provenance;
  provenance["program"] = join("dragoman ", kVersion, " (", kCommit, ")");
  provenance["steps"] = state.step;
  provenance["target_tokens"] = state.target_tokens;
  provenance["weights"] = weights;
  provenance["text"] = state.text_key;
  model::write_info(run_.directory(), {.config = run_.config,
                                       .source_language = text.source_language,
                                       .target_language = text.target_language,
                                       .joint_vocabulary = state.settings.run.joint_vocabulary,
                                       .seed = state.settings.training.seed,
                                       .provenance = provenance.dump()});
  return weights;
}

bool Saver::is_published() {
  if (run_.request.allow_changes || !fs::exists(model::weights_file(run_.directory()))) return false;
  try {
    const Json provenance = try_parse_json(model::read_info(run_.directory()).provenance);
    if (!provenance.is_object() || provenance.value("steps", std::int64_t{-1}) != run_.state.step) return false;
    published_ = provenance.value("weights", "");
  } catch (const Error&) {  // config.json is missing or damaged
    return false;
  } catch (const nlohmann::json::exception&) {  // an entry has another type
    return false;
  }
  return !published_.empty();
}

}  // namespace dragoman::train
