// The numbers beside the picture of the heads.

import {number} from "../../core/format.js";
import {isSelf} from "../../core/sites.js";
import {headColour} from "../../parts/colours.js";
import {el} from "../../parts/elements.js";
import {text as strings} from "../../strings/heads.js";

const mostRows = 12;
const mostRunningTokens = 120;  // longer sentences are not shown as running text

const inOrder = (heads) => [...heads].sort((a, b) => a - b);

/** The largest weights of one token {side, index}, by head. `focusToken(side, index)` goes to a token. */
export function tokenWeights(app, {side, index}, focusToken) {
  const {attention, layer} = app.state;
  const heads = inOrder(app.state.heads);
  const {queries, keys} = app.trace.tokens(attention);
  const [own, others] = side === "query" ? [queries, keys] : [keys, queries];
  if (!heads.length || index >= own.length) return [];
  const matrices = heads.map((head) => app.trace.weights(attention, layer, head));
  const weightsOf = (i) => matrices.map((matrix) => (side === "query" ? matrix.at(index, i) : matrix.at(i, index)));
  const rows = largest(others, weightsOf);
  const go = (i) => focusToken(side === "query" ? "key" : "query", i);
  return [
    el("h3", {}, ...(side === "query" ? strings.wordLooksAt : strings.whoLooksAt)(el("b", {}, own[index]))),
    el("p", {class: "note"},
      heads.length === 1 ? strings.meanOfOne(layer + 1) : strings.meanOf(heads.length, layer + 1)),
    ...(others.length <= mostRunningTokens ? [runningText(others, weightsOf)] : []),
    el("table", {class: "bars"}, weightScale(), el("tbody", {},
      ...rows.map((row) => weightRow(row, heads, others.length > 60, () => go(row.i))))),
  ];
}

// The tokens of largest mean weight: those of at least 0.0005, and the first three if their weight is not 0.
function largest(tokens, weightsOf) {
  const rows = tokens.map((text, i) => {
    const weights = weightsOf(i);
    return {text, i, weights, mean: weights.reduce((sum, weight) => sum + weight, 0) / weights.length};
  });
  return rows.sort((a, b) => b.mean - a.mean).slice(0, mostRows).filter(
    ({mean}, place) => mean >= 0.0005 || (place < 3 && mean > 0));
}

// A full bar is the weight 1.
const weightScale = () => el("thead", {}, el("tr", {}, el("td"),
  el("th", {scope: "col", class: "scale"}, el("span", {}, "0"), el("span", {}, "1")),
  el("th", {scope: "col", class: "figure"}, strings.weight)));

function weightRow({text, i, weights, mean}, heads, numbered, go) {
  const details = heads.map((head, h) => strings.headWeight(head + 1, number(weights[h], 4))).join("\n");
  const stack = heads.map(
    (head, h) => el("i", {style: {"flex-grow": String(weights[h]), background: headColour(head)}}));
  return el("tr", {title: details},
    el("th", {scope: "row"}, el("button", {type: "button", tabindex: -1, onclick: go}, text),
      numbered ? el("span", {class: "at"}, ` ${i + 1}`) : null),
    el("td", {class: "bar-cell"},
      el("div", {class: "track"}, el("div", {class: "stack", style: {width: `${100 * mean}%`}}, ...stack))),
    el("td", {class: "figure"}, number(mean)));
}

// The other sentence as running text, each word shaded by the square root of its mean weight. A label that begins with
// "·" is that of a piece that continues a word.
function runningText(tokens, weightsOf) {
  return el("p", {class: "running", "aria-hidden": "true"}, ...tokens.flatMap((text, i) => {
    const weights = weightsOf(i);
    const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
    const joined = i === 0 || text.startsWith("·") || /^[.,;:!?%)\]]$/.test(text);
    const shade = {"--shade": Math.sqrt(mean).toFixed(3)};
    return [joined ? "" : " ", el("span", {style: shade}, text.replace(/^·(?=.)/, ""))];
  }));
}

/** What the shown heads do on average, as a table. */
export function headNumbers(app) {
  const {attention, layer, heads} = app.state;
  const site = app.site(attention);
  const title = (text) => el("th", {scope: "col", class: "figure"}, text);
  return [
    el("h3", {}, app.layerTitle(attention, layer)),
    el("p", {class: "note"}, strings.usage),
    el("table", {class: "stats"},
      el("thead", {}, el("tr", {}, el("th", {scope: "col"}, strings.head),
        title(strings.entropy), title(strings.distance), title(strings.peak))),
      el("tbody", {}, ...inOrder(heads).map(
        (head) => headRow(head, app.trace.statistics(attention, layer, head))))),
    el("p", {class: "note"}, isSelf(site) ? strings.statisticsOfSelf : strings.statisticsOfCross),
  ];
}

function headRow(head, {entropy, distance, peak}) {
  const figure = (text) => el("td", {class: "figure"}, text);
  return el("tr", {},
    el("th", {scope: "row"}, el("i", {class: "swatch", style: {background: headColour(head)}}), ` ${head + 1}`),
    figure(number(entropy, 2)), figure(number(distance, 1)), figure(number(peak, 2)));
}
