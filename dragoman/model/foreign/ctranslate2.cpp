#include "dragoman/model/foreign/ctranslate2.h"

#include <array>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/fields_json.h"
#include "dragoman/base/printable.h"

namespace dragoman::model::foreign {
namespace {

constexpr std::uint32_t kLatestVersion = 6;
constexpr std::uint16_t kLongestString = 1000;
// By their numbers in the file.
constexpr std::array kElements{Element::kF32, Element::kI8,  Element::kI16,
                               Element::kI32, Element::kF16, Element::kBF16};
// The divisor of 16-bit integers in files without one.
constexpr float kDefaultDivisor = 1000;

// A length of 16 bits, which counts the zero at the end, and the text.
std::string read_string(ByteCursor& cursor) {
  const auto bytes = cursor.number<std::uint16_t>();
  require<Error>(bytes <= kLongestString, cursor.bytes()->name(), " has a name of ", bytes, " bytes; at most ",
                 kLongestString, " are read. It is damaged, or is not a model of CTranslate2.");
  std::string text = cursor.text(bytes);
  require<Error>(!text.empty() && text.find('\0') == text.size() - 1, cursor.bytes()->name(),
                 " is damaged, or is not a model of CTranslate2.");
  text.pop_back();
  return text;
}

// Versions before 4 name the bytes of an element instead of its kind.
Element element_of_size(std::uint8_t bytes, const std::string& where) {
  switch (bytes) {
    case 4: return Element::kF32;
    case 2: return Element::kI16;
    case 1: return Element::kI8;
    default: throw Error(join(where, " has elements of ", int{bytes}, " bytes; 1, 2 and 4 are read."));
  }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The names of version 1 were those of OpenNMT-tf. The order matters.
std::string present_name(std::string name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kChanges{{{"transformer/", ""},
                                                                                   {":0", ""},
                                                                                   {"w_embs", "embeddings/weight"},
                                                                                   {"kernel", "weight"},
                                                                                   {"LayerNorm", "layer_norm"},
                                                                                   {"dense", "projection"},
                                                                                   {"conv1d_", "linear_"},
                                                                                   {"conv1d", "linear_0"}}};
  for (const auto& [from, to] : kChanges) replace_all(name, from, to);
  if (name.find("encoder") != std::string::npos) {
    replace_all(name, "multi_head", "self_attention");
  } else {
    replace_all(name, "masked_multi_head", "self_attention");
    replace_all(name, "multi_head", "attention");
  }
  return name;
}

void read_variable(ByteCursor& cursor, CTranslate2File& file) {
  std::string name = read_string(cursor);
  if (file.version == 1) name = present_name(std::move(name));
  const std::string where = cursor.bytes()->name() + ": the variable " + in_quotes(name);
  const auto sizes = cursor.number<std::uint8_t>();
  require_few_sizes(sizes, where);
  std::vector<std::int64_t> shape(sizes);
  for (std::int64_t& size : shape) size = cursor.number<std::uint32_t>();
  const auto kind = cursor.number<std::uint8_t>();
  std::uint64_t bytes = cursor.number<std::uint32_t>();
  Element element{};
  if (file.version >= 4) {
    require<Error>(kind < kElements.size(), where, " has elements of an unknown kind, ", int{kind}, ".");
    element = kElements[kind];
  } else {
    element = element_of_size(kind, where);
    bytes *= element_bytes(element);
  }
  Tensor tensor = dense_tensor(element, std::move(shape), cursor.bytes(), cursor.position(), where);
  require<Error>(static_cast<std::uint64_t>(tensor.count()) * element_bytes(element) == bytes, where,
                 " has a shape that does not fit its bytes.");
  cursor.skip(bytes);
  require<Error>(add_tensor(file.variables, name, std::move(tensor), cursor.bytes()->name()), where,
                 " is there twice.");
}

// Weights that are stored as integers were multiplied by a scale, which is a variable beside them: one for each row, or
// one for all.
void set_divisors(CTranslate2File& file, const std::string& where) {
  for (auto& [name, tensor] : file.variables) {
    const bool is_integer = tensor.element == Element::kI8 || tensor.element == Element::kI16;
    if (!is_integer || tensor.shape.size() != 2) continue;
    const auto scale = file.variables.find(name + "_scale");
    if (scale == file.variables.end()) {
      require<Error>(tensor.element == Element::kI16, where, ": the variable ", in_quotes(name), " has no scale.");
      tensor.divisors = std::make_shared<std::vector<float>>(1, kDefaultDivisor);
      continue;
    }
    const std::int64_t count = scale->second.count();
    require<Error>(scale->second.element == Element::kF32 && (count == 1 || count == tensor.shape[0]), where,
                   ": the variable ", in_quotes(name), " has a scale that does not fit it.");
    tensor.divisors = std::make_shared<std::vector<float>>(floats_of(scale->second));
  }
}

}  // namespace

std::optional<float> CTranslate2File::number(const std::string& name) const {
  const auto found = variables.find(name);
  if (found == variables.end() || found->second.count() != 1) return std::nullopt;
  return floats_of(found->second).front();
}

std::optional<std::string> CTranslate2File::text(const std::string& name) const {
  const auto found = variables.find(name);
  if (found == variables.end() || found->second.element != Element::kI8) return std::nullopt;
  if (found->second.count() > kLongestString) return std::nullopt;
  return text_of(found->second);
}

CTranslate2File read_ctranslate2(const Bytes& bytes) {
  ByteCursor cursor(bytes);
  const auto version = cursor.number<std::uint32_t>();
  require<Error>(version >= 1 && version <= kLatestVersion, bytes->name(), " has version ", version,
                 ", or is not a model of CTranslate2; versions 1 to ", kLatestVersion, " are read.");
  CTranslate2File file{.version = static_cast<int>(version), .spec = {}, .variables = {}};
  if (version >= 2) {
    file.spec = read_string(cursor);
    file.revision = static_cast<int>(cursor.number<std::uint32_t>() & 0x7FFFFFFF);
  }
  // The number of variables, or of aliases.
  const auto read_count = [&] {
    const auto count = cursor.number<std::uint32_t>();
    require<Error>(count <= kMostTensors, bytes->name(), " is damaged: it claims to have ", count, " variables.");
    return count;
  };
  const auto variables = read_count();
  for (std::uint32_t i = 0; i < variables; ++i) read_variable(cursor, file);
  set_divisors(file, bytes->name());
  if (version >= 3) {
    const auto aliases = read_count();
    for (std::uint32_t i = 0; i < aliases; ++i) {
      const std::string alias = read_string(cursor), name = read_string(cursor);
      const auto found = file.variables.find(name);
      require<Error>(found != file.variables.end(), bytes->name(), " is damaged: ", in_quotes(alias),
                     " stands for the variable ", in_quotes(name), ", which is missing.");
      add_tensor(file.variables, alias, found->second, bytes->name());
    }
  }
  require<Error>(cursor.remaining() == 0, bytes->name(), " is damaged: it has bytes that belong to no variable.");
  return file;
}

CTranslate2Config parse_ctranslate2_config(std::string_view text, std::string_view where) {
  const Json json = parse_json(text, where);
  require<Error>(json.is_object(), where, " is not a JSON object.");
  CTranslate2Config config;
  const auto set = [&](const std::string& key, auto& value) {
    using Entry = std::remove_reference_t<decltype(value)>;
    if (json.contains(key) && !json[key].is_null()) value = json_entry<Entry>(json, key, where);
  };
  set("unk_token", config.unknown);
  set("bos_token", config.begin);
  set("eos_token", config.end);
  set("add_source_bos", config.add_source_begin);
  set("add_source_eos", config.add_source_end);
  set("layer_norm_epsilon", config.layer_norm_epsilon);
  std::string start = config.begin;
  set("decoder_start_token", start);
  config.decoder_start = start;
  if (json.contains("decoder_start_token") && json["decoder_start_token"].is_null()) config.decoder_start.reset();
  bool multi_query = false;
  set("multi_query_attention", multi_query);
  require<Error>(!multi_query, where, ": 'multi_query_attention' is set, which this program does not have.");
  return config;
}

CTranslate2Config ctranslate2_config_of(const CTranslate2File& file) {
  CTranslate2Config config;
  config.unknown = file.text("unk_token").value_or(config.unknown);
  config.begin = file.text("bos_token").value_or(config.begin);
  config.end = file.text("eos_token").value_or(config.end);
  const auto is_set = [&](const std::string& name, float otherwise) {
    return file.number(name).value_or(otherwise) != 0;
  };
  config.add_source_begin = is_set("with_source_bos", 0);
  config.add_source_end = is_set("with_source_eos", 0);
  config.decoder_start = is_set("with_target_bos", 1) ? config.begin : config.end;
  if (is_set("user_decoder_start_tokens", 0)) config.decoder_start.reset();
  return config;
}

}  // namespace dragoman::model::foreign
