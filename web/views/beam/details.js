// The details of one candidate, and the table of the hypotheses that ended.

import {number} from "../../core/format.js";
import {joinedText, lengthPenalty, ownLogp, pathOf, penaltyFormula} from "../../core/search_tree.js";
import {label} from "../../core/tokens.js";
import {el} from "../../parts/elements.js";
import {text as strings} from "../../strings/beam.js";

/** The text of a candidate, what became of it (`fate`), and how its score is computed. */
export function candidateDetails(tree, node, fate) {
  if (!node.parent) return [el("p", {}, strings.startToken)];
  const length = node.step + 1;
  const own = ownLogp(node);
  const fact = (title, value) => [el("dt", {}, title), el("dd", {class: "number"}, value)];
  return [
    el("h3", {}, joinedText(pathOf(node)) || strings.nothingYet,
      node.token === "</s>" ? el("span", {class: "end"}, " </s>") : null),
    el("p", {}, fate),
    el("dl", {class: "sums"},
      fact(strings.given(label(node.token)),
        `${number(own, 4)}  (P = ${number(Math.exp(own), 4)})`),
      fact(strings.sum(length), number(node.logp, 4)),
      fact(strings.norm(penaltyFormula(tree.norm, length)), number(lengthPenalty(tree.norm, length), 4)),
      fact(strings.scoreIs, number(node.score, 4))),
  ];
}

/** The table of finished hypotheses. `go(node)` is called by a click on one. */
export function resultTable(tree, go) {
  const titles = ["", strings.translation, "log P", strings.tokens, strings.normColumn, strings.score];
  const norm = tree.norm.replace(":", ", α = ");
  return el("div", {class: "scroll-x"}, el("table", {},
    el("caption", {}, el("span", {}, strings.results(tree.ended.length, norm))),
    el("thead", {}, el("tr", {}, titles.map((title) => el("th", {scope: "col"}, title)))),
    el("tbody", {}, tree.ended.map((node, place) => resultRow(tree, node, place, go)))));
}

function resultRow(tree, node, place, go) {
  const length = node.step + 1;
  const button = el("button", {type: "button", class: "in-table", onclick: () => go(node)},
    joinedText(pathOf(node)) || strings.empty);
  const numbers = [number(node.logp), String(length), number(lengthPenalty(tree.norm, length)), number(node.score)];
  return el("tr", {class: place === 0 ? "row-chosen" : null},
    el("td", {}, String(place + 1)), el("th", {scope: "row"}, button), numbers.map((text) => el("td", {}, text)));
}
