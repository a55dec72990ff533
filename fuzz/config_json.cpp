// Fuzzes the reader of a model's config.json: for any bytes, the result describes a model that can be made, or reading
// throws an Error.
#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/model/info.h"
#include "fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  static const fuzz::ScratchFile scratch("config.json");
  scratch.hold(fuzz::as_text(data, size));
  try {
    const model::ModelInfo info = model::read_info(scratch.directory());
    settings_to_json(info.config).dump();
    Json::parse(info.provenance);
  } catch (const Error&) {
  }
  return 0;
}
