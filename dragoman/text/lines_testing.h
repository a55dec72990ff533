// A test fixture that writes text to a file and reads it back as lines.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/files.h"
#include "dragoman/text/lines.h"

namespace dragoman::text {

using Lines = std::vector<std::string>;

class LinesTest : public ::testing::Test {
 protected:
  ~LinesTest() override { std::filesystem::remove(path); }

  Lines read(const std::string& bytes) {
    replace_file(path, bytes);
    LineReader reader(path);
    Lines lines;
    for (std::string line; reader.next(line);) {
      lines.push_back(line);
      EXPECT_EQ(reader.line(), static_cast<std::int64_t>(lines.size()));
    }
    return lines;
  }

  // The message of the Error that read() throws, or "" if it throws none.
  std::string error_message(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::string path = ::testing::TempDir() + "dragoman_lines_" + std::to_string(::getpid());
};

}  // namespace dragoman::text
