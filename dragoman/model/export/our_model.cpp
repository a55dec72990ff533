#include "dragoman/model/export/our_model.h"

#include <algorithm>
#include <cmath>

#include "dragoman/array/tokens.h"
#include "dragoman/backend/absent_words.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/registry/foreign_networks.h"
#include "dragoman/text/model_file.h"
#include "dragoman/text/pieces/piece_model.h"

namespace dragoman::model {

OurModel::OurModel(const std::filesystem::path& directory)
    : info_(read_info(directory)),
      network_(network_of(info_.config)),
      tokenizers_(read_tokenizers(directory)),
      file_(weights_file(directory)) {
  for (const text::Tokenizer* tokenizer : {&tokenizers_.source, &tokenizers_.target}) {
    require<Error>(
        !text::is_bpe(tokenizer->bytes()),
        "the model cannot be exported for another program: it cuts text with BPE codes, and only SentencePiece "
        "models can be exported.");
  }
  check_vocabularies(directory, tokenizers_, info_.config);
  const std::unique_ptr<Seq2Seq> model = info_.config.make_model();
  params::ParameterVisitor visitor(params::Purpose::kInference);
  model->parameters(visitor);
  const std::vector<params::NamedTensor> saved = visitor.saved();
  check_tensors(file_, saved);
  for (const params::NamedTensor& tensor : saved) tensors_.emplace(tensor.name, tensor);
}

std::vector<float> OurModel::values(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) return {};
  std::vector<float> values(static_cast<std::size_t>(found->second.shape.count()));
  read_rows(file_, found->second, 0, values);
  require<Error>(std::ranges::all_of(values, [](float value) { return std::isfinite(value); }), "the tensor '", name,
                 "' holds numbers that are not finite.");
  return values;
}

ExportedWords exported_words(const OurModel& model) {
  const std::vector<float> bias = model.values("output.b");
  const auto is_absent = [&](std::int32_t id) {
    return !bias.empty() && bias[static_cast<std::size_t>(id)] < kAbsentBias;
  };
  const bool begins_with_bos = model.network().start == DecoderStart::kBos;
  const auto words_of = [&](const text::Tokenizer& tokenizer) {
    const auto known = static_cast<std::int32_t>(tokenizer.size()) -
                       static_cast<std::int32_t>(text::read_model_file(tokenizer.bytes(), "the tokenizer").unknown);
    std::vector<std::int32_t> ids;
    for (std::int32_t id = 0; id < known; ++id) {
      const bool is_left_out = (id == kPad && is_absent(id)) || (id == kBos && is_absent(id) && !begins_with_bos);
      if (!is_left_out) ids.push_back(id);
    }
    return ids;
  };
  return {words_of(model.tokenizers().source), words_of(model.tokenizers().target)};
}

}  // namespace dragoman::model
