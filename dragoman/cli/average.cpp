// dragoman average: averages the last checkpoints of a run, into a new model or in place.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "dragoman/base/fields_json.h"
#include "dragoman/base/files.h"
#include "dragoman/base/new_directory.h"
#include "dragoman/base/strings.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/model/files/directory.h"
#include "dragoman/model/files/languages.h"
#include "dragoman/model/files/search.h"
#include "dragoman/model/files/words.h"
#include "dragoman/train/average.h"
#include "dragoman/train/publish.h"

namespace dragoman::cli {
namespace {

namespace fs = std::filesystem;

struct AverageOptions {
  std::string model;
  int last = 5;
  std::string output;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("model", directory_name(model), "directory of a training run");
    field("last", last, "number of checkpoints to average");
    field("output", directory_name(output),
          "directory for the averaged model, new or empty; by default the mean replaces the model of the run");
  }
};

void average(CommandSettings& settings) {
  settings.read_file();
  AverageOptions options;
  settings.apply(options);
  require<UsageError>(options.last > 0, "last is ", options.last, "; it must be above 0.");
  model::read_info(options.model);  // throws if this is not a model
  const DirectoryLock lock(options.model);
  model::ModelInfo info = model::read_info(options.model);
  const std::vector<train::Checkpoint> checkpoints = train::scheduled_checkpoints(options.model);
  require<UsageError>(!checkpoints.empty(), "'", options.model,
                      "' has no checkpoints; name the directory of a training run.");
  require<UsageError>(static_cast<int>(checkpoints.size()) >= options.last, "'", options.model, "' has ",
                      counted(std::ssize(checkpoints), "checkpoint"), ", but ", options.last,
                      options.last == 1 ? " was" : " were",
                      " asked for; train with a larger --keep, or ask for fewer.");
  std::vector<fs::path> files;
  std::string steps;
  for (std::size_t i = checkpoints.size() - static_cast<std::size_t>(options.last); i < checkpoints.size(); ++i) {
    train::read_state(checkpoints[i]);  // throws if it is damaged
    files.push_back(train::weights_of(checkpoints[i]));
    steps += join(steps.empty() ? "" : ", ", checkpoints[i].step);
  }
  Json provenance = parse_json(info.provenance, "the provenance of a model");
  const std::string what =
      join(options.last == 1 ? "the checkpoint of step " : "the mean of the checkpoints of steps ", steps);
  provenance["weights"] = what;
  info.provenance = provenance.dump();
  // The weights are written first. If the program is killed before the info is written, the model is still complete;
  // only the description of its weights is old.
  const auto write = [&](const fs::path& directory) {
    train::average_weights(files, model::weights_file(directory));
    model::write_info(directory, info);
  };
  if (options.output.empty()) {
    write(options.model);
  } else {
    make_new_directory(options.output, [&](const fs::path& unfinished) {
      model::write_tokenizers(unfinished, model::read_tokenizers(options.model), info.joint_vocabulary);
      model::copy_languages(options.model, unfinished);
      model::copy_words(options.model, unfinished);
      model::copy_search(options.model, unfinished);
      write(unfinished);
    });
  }
  const fs::path output = options.output.empty() ? options.model : options.output;
  print(fmt::format("wrote {} to '{}'\n", what, model::weights_file(output).string()));
}

}  // namespace

void add_average(CLI::App& program) {
  CommandSettings& settings = add_command(program, "average", "average the last checkpoints of a run", average);
  settings.add_flags(AverageOptions{}, "Options");
  settings.require_keys({"model"});
  settings.add_examples({{"average the last three checkpoints into a new model",
                          "dragoman average --model english-german --last 3 --output english-german-mean"},
                         {"put the mean of the last two in place of the model of the run",
                          "dragoman average --model english-german --last 2"}});
}

}  // namespace dragoman::cli
