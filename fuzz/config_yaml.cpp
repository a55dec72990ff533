// Fuzzes the reader of --config files (YAML): for any bytes, the file sets only listed settings, or reading throws an
// Error.
#include "dragoman/base/error.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/model/model_config.h"
#include "dragoman/model/transformer/config.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/train/settings.h"
#include "fuzz/scratch_file.h"

namespace dragoman::fuzz {
namespace {

void read_configuration(const std::string& path) {
  const auto command = cli::command_for_tests();
  cli::CommandSettings settings(*command);
  settings.allow_in_file(model::ModelConfig(model::TransformerConfig()));
  settings.allow_in_file(model::TrainingConfig());
  settings.allow_in_file(text::TokenizerSettings());
  settings.allow_in_file(train::TextSettings());
  cli::parse(*command, {"--config", path});
  settings.read_file();
  model::ModelConfig model = model::TransformerConfig();
  model::TrainingConfig training;
  text::TokenizerSettings tokenizer;
  train::TextSettings text;
  settings.apply(model);
  settings.apply(training);
  settings.apply(tokenizer);
  settings.apply(text);
  model.validate();
  training.validate();
}

}  // namespace
}  // namespace dragoman::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  static const fuzz::ScratchFile scratch("config.yaml");
  scratch.hold(fuzz::as_text(data, size));
  try {
    fuzz::read_configuration(scratch.path().string());
  } catch (const Error&) {
  }
  return 0;
}
