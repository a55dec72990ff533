// The settings of `dragoman translate` that other commands do not have: what is read, and what is printed.
#pragma once

#include <string>
#include <vector>

#include "dragoman/base/fields.h"
#include "dragoman/decode/lines/translator.h"

namespace dragoman::cli {

class CommandSettings;

struct TranslateOptions {
  std::vector<std::string> input = {"-"};
  std::string output = "-";
  bool quiet = false;
  bool scores = false;
  bool flags = false;
  bool alignment = false;
  int alignment_layer = 0;
  int alignment_head = 0;
  std::string attention;
  std::string prefix;
  decode::BadLine bad_line = decode::BadLine::kStop;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("input", file_name(input), "files to translate, one after the other; - for standard input");
    field("output", file_name(output), "file for the translations, written as a whole; - for standard output");
    field("quiet", quiet, "show no progress and no warnings, only errors");
    printed(field);
    field("alignment-layer", alignment_layer, "decoder layer to read the alignment from, counted from 1; 0 for all");
    field("alignment-head", alignment_head, "attention head to read the alignment from, counted from 1; 0 for all");
    field("attention", file_name(attention),
          "write the attention and the beam tree of each line to this file, one JSON object per line");
    field("prefix", file_name(prefix),
          "file with the beginning of each translation, one per line; an empty line for none");
    field("on-bad-line", bad_line, "a line that is not UTF-8 stops the run, is kept as it is, or becomes empty");
  }
  // The fields that say what is printed with each translation.
  template <class Visitor>
  void printed(Visitor&& field) {
    field("scores", scores, "print the score before each translation");
    field("flags", flags,
          "print possible problems after each translation: limit, repeats, length, unknown, unseen, bad, failed");
    field("alignment", alignment,
          "print the word alignment after each translation: 'source-target' pairs, counted from 0");
  }

  // Takes the files that the command line names without a flag. Throws a UsageError if it also has --input.
  void take_arguments(const CommandSettings& settings);
  // Whether the text comes from a terminal, so that somebody types it.
  bool is_typed() const;
  // Throws a UsageError for settings that contradict each other.
  void validate(const decode::SearchSettings& search) const;
};

}  // namespace dragoman::cli
