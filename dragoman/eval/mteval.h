// Steps of NIST's scoring script mteval that the tokenisers 13a, zh and Tercom share. They change only ASCII text.
#pragma once

#include <string>

namespace dragoman::eval {

// Replaces &quot; &amp; &lt; and &gt; by their characters, in this order.
void decode_entities(std::string& text);

// Puts spaces around ASCII punctuation, except apostrophe, comma, hyphen and period.
std::string space_out_punctuation(const std::string& text);

// Puts spaces around points (periods and commas) that are not between digits, and around hyphens after a digit. It
// makes three passes: points after a non-digit, points before a non-digit, hyphens after a digit. A pass looks at pairs
// of neighbouring characters, so it does not change a point at either end of the text that has a digit beside it.
std::string space_out_points(std::string text);

}  // namespace dragoman::eval
