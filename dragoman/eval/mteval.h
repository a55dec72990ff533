// The steps of NIST's scoring script mteval that the tokenisers 13a, zh and Tercom's share. They look at ASCII alone;
// other characters stay as they are.
#pragma once

#include <string>

namespace dragoman::eval {

// &quot; &amp; &lt; and &gt; become what they stand for, one after the other.
void undo_entities(std::string& text);

// Puts spaces round ASCII's punctuation, but for apostrophe, comma, hyphen and period.
std::string punctuation_apart(const std::string& text);

// Puts spaces round periods and commas that do not stand between digits, and round hyphens after a digit. In three
// passes: a point after a non-digit, a point before a non-digit, a hyphen after a digit; at the ends of the text
// nothing stands before or after.
std::string points_apart(std::string text);

}  // namespace dragoman::eval
