// For tests: sentences in two languages, and the finding of a check.
#pragma once

#include <string>

#include "dragoman/health/finding.h"

namespace dragoman::health {

// Sentence i of one list is the translation of sentence i of the other.
inline constexpr const char* kEnglish[] = {"The old man and the boy walked along the river in the early morning.",
                                           "She has never been there before, but she would like to go one day.",
                                           "What do you think about the weather this week?",
                                           "I think that this is the right way to do it, and nothing else will work.",
                                           "It was dark when the train reached the station."};
inline constexpr const char* kGerman[] = {"Der alte Mann und der Junge gingen am frühen Morgen am Fluss entlang.",
                                          "Sie ist noch nie dort gewesen, aber sie würde eines Tages gerne hinfahren.",
                                          "Was denkst du über das Wetter in dieser Woche?",
                                          "Ich glaube, dass dies der richtige Weg ist und dass nichts anderes geht.",
                                          "Es war schon dunkel, als der Zug den Bahnhof erreichte."};

// The first finding of this check; an empty one if there is none.
inline Finding finding(const Section& section, const std::string& check) {
  for (const Finding& found : section.findings) {
    if (found.check == check) return found;
  }
  return {};
}

}  // namespace dragoman::health
