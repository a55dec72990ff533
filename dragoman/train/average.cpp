#include "dragoman/train/average.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/model/files/safetensors.h"
#include "dragoman/params/parameter_block.h"

namespace dragoman::train {
namespace {

using model::SafetensorsFile;
using Files = std::vector<std::unique_ptr<SafetensorsFile>>;

void write_mean(const Files& files, const model::TensorLabel& tensor, model::SafetensorsWriter& output) {
  std::vector<float> values;
  std::vector<double> sums;
  for (std::int64_t first = 0; first < tensor.count(); first += params::kStagedElements) {
    const auto count = static_cast<std::size_t>(std::min(params::kStagedElements, tensor.count() - first));
    values.resize(count);
    sums.assign(count, -0.0);  // unlike 0.0, it also keeps the sign when -0.0 is added to it
    for (const auto& file : files) {
      file->read(tensor.name, first, values);
      for (std::size_t i = 0; i < count; ++i) sums[i] += static_cast<double>(values[i]);
    }
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(sums[i] / static_cast<double>(files.size()));
    output.write(values);
  }
}

}  // namespace

void average_weights(std::span<const std::filesystem::path> paths, const std::filesystem::path& output) {
  require<UsageError>(!paths.empty(), "there are no checkpoints to average.");
  Files files;
  for (const std::filesystem::path& path : paths) files.push_back(std::make_unique<SafetensorsFile>(path));
  std::vector<model::TensorLabel> labels = files.front()->labels();
  for (std::size_t i = 1; i < files.size(); ++i) {
    require<Error>(files[i]->labels() == labels, "'", paths[i].string(), "' and '", paths.front().string(),
                   "' are weights of different models.");
  }
  for (model::TensorLabel& label : labels) label.type = model::StoredType::kF32;
  replace_whole(output, [&](const std::filesystem::path& unfinished) {
    model::SafetensorsWriter writer(unfinished, labels);
    for (const model::TensorLabel& label : labels) write_mean(files, label, writer);
    writer.finish();
  });
}

}  // namespace dragoman::train
