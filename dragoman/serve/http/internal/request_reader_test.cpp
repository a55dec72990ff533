#include "dragoman/serve/http/internal/request_reader.h"

#include <gtest/gtest.h>

namespace dragoman::serve {
namespace {

using ReadState = RequestReader::ReadState;

constexpr RequestReader::Limits kLimits{.header_bytes = 1000, .body_bytes = 100};

// Reads the request in pieces of `size` bytes.
HttpRequest read_in_pieces(const std::string& text, std::size_t size) {
  RequestReader reader(kLimits);
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += size) {
    bytes += text.substr(i, size);
    const ReadState expected = i + size < text.size() ? ReadState::kPartial : ReadState::kWhole;
    EXPECT_EQ(reader.read(bytes), expected) << i;
  }
  return reader.take_request();
}

TEST(RequestReader, ReadsTheSameInPiecesOfAnySize) {
  const std::string head = "\r\nPOST /a?b=c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n";
  for (std::size_t size = 1; size < 20; ++size) {
    EXPECT_EQ(read_in_pieces(head + "3\r\nabc\r\n2;note=\"x\"\r\nde\r\n0\r\nTrailer: t\r\n\r\n", size).body, "abcde");
    EXPECT_EQ(read_in_pieces(head + "0\r\n\r\n", size).query.at("b"), "c");
    EXPECT_EQ(read_in_pieces("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", size).body, "abc");
    EXPECT_EQ(read_in_pieces("get / HTTP/1.0\r\nX-Y: z\r\n\r\n", size).method, "GET");
  }
}

TEST(RequestReader, HeadersAreRefusedAtTheirLimitHoweverTheyArrive) {
  std::string text = "GET / HTTP/1.1\r\n";
  while (text.size() < 3000) text += "A: " + std::string(90, 'x') + "\r\n";
  for (const std::size_t first : {1, 30, 500, 990}) {
    RequestReader reader(kLimits);
    std::string bytes = text.substr(0, first);
    EXPECT_EQ(reader.read(bytes), ReadState::kPartial);
    bytes += text.substr(first, 1000 - first);
    EXPECT_EQ(reader.read(bytes), ReadState::kPartial);
    bytes += text.substr(1000, 1);
    EXPECT_EQ(reader.read(bytes), ReadState::kRefused) << first;
  }
}

TEST(RequestReader, AWrongSizeOfAChunkIsRefusedAtOnce) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* wrong : {"z", "zz\r\n", "\r\n", "5z", "-1", "3\r\nabc\r\nz", "3\r\nabcd", "3\r\nabc\r\n1.5"}) {
    for (std::size_t size = 1; size < 12; ++size) {
      RequestReader reader(kLimits);
      std::string text = head + wrong, bytes;
      ReadState state = ReadState::kPartial;
      for (std::size_t i = 0; i < text.size() && state == ReadState::kPartial; i += size) {
        bytes += text.substr(i, size);
        state = reader.read(bytes);
      }
      ASSERT_EQ(state, ReadState::kRefused) << wrong << " in pieces of " << size;
      EXPECT_EQ(reader.refusal().status, 400);
    }
  }
}

TEST(RequestReader, LeavesTheNextRequestUnread) {
  RequestReader reader(kLimits);
  std::string bytes = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET /" + std::string(2000, 'x');
  EXPECT_EQ(reader.read(bytes), ReadState::kWhole);
  EXPECT_EQ(bytes, "GET /" + std::string(2000, 'x'));
  EXPECT_TRUE(reader.keep_alive());
}

TEST(RequestReader, KnowsHowARefusedRequestBegan) {
  const auto beginning = [](std::string bytes) {
    RequestReader reader({.header_bytes = 1000, .body_bytes = 10});
    reader.read(bytes);
    const HttpRequest request = reader.beginning();
    return request.method + " " + request.path;
  };
  EXPECT_EQ(beginning("POST /a%20b?c=d HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n"), "POST /a b");
  EXPECT_EQ(beginning("GET /a HTTP/1.1\r\nHost: a\r\nX: " + std::string(2000, 'x') + "\r\n\r\n"), "GET /a");
  EXPECT_EQ(beginning("GET /a HTTP/1.1\r\nHo"), "GET /a");
  EXPECT_EQ(beginning("GET /a"), " ");
  EXPECT_EQ(beginning("nonsense\r\n\r\n"), " ");
  EXPECT_EQ(beginning(""), " ");
}

}  // namespace
}  // namespace dragoman::serve
