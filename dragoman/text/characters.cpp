#include "dragoman/text/characters.h"

#include <algorithm>
#include <iterator>

#include "dragoman/base/utf8.h"

namespace dragoman::text {
namespace {

struct ScriptRange {
  char32_t first, last;
  Script script;
};

// Sorted by code. A range is a whole block without its digits and punctuation; unassigned codes in it do not matter.
constexpr ScriptRange kRanges[] = {
    {0x0041, 0x005A, Script::kLatin},      {0x0061, 0x007A, Script::kLatin},      {0x00AA, 0x00AA, Script::kLatin},
    {0x00BA, 0x00BA, Script::kLatin},      {0x00C0, 0x00D6, Script::kLatin},      {0x00D8, 0x00F6, Script::kLatin},
    {0x00F8, 0x02AF, Script::kLatin},      {0x0370, 0x0373, Script::kGreek},      {0x0376, 0x037D, Script::kGreek},
    {0x037F, 0x037F, Script::kGreek},      {0x0386, 0x0386, Script::kGreek},      {0x0388, 0x03FF, Script::kGreek},
    {0x0400, 0x0481, Script::kCyrillic},   {0x0483, 0x052F, Script::kCyrillic},   {0x0531, 0x0556, Script::kArmenian},
    {0x0561, 0x0587, Script::kArmenian},   {0x0591, 0x05BD, Script::kHebrew},     {0x05C1, 0x05C2, Script::kHebrew},
    {0x05D0, 0x05F2, Script::kHebrew},     {0x0610, 0x061A, Script::kArabic},     {0x0620, 0x065F, Script::kArabic},
    {0x066E, 0x06D3, Script::kArabic},     {0x06D5, 0x06DC, Script::kArabic},     {0x06E1, 0x06E8, Script::kArabic},
    {0x06EE, 0x06EF, Script::kArabic},     {0x06FA, 0x06FF, Script::kArabic},     {0x0710, 0x074F, Script::kOther},
    {0x0750, 0x077F, Script::kArabic},     {0x0780, 0x07BF, Script::kOther},      {0x07CA, 0x089F, Script::kOther},
    {0x08A0, 0x08FF, Script::kArabic},     {0x0900, 0x0963, Script::kDevanagari}, {0x0971, 0x097F, Script::kDevanagari},
    {0x0980, 0x09E3, Script::kBengali},    {0x09F0, 0x09F1, Script::kBengali},    {0x0A01, 0x0A65, Script::kGurmukhi},
    {0x0A70, 0x0A75, Script::kGurmukhi},   {0x0A81, 0x0AE3, Script::kGujarati},   {0x0B01, 0x0B63, Script::kOriya},
    {0x0B71, 0x0B71, Script::kOriya},      {0x0B82, 0x0BD7, Script::kTamil},      {0x0C00, 0x0C63, Script::kTelugu},
    {0x0C80, 0x0CE3, Script::kKannada},    {0x0D00, 0x0D63, Script::kMalayalam},  {0x0D7A, 0x0D7F, Script::kMalayalam},
    {0x0D81, 0x0DDF, Script::kSinhala},    {0x0E01, 0x0E3A, Script::kThai},       {0x0E40, 0x0E4E, Script::kThai},
    {0x0E81, 0x0ECD, Script::kLao},        {0x0EDC, 0x0EDF, Script::kLao},        {0x0F00, 0x0F00, Script::kTibetan},
    {0x0F40, 0x0F84, Script::kTibetan},    {0x0F86, 0x0FBC, Script::kTibetan},    {0x1000, 0x103F, Script::kMyanmar},
    {0x1050, 0x108F, Script::kMyanmar},    {0x10A0, 0x10FA, Script::kGeorgian},   {0x10FC, 0x10FF, Script::kGeorgian},
    {0x1100, 0x11FF, Script::kHangul},     {0x1200, 0x135F, Script::kEthiopic},   {0x1380, 0x139F, Script::kEthiopic},
    {0x13A0, 0x169A, Script::kOther},      {0x16A0, 0x173F, Script::kOther},      {0x1740, 0x177F, Script::kOther},
    {0x1780, 0x17D3, Script::kKhmer},      {0x17DD, 0x17DD, Script::kKhmer},      {0x1820, 0x1AAD, Script::kOther},
    {0x1B05, 0x1B4B, Script::kOther},      {0x1B80, 0x1BFF, Script::kOther},      {0x1C00, 0x1C4F, Script::kOther},
    {0x1C5A, 0x1C7D, Script::kOther},      {0x1C80, 0x1C8F, Script::kCyrillic},   {0x1C90, 0x1CBF, Script::kGeorgian},
    {0x1E00, 0x1EFF, Script::kLatin},      {0x1F00, 0x1FFF, Script::kGreek},      {0x2C00, 0x2C5F, Script::kOther},
    {0x2C60, 0x2C7F, Script::kLatin},      {0x2C80, 0x2CF3, Script::kOther},      {0x2D00, 0x2D2F, Script::kGeorgian},
    {0x2D30, 0x2DDE, Script::kOther},      {0x2DE0, 0x2DFF, Script::kCyrillic},   {0x2E80, 0x2FDF, Script::kHan},
    {0x3005, 0x3007, Script::kHan},        {0x3021, 0x3029, Script::kHan},        {0x3041, 0x309F, Script::kHiragana},
    {0x30A1, 0x30FA, Script::kKatakana},   {0x30FC, 0x30FF, Script::kKatakana},   {0x3105, 0x312F, Script::kHan},
    {0x3131, 0x318E, Script::kHangul},     {0x31F0, 0x31FF, Script::kKatakana},   {0x3400, 0x4DBF, Script::kHan},
    {0x4E00, 0x9FFF, Script::kHan},        {0xA000, 0xA63F, Script::kOther},      {0xA640, 0xA69F, Script::kCyrillic},
    {0xA6A0, 0xA71F, Script::kOther},      {0xA720, 0xA7FF, Script::kLatin},      {0xA800, 0xA95F, Script::kOther},
    {0xA960, 0xA97F, Script::kHangul},     {0xA980, 0xABFF, Script::kOther},      {0xAC00, 0xD7FF, Script::kHangul},
    {0xF900, 0xFAFF, Script::kHan},        {0xFB00, 0xFB06, Script::kLatin},      {0xFB13, 0xFB17, Script::kArmenian},
    {0xFB1D, 0xFB4F, Script::kHebrew},     {0xFB50, 0xFD3D, Script::kArabic},     {0xFD50, 0xFDFB, Script::kArabic},
    {0xFE70, 0xFEFC, Script::kArabic},     {0xFF21, 0xFF3A, Script::kLatin},      {0xFF41, 0xFF5A, Script::kLatin},
    {0xFF66, 0xFF9F, Script::kKatakana},   {0xFFA0, 0xFFDC, Script::kHangul},     {0x10280, 0x1AFFF, Script::kOther},
    {0x1B000, 0x1B16F, Script::kHiragana}, {0x1E900, 0x1E943, Script::kOther},    {0x20000, 0x3FFFD, Script::kHan},
};
static_assert(std::ranges::is_sorted(kRanges, {}, &ScriptRange::first));

// The zero of each script's decimal digits; the digits 1 to 9 follow it.
constexpr char32_t kZeros[] = {0x0030, 0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6,
                               0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0xFF10};

// A run of capitals. Either each small letter is `step` codes after its capital, or capitals and small letters
// alternate.
struct Capitals {
  char32_t first, last;
  char32_t step;  // 1: every second character from the first on is a capital, and its small letter is next to it
};

constexpr Capitals kCapitals[] = {
    {0x0041, 0x005A, 32}, {0x00C0, 0x00D6, 32}, {0x00D8, 0x00DE, 32}, {0x0100, 0x012E, 1},  {0x0132, 0x0136, 1},
    {0x0139, 0x0147, 1},  {0x014A, 0x0176, 1},  {0x0179, 0x017D, 1},  {0x01A0, 0x01A4, 1},  {0x01AF, 0x01AF, 1},
    {0x01CD, 0x01DB, 1},  {0x01DE, 0x01EE, 1},  {0x01F8, 0x021E, 1},  {0x0222, 0x0232, 1},  {0x0246, 0x024E, 1},
    {0x0386, 0x0386, 38}, {0x0388, 0x038A, 37}, {0x038C, 0x038C, 64}, {0x038E, 0x038F, 63}, {0x0391, 0x03A1, 32},
    {0x03A3, 0x03AB, 32}, {0x03D8, 0x03EE, 1},  {0x0400, 0x040F, 80}, {0x0410, 0x042F, 32}, {0x0460, 0x0480, 1},
    {0x048A, 0x04BE, 1},  {0x04C1, 0x04CD, 1},  {0x04D0, 0x052E, 1},  {0x0531, 0x0556, 48}, {0x1E00, 0x1E94, 1},
    {0x1EA0, 0x1EFE, 1},  {0xFF21, 0xFF3A, 32},
};
static_assert(std::ranges::is_sorted(kCapitals, {}, &Capitals::first));

struct CodeRange {
  char32_t first, last;
};

// Characters that show nothing but are no white space: most of those that Unicode lets programs ignore, and those that
// are drawn as an empty place.
constexpr CodeRange kInvisible[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x061C, 0x061C},
    {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x200B, 0x200F},   {0x202A, 0x202E},
    {0x2060, 0x206F}, {0x2800, 0x2800}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};
static_assert(std::ranges::is_sorted(kInvisible, {}, &CodeRange::first));

// The entry whose range contains the code; nullptr if there is none.
template <class Entry, std::size_t n>
const Entry* entry_for(const Entry (&table)[n], char32_t code) {
  const Entry* after = std::ranges::upper_bound(table, code, {}, &Entry::first);
  return after != table && code <= std::prev(after)->last ? std::prev(after) : nullptr;
}

}  // namespace

// Most text is ASCII, so these functions answer for it without a search in a table.
Script script_of(char32_t code) {
  if (code < 0x80) return (code | 0x20) >= 'a' && (code | 0x20) <= 'z' ? Script::kLatin : Script::kNone;
  const ScriptRange* range = entry_for(kRanges, code);
  return range != nullptr ? range->script : Script::kNone;
}

bool is_digit(char32_t code) {
  if (code < 0x80) return code >= '0' && code <= '9';
  const char32_t* after = std::ranges::upper_bound(kZeros, code);
  return after != kZeros && code - *std::prev(after) < 10;
}

bool is_accent(char32_t code) { return code >= 0x0300 && code <= 0x036F; }

bool is_ideographic(char32_t code) {
  const Script script = script_of(code);
  return script == Script::kHan || script == Script::kHiragana || script == Script::kKatakana;
}

char32_t lower_case(char32_t code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
  if (code == 0x0178) return 0x00FF;  // Y with diaeresis
  if (code == 0x1E9E) return 0x00DF;  // German sharp s
  const Capitals* run = entry_for(kCapitals, code);
  if (run == nullptr || (run->step == 1 && (code - run->first) % 2 == 1)) return code;
  return code + run->step;
}

bool is_lower_case(char32_t code) {
  const Script script = script_of(code);
  const bool has_case = script == Script::kLatin || script == Script::kGreek || script == Script::kCyrillic ||
                        script == Script::kArmenian;
  return has_case && !is_upper_case(code);
}

bool is_white_space(char32_t code) {
  if (code <= 0x20) return code == ' ' || (code >= '\t' && code <= '\r');
  if (code >= 0x2000 && code <= 0x200B) return true;
  constexpr char32_t kOthers[] = {0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF};
  return std::ranges::find(kOthers, code) != std::end(kOthers);
}

bool is_blank(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code_point(text, at);
    if (!is_white_space(code) && entry_for(kInvisible, code) == nullptr) return false;
  }
  return true;
}

bool is_line_end(char32_t code) {
  return (code >= '\n' && code <= '\r') || code == 0x85 || code == 0x2028 || code == 0x2029;
}

std::string language_of(std::string_view tag) {
  std::string language(tag.substr(0, tag.find_first_of("-_")));
  for (char& c : language) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return language;
}

}  // namespace dragoman::text
