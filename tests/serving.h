// A small model and what its server must answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dragoman/data/testing.h"
#include "dragoman/decode/testing.h"
#include "tests/server_process.h"

namespace dragoman {

class ServeTest : public decode::ModelDirectoryTest {
 protected:
  ServeTest();

  std::vector<std::string> flags(std::vector<std::string> more = {}) const;
  // Sends text `i` and returns whether the answer is right.
  bool is_right(Client& client, std::size_t i) const;
  // A metric of the server, by its name and labels; -1 if there is none.
  static std::int64_t metric(Client& client, const std::string& name);

  const std::vector<std::string> texts{"one", "two three four", data::words(9), "five six", "seven", data::words(7)};
  std::vector<std::string> expected;
};

}  // namespace dragoman
