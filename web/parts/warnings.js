// What may be wrong with a translation, as the server or the sentence itself says.

import {hasUnknownPieces} from "../core/unknown.js";
import {el} from "./elements.js";

const sentences = {
  limit: "It was cut off at the length limit, so its end is missing.",
  repeats: "It repeats itself, as models do when they have lost their way.",
  length: "It is unusually short or long for this sentence; something may be missing or made up.",
  bad: "The text could not be read, so it was not translated.",
  unknown: "The sentence has parts that the model's vocabulary lacks; the model cannot know what they say.",
};

// The names of a sentence's warnings: those in the server's list `flags`, and those that its other fields imply.
function warningsOf({flags = [], finished, repeats, odd_length: oddLength, bad, unknown, trace}) {
  const implied = {
    limit: finished === false, repeats, length: oddLength, bad, unknown: unknown || hasUnknownPieces(trace),
  };
  return [...new Set([...flags, ...Object.keys(implied).filter((name) => implied[name])])];
}

const textOf = (name) => sentences[name] ?? `The server marked it “${name}”.`;

/** A list of the warnings of some sentences; the names in `known` are said elsewhere. Null if there are none. */
export function warningList(list, known = []) {
  const items = list.flatMap((sentence, i) => warningsOf(sentence).filter((name) => !known.includes(name)).map(
    (name) => el("li", {"data-warning": name}, list.length > 1 ? `Sentence ${i + 1}: ` : "", textOf(name))));
  return items.length ? el("ul", {class: "warnings"}, ...items) : null;
}
