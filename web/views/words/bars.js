// The likeliest words of one position as bars. The scale is absolute: a full bar is probability 1.

import {number} from "../../core/format.js";
import {label} from "../../core/tokens.js";
import {el} from "../../parts/elements.js";
import {text} from "../../strings/words.js";

const endToken = "</s>";

// A word, its bar and its number.
const parts = (word, p) => [
  el("span", {class: "next-word"}, word),
  el("span", {class: "next-track", "aria-hidden": "true"},
    el("span", {class: "next-bar", style: {width: `${Math.max(0.2, 100 * p)}%`}})),
  el("span", {class: "next-number"}, number(p)),
];

// All words that are not listed, together.
function otherWords(words) {
  const rest = Math.max(0, 1 - words.reduce((sum, {p}) => sum + p, 0));
  return el("li", {class: "rest"},
    el("div", {"aria-label": text.bar(text.otherWords, number(rest)), role: "img"}, ...parts(text.otherWords, rest)));
}

/** List items for a position (see core/next_words.js). `onforce(id)` is called for a chosen word; null if it cannot. */
export function wordBars({id: chosen, words}, {onforce}) {
  const bars = words.map(({token, id, p}) => {
    const isChosen = id === chosen;
    const canForce = onforce !== null && !isChosen && token !== endToken;
    const content = parts(label(token), p);
    const name = (isChosen ? text.chosenBar : text.bar)(label(token), number(p));
    return el("li", {class: isChosen ? "chosen" : ""}, canForce
      ? el("button", {type: "button", title: text.force, "aria-label": text.forceBar(name),
        onclick: () => onforce(id)}, ...content)
      : el("div", {"aria-label": name, role: "img"}, ...content));
  });
  return [...bars, otherWords(words)];
}
