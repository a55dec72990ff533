#include "dragoman/text/file_kind.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"

namespace dragoman::text {
namespace {

using namespace std::string_view_literals;

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOtherFiles{{
    {"PK\x03\x04"sv, "a zip archive; unpack it first"sv},
    {"BZh"sv, "packed with bzip2; unpack it first with bunzip2"sv},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive; unpack it first"sv},
    {"Rar!\x1A"sv, "a rar archive; unpack it first"sv},
    {"%PDF-"sv, "a PDF; extract its text first"sv},
}};

std::string conversion(std::string_view from, const std::string& path) {
  return join("convert it with 'iconv -f ", from, " -t UTF-8", path == "-" ? "" : " " + path + " > NEW", "'");
}

}  // namespace

std::string_view utf16_name(std::string_view first_line) {
  if (first_line.starts_with("\xFF\xFE") || first_line.starts_with("\xFE\xFF")) return "UTF-16";
  std::array<std::size_t, 2> zeros{};  // at even and at odd places
  for (std::size_t i = 0; i < first_line.size(); ++i) zeros[i % 2] += first_line[i] == '\0' ? 1 : 0;
  const std::size_t all = zeros[0] + zeros[1];
  constexpr std::size_t kMinZeros = 2;
  if (all < kMinZeros || 4 * all < first_line.size() || (zeros[0] > 0 && zeros[1] > 0)) return "";
  return zeros[0] > 0 ? "UTF-16BE" : "UTF-16LE";
}

bool is_binary(std::string_view beginning) {
  constexpr std::size_t kMaxTextPerControl = 50;  // text may have one control character in so many bytes
  constexpr std::size_t kLongestCharacter = 4;    // the last character may be cut
  const auto is_control = [](unsigned char c) {
    return (c < ' ' && "\t\n\v\f\r\x1B"sv.find(static_cast<char>(c)) == std::string_view::npos) || c == 0x7F;
  };
  const auto controls = static_cast<std::size_t>(std::ranges::count_if(beginning, is_control));
  const std::size_t wrong = first_invalid_utf8(beginning).value_or(beginning.size());
  return kMaxTextPerControl * controls > beginning.size() && wrong + kLongestCharacter <= beginning.size();
}

std::string not_text(std::string_view first_line, const std::string& path) {
  for (const auto& [start, kind] : kOtherFiles) {
    if (first_line.starts_with(start)) return join(" is ", kind, ".");
  }
  const std::string_view encoding = utf16_name(first_line);
  return encoding.empty() ? "" : join(" is in ", encoding, "; ", conversion(encoding, path), ".");
}

std::string latin1_advice(const std::string& path) {
  return "if the file is in Latin-1 or Windows-1252, " + conversion("WINDOWS-1252", path);
}

}  // namespace dragoman::text
