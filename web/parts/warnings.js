// What may be wrong with a translation, as the server or the sentence itself says.

import {hasUnknownPieces} from "../core/unknown.js";
import {text} from "../strings/sentence.js";
import {el} from "./elements.js";

const sentences = {
  limit: text.limit, repeats: text.repeats, length: text.length, bad: text.bad, unknown: text.unknown,
};

// The names of a sentence's warnings: those in the server's list `flags`, and those that its other fields imply.
function warningsOf({flags = [], finished, repeats, odd_length: oddLength, bad, unknown, trace}) {
  const implied = {
    limit: finished === false, repeats, length: oddLength, bad, unknown: unknown || hasUnknownPieces(trace),
  };
  return [...new Set([...flags, ...Object.keys(implied).filter((name) => implied[name])])];
}

const textOf = (name) => sentences[name] ?? text.marked(name);

/** A list of the warnings of some sentences; the names in `known` are said elsewhere. Null if there are none. */
export function warningList(list, known = []) {
  const items = list.flatMap((sentence, i) => warningsOf(sentence).filter((name) => !known.includes(name)).map(
    (name) => el("li", {"data-warning": name}, list.length > 1 ? text.ofSentence(i + 1) : "", textOf(name))));
  return items.length ? el("ul", {class: "warnings"}, ...items) : null;
}
