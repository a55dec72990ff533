// dragoman doctor: looks for what is wrong with this machine, with models and with texts, and says what to do.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/json_text.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/health_report.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/cli/show/progress.h"
#include "dragoman/health/corpus_findings.h"
#include "dragoman/health/machine.h"
#include "dragoman/health/model.h"
#include "dragoman/health/port.h"
#include "dragoman/model/registry/registry.h"

namespace dragoman::cli {
namespace {

using health::Asked;
using health::Level;
using health::Section;

// Those of `serve`.
constexpr const char* kDefaultAddress = "127.0.0.1";
constexpr int kDefaultPort = 8080;

struct DoctorOptions {
  std::vector<std::string> model;
  std::string sentence;
  std::string test_source, test_target, test_pairs;
  std::string preset;
  DeviceChoice device = DeviceChoice::kCpu;
  int threads = 0;
  std::string address;
  int port = kDefaultPort;
  bool strict = false;
  bool json = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model), "directory of a model to check; may be repeated");
    field("sentence", sentence, "text to translate as a trial; by default one that training validated with");
    field("test-source", file_name(test_source), "test text of the source language, which must not be trained on");
    field("test-target", file_name(test_target), "translation of test-source");
    field("test-pairs", file_name(test_pairs), "test text as lines of source, tab, target");
    field("preset", preset, "model whose training memory is estimated; by default the first preset, base");
    field("device", device, "device that you want to compute on: cpu, or cuda for an NVIDIA GPU");
    field("threads", threads, "threads to use; 0 for all");
    field("address", address, "address that a server would listen on; by default 127.0.0.1");
    field("port", port, "port that a server would listen on");
    field("strict", strict, "exit with status 1 if there is a warning, not only if there is an error");
    field("json", json, "print JSON");
  }

  void validate() const {
    require_between("port", port, 1, 65535);
    require<UsageError>(threads >= 0 && threads <= 1024, "threads is ", threads, "; it must be from 0 to 1024.");
    require<UsageError>(test_pairs.empty() || test_source.empty(),
                        "the test text is given twice; use either test-pairs or test-source and test-target.");
    require<UsageError>(test_source.empty() == test_target.empty(),
                        "a test text needs both test-source and test-target.");
  }
  bool has_test() const { return !test_source.empty() || !test_pairs.empty(); }
  data::ParallelFiles test_files() const {
    return test_pairs.empty() ? data::ParallelFiles{test_source, test_target} : data::ParallelFiles{test_pairs, ""};
  }
};

// Keys of `train` that a configuration may hold and that are not needed here, except for the architecture.
struct TrainKeys {
  std::string arch, init;
  bool allow_changes = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("arch", arch, "");
    field("init", init, "");
    field("allow-changes", allow_changes, "");
  }
};

// Sections in order. As text, each is printed at once; as JSON, all together at the end.
class Results {
 public:
  explicit Results(bool json) : json_(json) {}

  void add(Section section) {
    if (!json_) {
      print(section_text(section));
      flush_output();
    }
    sections_.push_back(std::move(section));
  }
  // Throws an Error if there is an error, or with `strict` a warning.
  void finish(bool strict) {
    print(json_ ? json_text(health_json(sections_), 2) + "\n" : summary_text(sections_) + "\n");
    flush_output();
    std::int64_t errors = 0, warnings = 0;
    for (const Section& section : sections_) {
      errors += section.count(Level::kError);
      warnings += section.count(Level::kWarning);
    }
    require<Error>(errors == 0, "there are errors.");
    require<Error>(!strict || warnings == 0, "there are warnings, which --strict does not allow.");
  }

 private:
  bool json_;
  std::vector<Section> sections_;
};

bool has_training(const train::TextSettings& text) {
  return !text.train_source.empty() || !text.train_target.empty() || !text.train_pairs.empty();
}

// The settings of a training run with this preset, as `train` would use them.
std::pair<std::string, train::TrainingSettings> training_settings(const CommandSettings& given,
                                                                  const std::string& name) {
  TrainKeys keys;
  given.apply(keys);
  const model::Preset& preset = name.empty() ? model::architecture(keys.arch).presets.front() : model::preset(name);
  train::TrainingSettings settings;
  settings.model = preset.model;
  settings.training = preset.training;
  train::TrainingSettings::each(settings, [&](auto& part) { given.apply(part); });
  settings.text.resolve_languages();
  settings.validate();
  return {preset.name, settings};
}

// The machine's sections are made before the first is printed, so that a wrong address is refused at once.
std::vector<Section> machine_sections(const CommandSettings& given, const DoctorOptions& options) {
  const auto asked = [](bool yes) { return yes ? Asked::kYes : Asked::kNo; };
  const health::CudaState cuda = health::this_cuda();
  auto [name, settings] = training_settings(given, options.preset);
  const bool cuda_works = !cuda.devices.empty() && cuda.problem.empty();
  if (!cuda_works) settings.run = {};  // what the CPU needs is known in any case
  Section memory = health::memory_section(health::this_memory());
  const Asked wants_to_train = asked(!options.preset.empty() || has_training(settings.text));
  health::add_need(health::need_of(name, settings), wants_to_train, memory);
  const std::string address = options.address.empty() ? kDefaultAddress : options.address;
  const bool asks_for_port = given.has_flag("port") || options.port != kDefaultPort || !options.address.empty();
  return {health::processor_section(health::this_processor(options.threads)),
          health::cuda_section(cuda, asked(options.device == DeviceChoice::kCuda)), std::move(memory),
          health::port_section(address, options.port, asked(asks_for_port))};
}

void check_models(const DoctorOptions& options, Results& results) {
  for (const std::string& directory : options.model) {
    results.add(health::model_section({.directory = directory,
                                       .sentence = options.sentence,
                                       .device = device_of(options.device),
                                       .threads = options.threads}));
  }
}

// Throws a UsageError if files are missing in a list.
health::CorpusRequest corpus_request(const DoctorOptions& options, const train::TextSettings& text) {
  health::CorpusRequest request{.threads = options.threads};
  if (has_training(text)) request.training = text.training_files();
  if (text.has_validation() || !text.valid_target.empty()) request.validation = text.validation_files();
  if (options.has_test()) request.test = options.test_files();
  return request;
}

void check_corpus(health::CorpusRequest request, const train::TextSettings& text, Results& results) {
  if (request.training.empty() && !request.validation && !request.test) return;
  std::optional<ProgressLine> progress;
  if (standard_error().terminal) progress.emplace(ProgressOptions{.unit = "pairs"});
  request.progress = [&](std::int64_t pairs) {
    if (progress) progress->show({.done = pairs, .text = "reading"});
  };
  const health::CorpusReport report = health::examine_corpus(request);
  progress.reset();
  const health::LanguageTags tags{.source = text.source_language, .target = text.target_language};
  for (Section& section : health::corpus_sections(report, tags)) results.add(std::move(section));
}

void doctor(CommandSettings& given) {
  given.read_file();
  DoctorOptions options;
  given.apply(options);
  given.require_effect("sentence", !options.model.empty(), "without --model.");
  options.validate();
  const train::TextSettings text = training_settings(given, options.preset).second.text;
  given.require_effect("train-weights", has_training(text), "without a training text.");
  const health::CorpusRequest corpus = corpus_request(options, text);
  Results results(options.json);
  for (Section& section : machine_sections(given, options)) results.add(std::move(section));
  check_models(options, results);
  check_corpus(corpus, text, results);
  results.finish(options.strict);
}

}  // namespace

void add_doctor(CLI::App& program) {
  CommandSettings& settings =
      add_command(program, "doctor", "find what is wrong with this machine, a model or a text", doctor);
  settings.add_flags(DoctorOptions{}, "Options");
  settings.add_flags(train::TextSettings{}, "Text (as for train)");
  // A file for `train` can be used here too, so its other keys are allowed.
  settings.allow_in_file(TrainKeys{});
  train::TrainingSettings run;
  train::TrainingSettings::each(run, [&](auto& part) { settings.allow_in_file(part); });
  for (const std::string& name : model::architecture_names()) {
    settings.allow_in_file(model::architecture(name).presets.front().model);
  }
  settings.add_examples({{"check this machine and a model", "dragoman doctor --model dragoman-demo"},
                         {"check a text before training on it",
                          "dragoman doctor --train-source dragoman-demo/text/train.en \\\n"
                          "  --train-target dragoman-demo/text/train.de \\\n"
                          "  --test-source dragoman-demo/text/test.en --test-target dragoman-demo/text/test.de"}});
}

}  // namespace dragoman::cli
