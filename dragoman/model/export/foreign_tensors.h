// The parameters of a model of ours as another program stores them: under its names, in its order of dimensions, and
// with its rows of words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dragoman/model/export/our_model.h"
#include "dragoman/model/foreign/parameters.h"

namespace dragoman::model {

struct ForeignLayout {
  foreign::Origin origin = foreign::Origin::kCTranslate2;
  // As the other program has it: with biases, for example, if it has no network without them.
  foreign::Network network = {};
  ExportedWords words = {};
  // Channel i is our channel channels[i]; empty if the order is ours.
  std::vector<std::size_t> channels = {};
};

class ForeignTensors {
 public:
  // The model must live as long as this object.
  ForeignTensors(const OurModel& model, ForeignLayout layout);

  // Names and shapes, sorted by name. Tensors that are tied are there once.
  const std::map<std::string, std::vector<std::int64_t>>& shapes() const { return shapes_; }
  // Biases that our model lacks are zeros.
  std::vector<float> values(const std::string& name) const;

 private:
  struct Part {
    foreign::Parameter parameter;
    std::vector<std::int64_t> shape;  // ours
  };
  std::int64_t exported_rows(const Part& part) const;
  std::vector<float> part_values(const Part& part) const;

  const OurModel& model_;
  ForeignLayout layout_;
  std::map<std::string, std::vector<Part>> parts_;  // the rows of a tensor are those of its parts
  std::map<std::string, std::vector<std::int64_t>> shapes_;
};

}  // namespace dragoman::model
