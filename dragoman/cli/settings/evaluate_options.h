// The flags of `dragoman evaluate` besides those for models, search and metrics.
#pragma once

#include <string>
#include <vector>

#include "dragoman/base/fields.h"

namespace dragoman::cli {

class CommandSettings;

struct EvaluateOptions {
  std::string source, reference, output, scores;
  int join = 1;
  bool json = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("source", file_name(source), "file of sentences to translate, one per line");
    field("reference", file_name(reference), "file of reference translations, one per line");
    field("output", file_name(output), "write the translations to this file");
    field("scores", file_name(scores),
          "write the scores of each sentence to this file as tab-separated lines; - prints them");
    field("join", join,
          "make longer inputs: join each N lines of source and reference with a space before they are translated");
    field("json", json, "print JSON");
  }

  // Throws a UsageError for settings that are missing or contradict each other.
  void validate() const;
};

// Scores by the number of words in the source.
struct LengthOptions {
  OptionalSize by_length;
  std::string length_scores, chart;
  std::vector<std::string> compare;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("by-length", by_length,
          "also score short and long sentences by themselves, in buckets of N source words: 1 to N, N+1 to 2N, ...");
    field("length-scores", file_name(length_scores),
          "write the scores of --by-length to this file: tab-separated as .tsv, or .json for --compare");
    field("chart", file_name(chart), "draw the scores of --by-length to this file: a picture as .svg, a page as .html");
    field("compare", file_name(compare),
          "show other systems with this one: up to 7 .json files that --length-scores wrote");
  }

  // Throws a UsageError for settings that contradict each other or those of `options`, or that have no effect.
  void validate(const EvaluateOptions& options, const CommandSettings& given) const;
};

// Whether the name of the file has this ending, such as ".json", in letters of any case.
bool has_extension(const std::string& file, std::string_view extension);

}  // namespace dragoman::cli
