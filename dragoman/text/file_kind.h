// Recognises files that are given for UTF-8 text by mistake, so that messages can say how to convert them.
#pragma once

#include <string>
#include <string_view>

namespace dragoman::text {

// "UTF-16", "UTF-16LE" or "UTF-16BE" if a file with this first line is in that encoding; else empty. Without a
// byte-order mark it is recognised by the zero bytes of Latin letters.
std::string_view utf16_name(std::string_view first_line);

// Whether a file that begins like this is no text in any encoding: it is not UTF-8, and more than one byte in fifty is
// a control character.
bool is_binary(std::string_view beginning);

// What the file is and what to do about it, as the end of a sentence: " is a zip archive; unpack it first.". Empty if
// it may be text. `path` is the name of the file, or "-" for standard input.
std::string not_text(std::string_view first_line, const std::string& path);

// "if the file is in Latin-1 or Windows-1252, convert it with 'iconv -f WINDOWS-1252 -t UTF-8 old.de > NEW'"
std::string latin1_advice(const std::string& path);

}  // namespace dragoman::text
