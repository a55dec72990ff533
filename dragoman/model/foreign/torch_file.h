// Reads PyTorch's checkpoints (.bin and .pt files of torch.save): a pickle that describes objects, and the numbers of
// its tensors. Both layouts are read: a zip file (since PyTorch 1.6), and pickles in a row with the numbers behind
// them.
#pragma once

#include <map>
#include <string>

#include "dragoman/model/foreign/pickle.h"
#include "dragoman/model/foreign/tensor.h"

namespace dragoman::model::foreign {

class TorchFile {
 public:
  // Throws an Error if the file is damaged or not a checkpoint.
  explicit TorchFile(const Bytes& bytes);

  // What was saved: for most models a dictionary of tensors.
  const Pickle& object() const { return object_; }

  // The tensors of a dictionary of object(), by their keys. Entries that are no tensors are left out. Throws an Error
  // if a tensor does not fit its numbers or has numbers of another kind, such as complex ones.
  Tensors tensors(const Pickle::Value& dictionary) const;

 private:
  // Numbers that tensors share.
  struct Storage {
    Element element = Element::kF32;
    std::uint64_t count = 0;
    Bytes bytes;
  };
  struct Contents {
    Pickle object;
    std::map<std::string, Storage> storages;
  };
  explicit TorchFile(Contents contents);
  static Contents read(const Bytes& bytes);
  static Contents read_zip(const Bytes& bytes);
  static Contents read_legacy(const Bytes& bytes);
  static std::map<std::string, Storage> describe_storages(const Pickle& object, const std::string& where);
  // Nothing if the value is no tensor.
  std::optional<Tensor> tensor(const Pickle::Value& value, const std::string& where) const;

  std::string name_;
  Pickle object_;
  std::map<std::string, Storage> storages_;
};

}  // namespace dragoman::model::foreign
