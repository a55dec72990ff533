// The table of the best translations that the search found. It says why a text may be in it twice.

import {commonPairs} from "../core/difference.js";
import {number} from "../core/format.js";
import {language as pageLanguage} from "../core/language.js";
import {joinedText, pathOf, searchTree} from "../core/search_tree.js";
import {label} from "../core/tokens.js";
import {text as strings} from "../strings/sentence.js";
import {el} from "./elements.js";
import {markedWords} from "./marked_words.js";

const rounding = 1e-3;  // of log-probabilities that are written as text

// The pieces of each hypothesis, as the search wrote them; null where the trace does not have them.
function piecesOf(hypotheses, trace) {
  const {ended} = searchTree(trace?.beam ?? []);
  return hypotheses.map(({text, log_probability: logp}) => {
    const node = ended.find((end) => Math.abs(end.logp - logp) < rounding && joinedText(pathOf(end)) === text);
    return node ? pathOf(node) : null;
  });
}

const spelled = (pieces, places) => `“${pieces.filter((_, i) => !places.has(i)).map(label).join(" ")}”`;

// How the pieces of two equal texts differ.
function differenceText(pieces, others) {
  if (!pieces || !others) return "";
  const pairs = commonPairs(pieces, others);
  const [own, before] = [0, 1].map((side) => new Set(pairs.map((pair) => pair[side])));
  return strings.notSpelled(spelled(pieces, own), spelled(others, before));
}

// For each hypothesis whose text an earlier one has already: a note that says so.
function repeatNotes(hypotheses, trace) {
  const first = hypotheses.map(({text}) => hypotheses.findIndex((other) => other.text === text));
  const repeats = first.some((earlier, i) => earlier < i);
  const pieces = repeats ? piecesOf(hypotheses, trace) : [];
  return first.map((earlier, i) => (earlier === i ? null
    : strings.sameAs(earlier + 1, differenceText(pieces[i], pieces[earlier]))));
}

/**
 * `trace` is the trace of the sentence, or null. If `look(text)` is given, each text but the first has a button that
 * shows it in the views.
 */
export function hypothesisTable({hypotheses}, trace, {language, look = null}) {
  const notes = repeatNotes(hypotheses, trace);
  const title = (text, kind) => el("th", {scope: "col", class: kind}, text);
  return [
    el("table", {class: "hypotheses"},
      el("thead", {}, el("tr", {}, el("td"), title(strings.translation), title(strings.scoreColumn, "figure"),
        title("log p", "figure"), look ? el("td") : null)),
      el("tbody", {}, ...hypotheses.map(
        (hypothesis, i) => row(hypothesis, i, {best: hypotheses[0].text, note: notes[i], language, look})))),
    ...(notes.some(Boolean) ? [el("p", {class: "note"}, strings.sameNote)] : []),
  ];
}

function row({text, score, log_probability: logp, finished}, i, {best, note, language, look}) {
  const button = () => el("button", {
    type: "button", class: "quiet small", "aria-label": strings.lookAt(i + 1),
    title: strings.lookTitle, onclick: () => look(text),
  }, strings.look);
  return el("tr", {},
    el("td", {}, String(i + 1)),
    el("td", {lang: language}, ...(i ? markedWords(best, text) : [text]), finished ? null : strings.unfinished,
      note ? el("span", {class: "same-text", lang: pageLanguage}, note) : null),
    el("td", {class: "figure"}, number(score)),
    el("td", {class: "figure"}, number(logp)),
    look ? el("td", {class: "figure"}, i && !note ? button() : null) : null);
}
