#include "dragoman/text/html/entities.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

namespace dragoman::text {
namespace {

constexpr std::size_t kLongestName = 31;  // of all names that HTML defines

struct Entity {
  std::string_view name;
  char32_t code;
};

// The names that occur in running text. References with other names are kept as written.
constexpr Entity kEntities[] = {
    {"amp", '&'},       {"lt", '<'},        {"gt", '>'},       {"quot", '"'},      {"apos", '\''},
    {"nbsp", 0xA0},     {"iexcl", 0xA1},    {"cent", 0xA2},    {"pound", 0xA3},    {"yen", 0xA5},
    {"sect", 0xA7},     {"copy", 0xA9},     {"ordf", 0xAA},    {"laquo", 0xAB},    {"reg", 0xAE},
    {"deg", 0xB0},      {"plusmn", 0xB1},   {"sup2", 0xB2},    {"sup3", 0xB3},     {"micro", 0xB5},
    {"para", 0xB6},     {"middot", 0xB7},   {"ordm", 0xBA},    {"raquo", 0xBB},    {"frac14", 0xBC},
    {"frac12", 0xBD},   {"frac34", 0xBE},   {"iquest", 0xBF},  {"Agrave", 0xC0},   {"Aacute", 0xC1},
    {"Acirc", 0xC2},    {"Atilde", 0xC3},   {"Auml", 0xC4},    {"Aring", 0xC5},    {"AElig", 0xC6},
    {"Ccedil", 0xC7},   {"Egrave", 0xC8},   {"Eacute", 0xC9},  {"Ecirc", 0xCA},    {"Euml", 0xCB},
    {"Igrave", 0xCC},   {"Iacute", 0xCD},   {"Icirc", 0xCE},   {"Iuml", 0xCF},     {"ETH", 0xD0},
    {"Ntilde", 0xD1},   {"Ograve", 0xD2},   {"Oacute", 0xD3},  {"Ocirc", 0xD4},    {"Otilde", 0xD5},
    {"Ouml", 0xD6},     {"times", 0xD7},    {"Oslash", 0xD8},  {"Ugrave", 0xD9},   {"Uacute", 0xDA},
    {"Ucirc", 0xDB},    {"Uuml", 0xDC},     {"Yacute", 0xDD},  {"THORN", 0xDE},    {"szlig", 0xDF},
    {"agrave", 0xE0},   {"aacute", 0xE1},   {"acirc", 0xE2},   {"atilde", 0xE3},   {"auml", 0xE4},
    {"aring", 0xE5},    {"aelig", 0xE6},    {"ccedil", 0xE7},  {"egrave", 0xE8},   {"eacute", 0xE9},
    {"ecirc", 0xEA},    {"euml", 0xEB},     {"igrave", 0xEC},  {"iacute", 0xED},   {"icirc", 0xEE},
    {"iuml", 0xEF},     {"eth", 0xF0},      {"ntilde", 0xF1},  {"ograve", 0xF2},   {"oacute", 0xF3},
    {"ocirc", 0xF4},    {"otilde", 0xF5},   {"ouml", 0xF6},    {"divide", 0xF7},   {"oslash", 0xF8},
    {"ugrave", 0xF9},   {"uacute", 0xFA},   {"ucirc", 0xFB},   {"uuml", 0xFC},     {"yacute", 0xFD},
    {"thorn", 0xFE},    {"yuml", 0xFF},     {"OElig", 0x152},  {"oelig", 0x153},   {"Scaron", 0x160},
    {"scaron", 0x161},  {"Yuml", 0x178},    {"ensp", 0x2002},  {"emsp", 0x2003},   {"thinsp", 0x2009},
    {"ndash", 0x2013},  {"mdash", 0x2014},  {"lsquo", 0x2018}, {"rsquo", 0x2019},  {"sbquo", 0x201A},
    {"ldquo", 0x201C},  {"rdquo", 0x201D},  {"bdquo", 0x201E}, {"dagger", 0x2020}, {"bull", 0x2022},
    {"hellip", 0x2026}, {"permil", 0x2030}, {"prime", 0x2032}, {"Prime", 0x2033},  {"lsaquo", 0x2039},
    {"rsaquo", 0x203A}, {"euro", 0x20AC},   {"trade", 0x2122}, {"minus", 0x2212},  {"ne", 0x2260},
    {"le", 0x2264},     {"ge", 0x2265},     {"asymp", 0x2248}, {"infin", 0x221E},  {"larr", 0x2190},
    {"rarr", 0x2192},
};

bool is_alphanumeric(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::optional<char32_t> code_of_name(std::string_view name) {
  const Entity* entity = std::ranges::find(kEntities, name, &Entity::name);
  if (entity == std::end(kEntities)) return std::nullopt;
  return entity->code;
}

// Takes "65" or "x41". References to controls, surrogates and codes beyond Unicode are kept as written.
std::optional<char32_t> code_of_number(std::string_view digits) {
  const bool hexadecimal = digits.starts_with('x') || digits.starts_with('X');
  if (hexadecimal) digits.remove_prefix(1);
  std::uint32_t code = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, code, hexadecimal ? 16 : 10);
  if (error != std::errc{} || stop != end || code < 0x20 || (code >= 0x7F && code < 0xA0)) return std::nullopt;
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return std::nullopt;
  return code;
}

}  // namespace

std::optional<Reference> reference_at(std::string_view text) {
  if (!text.starts_with('&')) return std::nullopt;
  const bool number = text.substr(1).starts_with('#');
  const std::size_t begin = number ? 2 : 1, limit = std::min(text.size(), begin + kLongestName + 1);
  std::size_t end = begin;
  while (end < limit && is_alphanumeric(text[end])) ++end;
  if (end == begin || end == limit || text[end] != ';') return std::nullopt;
  const std::string_view name = text.substr(begin, end - begin);
  return Reference{end + 1, number ? code_of_number(name) : code_of_name(name)};
}

std::string as_html(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char c : text) {
    if (c == '&') {
      html += "&amp;";
    } else if (c == '<') {
      html += "&lt;";
    } else if (c == '>') {
      html += "&gt;";
    } else {
      html += c;
    }
  }
  return html;
}

}  // namespace dragoman::text
