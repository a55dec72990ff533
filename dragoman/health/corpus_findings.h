// Turns the counts of a corpus into findings: what is wrong, how bad it is, and what to do.
#pragma once

#include <vector>

#include "dragoman/health/corpus.h"
#include "dragoman/health/finding.h"
#include "dragoman/health/text_findings.h"

namespace dragoman::health {

// A section for each text, and one about sentences that occur more than once.
std::vector<Section> corpus_sections(const CorpusReport& report, const LanguageTags& tags);

}  // namespace dragoman::health
