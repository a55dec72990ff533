// Tests of readers of files with damaged copies of a file.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "dragoman/base/error.h"
#include "dragoman/base/random.h"

namespace dragoman {

// Reads the file with `read`, cut short after each per cent of its bytes and with one bit changed in 1,000 places. Each
// time `read` must return or throw an Error whose text is a sentence.
inline void expect_survives_damage(const std::string& whole, const std::function<void(const std::string&)>& read) {
  const auto try_out = [&](const std::string& bytes) {
    try {
      read(bytes);
    } catch (const Error& error) {
      EXPECT_TRUE(std::string_view(error.what()).ends_with('.')) << error.what();
    }
  };
  EXPECT_NO_THROW(read(whole));
  for (std::size_t percent = 0; percent < 100; ++percent) try_out(whole.substr(0, whole.size() * percent / 100));
  RandomStream random(5);
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = whole;
    char& byte = bytes[random.below(static_cast<std::uint32_t>(whole.size()))];
    byte = static_cast<char>(byte ^ 1 << random.below(8));
    try_out(bytes);
  }
}

}  // namespace dragoman
