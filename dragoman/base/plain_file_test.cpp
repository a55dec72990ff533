#include "dragoman/base/plain_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "dragoman/base/files.h"
#include "dragoman/base/testing.h"

namespace dragoman {
namespace {

std::string refusal(const std::string& path) {
  try {
    read_plain_file(path, 100);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// A pipe that nobody writes to would be waited for.
TEST(PlainFile, OthersAreRefusedByTheirKinds) {
  const std::string directory = ::testing::TempDir() + "plain_file_" + std::to_string(::getpid());
  make_directory(directory);
  const std::string pipe = directory + "/pipe", socket_path = directory + "/socket", file = directory + "/file";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  replace_file(file, "text");

  EXPECT_EQ(refusal(pipe), "'" + pipe + "' is a pipe, but a file is needed.");
  EXPECT_EQ(refusal(socket_path), "'" + socket_path + "' is a socket, but a file is needed.");
  EXPECT_EQ(refusal(directory), "'" + directory + "' is a directory, but a file is needed.");
  EXPECT_EQ(refusal("/dev/null"), "'/dev/null' is a device, but a file is needed.");
  EXPECT_EQ(refusal(directory + "/missing"), "cannot read '" + directory + "/missing' (no such file or directory).");
  EXPECT_EQ(read_plain_file(file, 100), "text");
  ::close(socket);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace dragoman
