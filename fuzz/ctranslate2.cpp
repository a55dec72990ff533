// Fuzzes the reader of CTranslate2's models: for any bytes, every variable is read and the network described, or the
// file is refused.
#include "dragoman/model/foreign/ctranslate2.h"

#include "dragoman/base/error.h"
#include "dragoman/model/foreign/network.h"
#include "fuzz/check.h"
#include "fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  using namespace model::foreign;
  const std::string text(fuzz::as_text(data, size));
  try {
    parse_ctranslate2_config(text, "config.json");
  } catch (const Error&) {
  }
  try {
    const CTranslate2File file = read_ctranslate2(memory_bytes(text, "model.bin"));
    for (const auto& [name, tensor] : file.variables) {
      fuzz::check(floats_of(tensor).size() <= size);
    }
    const Network network = ctranslate2_network(file, ctranslate2_config_of(file), "model.bin");
    fuzz::check(network.width % network.encoder_heads == 0);
  } catch (const Error&) {
  }
  return 0;
}
