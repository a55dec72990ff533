// Reads the models of CTranslate2: model.bin, which holds named variables (binary versions 1 to 6), and config.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dragoman/model/foreign/tensor.h"

namespace dragoman::model::foreign {

struct CTranslate2File {
  int version = 0;
  std::string spec;  // the kind of model, such as "TransformerSpec"; empty in version 1
  int revision = 1;
  // Variables and their aliases. Weights that are stored as integers have their divisors. The names of version 1, which
  // were those of OpenNMT-tf, are replaced by today's.
  Tensors variables;

  // The value of a variable that is a single number; nothing if there is no such variable.
  std::optional<float> number(const std::string& name) const;
  // The value of a variable that is a text.
  std::optional<std::string> text(const std::string& name) const;
};

// Throws an Error that names the file if it is damaged, or of another format or a later version.
CTranslate2File read_ctranslate2(const Bytes& bytes);

// What the model needs around it. The defaults are CTranslate2's.
struct CTranslate2Config {
  std::string unknown = "<unk>", begin = "<s>", end = "</s>";
  std::optional<std::string> decoder_start = "<s>";  // nothing: the caller's prefix
  bool add_source_begin = false, add_source_end = false;
  float layer_norm_epsilon = 1e-5f;
};

// From config.json. Throws an Error that begins with `where` if it cannot be read, or asks for what we lack.
CTranslate2Config parse_ctranslate2_config(std::string_view text, std::string_view where);
// From the variables of a file whose version is below 6.
CTranslate2Config ctranslate2_config_of(const CTranslate2File& file);

}  // namespace dragoman::model::foreign
