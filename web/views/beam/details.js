// The details of one candidate, and the table of the hypotheses that ended.

import {number} from "../../core/format.js";
import {joinedText, lengthPenalty, ownLogp, pathOf, penaltyFormula} from "../../core/search_tree.js";
import {label} from "../../core/tokens.js";
import {el} from "../../parts/elements.js";

/** The text of a candidate, what became of it (`fate`), and how its score is computed. */
export function candidateDetails(tree, node, fate) {
  if (!node.parent) return [el("p", {}, "The search begins with the start token alone.")];
  const length = node.step + 1;
  const own = ownLogp(node);
  const fact = (title, value) => [el("dt", {}, title), el("dd", {class: "number"}, value)];
  return [
    el("h3", {}, joinedText(pathOf(node)) || "(nothing yet)",
      node.token === "</s>" ? el("span", {class: "end"}, " </s>") : null),
    el("p", {}, fate),
    el("dl", {class: "sums"},
      fact(`log P(“${label(node.token)}”) given the tokens before it`,
        `${number(own, 4)}  (P = ${number(Math.exp(own), 4)})`),
      fact(`sum over ${length} ${length === 1 ? "token" : "tokens"}`, number(node.logp, 4)),
      fact(`length norm ${penaltyFormula(tree.norm, length)}`, number(lengthPenalty(tree.norm, length), 4)),
      fact("score = sum / norm", number(node.score, 4))),
  ];
}

/** The table of finished hypotheses. `go(node)` is called by a click on one. */
export function resultTable(tree, go) {
  const titles = ["", "Translation", "log P", "tokens", "norm", "score"];
  const norm = tree.norm.replace(":", ", α = ");
  return el("div", {class: "scroll-x"}, el("table", {},
    el("caption", {}, el("span", {}, `The best ${tree.ended.length} hypotheses that ended; length norm ${norm}`)),
    el("thead", {}, el("tr", {}, titles.map((title) => el("th", {scope: "col"}, title)))),
    el("tbody", {}, tree.ended.map((node, place) => resultRow(tree, node, place, go)))));
}

function resultRow(tree, node, place, go) {
  const length = node.step + 1;
  const button = el("button", {type: "button", class: "in-table", onclick: () => go(node)},
    joinedText(pathOf(node)) || "(empty)");
  const numbers = [number(node.logp), String(length), number(lengthPenalty(tree.norm, length)), number(node.score)];
  return el("tr", {class: place === 0 ? "row-chosen" : null},
    el("td", {}, String(place + 1)), el("th", {scope: "row"}, button), numbers.map((text) => el("td", {}, text)));
}
