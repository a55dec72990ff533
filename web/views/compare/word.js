// The weights of one word in both sentences, or in both models, side by side, as the mean of the shown heads.

import {sharedTokens} from "../../core/difference.js";
import {number, signed} from "../../core/format.js";
import {el} from "../../parts/elements.js";
import {text} from "../../strings/compare.js";

const leastWeight = 0.005;  // rows in which both weights are smaller are left out

/** `first` and `second` are the token's indices in the two sentences; null if the sentence does not have it. */
export function wordComparison(app, side, first, second) {
  const {plain, other, state: {attention, layer, heads}} = app;
  const [own, others] = side === "query" ? ["queries", "keys"] : ["keys", "queries"];
  const tokens = [plain.tokens(attention), other.tokens(attention)];
  const names = new Set([tokens[0][own][first], tokens[1][own][second]].filter((token) => token !== undefined));
  const name = [...names].join(" / ");
  const weights = [weightsOf(app, plain, side, first), weightsOf(app, other, side, second)];
  const order = mergedOrder(tokens[0][others], tokens[1][others], sharedTokens(plain, other, attention, others));
  const rows = order.map(([i, j]) => ({
    word: i !== null ? tokens[0][others][i] : tokens[1][others][j],
    a: i !== null && weights[0] ? weights[0](i) : null,
    b: j !== null && weights[1] ? weights[1](j) : null,
  })).filter(({a, b}) => (a ?? 0) >= leastWeight || (b ?? 0) >= leastWeight);
  return [
    el("h3", {}, side === "query" ? text.looksAt(name) : text.whoLooksAt(name)),
    weightTable(rows),
    el("p", {class: "note"}, text.tableNote(app.site(attention).title, layer + 1, heads.size)),
  ];
}

// A function from a token of the other side to its weight; null if the sentence does not have the word.
function weightsOf({state: {attention, layer, heads}}, trace, side, index) {
  const shown = [...heads].filter((head) => head < trace.shape(attention).heads);  // the second model may have fewer
  if (index === null || !shown.length) return null;
  const mean = trace.mean(attention, layer, shown);
  return (i) => (side === "query" ? mean.at(index, i) : mean.at(i, index));
}

// Both lists in one order: [i, j] for a token of both, [i, null] or [null, j] for a token of one.
function mergedOrder(first, second, pairs) {
  const all = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...pairs, [first.length, second.length]]) {
    while (i < a) all.push([i++, null]);
    while (j < b) all.push([null, j++]);
    if (a < first.length) all.push([i++, j++]);
  }
  return all;
}

// A full bar is the weight 1.
function weightTable(rows) {
  const title = (name) => el("th", {scope: "col", class: "figure"}, name);
  const scale = (from, to) => el("td", {class: "scale"}, el("span", {}, from), el("span", {}, to));
  return el("table", {class: "versus"},
    el("thead", {}, el("tr", {},
      title(text.first), scale("1", "0"), el("td", {}), scale("0", "1"), title(text.second), title(text.change))),
    el("tbody", {}, ...rows.map(weightRow)));
}

function weightRow({word, a, b}) {
  const bar = (value, kind) => el("div", {class: "track"},
    el("div", {class: kind, style: {width: `${100 * (value ?? 0)}%`}}));
  const figure = (content) => el("td", {class: "figure"}, content);
  return el("tr", {},
    figure(number(a)), el("td", {class: "left"}, bar(a, "level")), el("th", {scope: "row"}, word),
    el("td", {class: "right"}, bar(b, "level more")), figure(number(b)),
    figure(a !== null && b !== null ? signed(b - a) : ""));
}
