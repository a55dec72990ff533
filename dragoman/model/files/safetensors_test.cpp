#include "dragoman/model/files/safetensors.h"

#include <gtest/gtest.h>

#include "dragoman/data/testing.h"
#include "dragoman/model/files/weights.h"
#include "dragoman/model/testing.h"

namespace dragoman::model {
namespace {

class SafetensorsTest : public data::CorpusTest {
 protected:
  // The error message for a file with this header and value_bytes bytes of data; empty if it is read.
  std::string error_message(const std::string& header, std::size_t value_bytes) const {
    const std::uint64_t size = header.size();
    replace_file(path, std::string(reinterpret_cast<const char*>(&size), 8) + header + std::string(value_bytes, '\0'));
    return data::error_message_of([&] { SafetensorsFile{path}; });
  }
  void expect_error(const std::string& header, std::size_t value_bytes, const std::string& part) const {
    const std::string text = error_message(header, value_bytes);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  const std::filesystem::path path = directory / "x.safetensors";
};

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets) {
  return '"' + name + R"(":{"dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}";
}

TEST_F(SafetensorsTest, WeightsReadBackAsTheyWere) {
  SmallModel one(small_config(), {.seed = 1}), other(small_config(), {.seed = 2});
  one.add_noise();
  const std::string hash = write_safetensors(path, *one.on, one.block.tensors());
  EXPECT_EQ(hash, Hash().add(read_file(path)).hex());
  read_tensors(SafetensorsFile(path), *other.on, other.block.tensors());
  for (std::size_t i = 0; i < one.block.tensors().size(); ++i) {
    EXPECT_EQ(values_of(*one.on, one.block.tensors()[i].values), values_of(*other.on, other.block.tensors()[i].values));
  }
}

TEST_F(SafetensorsTest, NamesAndShapesMustBeThoseOfTheModel) {
  SmallModel small;
  write_safetensors(path, *small.on, small.block.tensors());
  TransformerConfig config = small_config();
  config.d_ff = 40;
  SmallModel wider(config);
  const auto read_error = [&](SmallModel& into) {
    return data::error_message_of([&] { read_tensors(SafetensorsFile(path), *into.on, into.block.tensors()); });
  };
  EXPECT_NE(read_error(wider).find("is [20, 36], but this model needs [20, 40]."), std::string::npos)
      << read_error(wider);
  config = small_config();
  config.N_enc = 3;
  SmallModel deeper(config);
  EXPECT_NE(read_error(deeper).find("has no tensor 'enc.2."), std::string::npos) << read_error(deeper);
  config.N_enc = 1;
  SmallModel shallower(config);
  EXPECT_NE(read_error(shallower).find("tensors, but this model has "), std::string::npos) << read_error(shallower);
}

TEST_F(SafetensorsTest, DataOffsetsMustFitTheFileAndOneAnother) {
  EXPECT_EQ(error_message("{" + entry("a", "2", "0,8") + "," + entry("b", "1", "8,12") + "}", 12), "");
  EXPECT_EQ(error_message(R"({"__metadata__":{"x":"y"},)" + entry("a", "2", "0,8") + "}", 8), "");
  expect_error("{" + entry("a", "2", "0,8") + "}", 7, "' is cut short; copy it again.");
  expect_error("{" + entry("a", "2", "0,8") + "}", 12, "bytes that belong to no tensor");
  expect_error("{" + entry("a", "2", "8,0") + "}", 8, "lies outside the file");
  expect_error("{" + entry("a", "3", "0,8") + "}", 8, "a shape that does not fit its bytes");
  expect_error("{" + entry("a", "-2", "0,8") + "}", 8, "a shape or data_offsets that cannot be read");
  expect_error("{" + entry("a", "4294967296,4294967298", "0,8") + "}", 8, "does not fit its bytes");
  expect_error("{" + entry("a", "2", "0,8") + "," + entry("b", "2", "4,12") + "}", 12, "overlap or leave gaps");
  expect_error("{" + entry("a", "2", "0,8") + "," + entry("b", "2", "0,8") + "}", 8, "shares its bytes");
  expect_error(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})", 8,
               "is of type 'F64'; this program reads F32, F16, BF16 and I8.");
  expect_error(R"({"a":1})", 8, "has no entry 'dtype'");
  expect_error("[]", 0, "is not an object");
  expect_error("{", 0, "is not JSON");
}

TEST_F(SafetensorsTest, Float16IsReadAsFloats) {
  const std::string header = R"({"a":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]}})";
  const std::uint64_t size = header.size();
  const std::uint16_t halves[] = {0x3C00, 0xC000, 0x7BFF, 0x0001};
  replace_file(path, std::string(reinterpret_cast<const char*>(&size), 8) + header +
                         std::string(reinterpret_cast<const char*>(halves), sizeof halves));
  const SafetensorsFile file(path);
  EXPECT_EQ(file.type("a"), StoredType::kF16);
  std::vector<float> values(3);
  file.read("a", 1, values);
  EXPECT_EQ(values, (std::vector<float>{-2, 65504, 0x1p-24f}));
  std::vector<std::int8_t> integers(4);
  EXPECT_THROW(file.read("a", 0, integers), Error);
}

TEST_F(SafetensorsTest, AFileWithoutItsHeaderIsRefused) {
  for (const std::string& bytes : {std::string(), std::string(7, 'x'), std::string(8, '\xFF'), std::string(100, 'x')}) {
    replace_file(path, bytes);
    EXPECT_NE(data::error_message_of([&] { SafetensorsFile{path}; }).find("is cut short"), std::string::npos);
  }
  EXPECT_NE(data::error_message_of([&] { SafetensorsFile{directory}; }).find("is not a file"), std::string::npos);
}

}  // namespace
}  // namespace dragoman::model
