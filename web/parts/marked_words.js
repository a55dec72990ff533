// The words of a text, marking those that another text does not have.

import {commonPairs} from "../core/difference.js";
import {el} from "./elements.js";

/** The words of `text` as nodes; words that `other` does not have in this place are marked. */
export function markedWords(other, text) {
  const [before, now] = [other.split(" "), text.split(" ")];
  const kept = new Set(commonPairs(before, now).map(([, j]) => j));
  return now.flatMap((word, j) => [j ? " " : "", kept.has(j) ? word : el("mark", {}, word)]);
}
