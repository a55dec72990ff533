// The steps of the view "Why", from a computed weight (see equation.js).

import {number} from "../../core/format.js";
import {isSelf} from "../../core/sites.js";
import {el} from "../../parts/elements.js";
import {digits, formula, mi, mn, mo, over, row, sqrt, sub} from "../../parts/formula.js";
import {lastPlace, shortest32} from "./equation.js";
import {exponential, sumTerms} from "./formulas.js";

export function questionParts({labels, query, key, site}) {
  const token = (text) => el("strong", {class: "why-token"}, text);
  const [from, to] = [token(labels.queries[query]), token(labels.keys[key])];
  if (site.queries === "source") return ["How much does ", from, " look at ", to, "? "];
  const which = site.keys === "source" ? " of the source? " : " of the translation so far? ";
  return ["When ", from, " was chosen, how much did the decoder look at ", to, which];
}

export function dotParts({chosen: {dot}, products, query, key}, largest) {
  return [
    el("div", {class: "formulas"},
      formula(sub(mi("q"), mn(query + 1)), mo("·"), sub(mi("k"), mn(key + 1)), mo("="), ...sumTerms(products)),
      formula(mo("="), digits(dot))),
    el("p", {class: "note"}, "Dimensions with the largest products: ",
      largest.map(({at, value}) => `${at + 1} (${number(value)})`).join(", "), "."),
  ];
}

export function scaleFormula({chosen: {dot, scaled}, d, root}) {
  return formula(
    over(digits(dot), sqrt(mn(d))), mo("="), over(digits(dot), digits(root)), mo("="), digits(scaled));
}

export function maskText({keys, chosen, site}) {
  const hidden = keys.filter(({seen}) => !seen).length;
  const count = `${hidden} of ${keys.length} keys`;
  if (hidden === 0 && !isSelf(site)) return "There is no mask: every word of the source may be looked at.";
  if (!chosen.seen) {
    return `This key is hidden: its score is set to −∞, so its weight is 0. ${count} are hidden from this query.`;
  }
  if (hidden === 0) return "Nothing is hidden from this query.";
  const why = site.causal ? "come later than what has been written" : "lie outside the window";
  return `${count} ${why}; their scores are set to −∞. This key is not one of them.`;
}

/** `listed` are the keys of the table, `fold` is the button below it, and `pick(key)` is called by a click on a key. */
export function softmaxParts(computed, listed, fold, pick) {
  const {query, key, chosen: {exp, weight}, sum, most} = computed;
  const note = `The largest score of the row, ${number(most)}, is subtracted before exp, as in the attention kernel: ` +
    "this prevents overflow and does not change the weights.";
  return [
    el("p", {class: "note"}, note),
    el("div", {class: "scroll-x"}, keyTable(computed, listed, pick)),
    fold,
    el("div", {class: "formulas"},
      formula(sub(mi("α"), row(mn(query + 1), mo(","), mn(key + 1))), mo("="),
        over(exponential(computed), digits(sum))),
      formula(mo("="), over(digits(exp), digits(sum)), mo("="), digits(weight, 6))),
  ];
}

function keyTable(computed, listed, pick) {
  const {keys, sum} = computed;
  const total = keys.reduce((sumSoFar, {weight}) => sumSoFar + weight, 0);
  const titles = ["Key", "q · k", "÷ √d", "exp", "weight"];
  return el("table", {class: "why-row"},
    el("caption", {}, el("span", {}, "One row of the softmax; choose a key to see how its weight is computed.")),
    el("thead", {}, el("tr", {},
      titles.map((title, at) => el("th", {scope: "col", class: at === 1 ? "dots" : null}, title)),
      el("td", {class: "why-bar scale", "aria-hidden": "true"}, el("span", {}, "0"), el("span", {}, "1")))),
    el("tbody", {}, listed.map((j) => keyRow(computed, j, pick))),
    el("tfoot", {}, el("tr", {}, el("th", {scope: "row"}, "Sum"), el("td", {class: "dots"}), el("td"),
      el("td", {}, number(sum, 4)), el("td", {}, number(total, 4)), el("td"))));
}

function keyRow({keys, key, labels}, j, pick) {
  const {dot, scaled, seen, exp, weight} = keys[j];
  const isChosen = j === key;
  const numbers = seen ? [number(scaled), number(exp, 4), number(weight, 4)] : ["−∞", "0", "0"];
  const choose = el("button",
    {type: "button", class: "in-table", "aria-pressed": String(isChosen), onclick: () => pick(j)}, labels.keys[j]);
  return el("tr", {class: `${isChosen ? "row-chosen" : ""} ${seen ? "" : "hidden-key"}`},
    el("th", {scope: "row"}, choose), el("td", {class: "dots"}, number(dot)),
    numbers.map((text) => el("td", {}, text)),
    // A full bar is the weight 1.
    el("td", {class: "why-bar", "aria-hidden": "true"},
      el("div", {class: "track"}, el("span", {style: {width: `${100 * weight}%`}}))));
}

export function comparisonParts({chosen, recorded}) {
  const here = chosen.weight;
  const units = Math.abs(here - recorded) / lastPlace(recorded);
  const difference = (recorded - here).toExponential(2).replaceAll("-", "−");
  const fact = (title, text) => [el("dt", {}, title), el("dd", {class: "number"}, text)];
  return [
    el("dl", {class: "sums"},
      fact("computed here, in double precision", here.toPrecision(12)),
      fact("recorded by the attention kernel, float32", shortest32(recorded)),
      fact("difference", `${difference} = ${number(units, 2)} units in the last place`)),
    el("p", {class: "note"}, `${roundingText(here, recorded, units)} The weight says how much of this key's value ` +
      "vector, the V of the equation, goes into the result."),
  ];
}

function roundingText(here, recorded, units) {
  if (here === recorded) return "Both are the same number.";
  if (units <= 0.5) return "The recorded number is the float32 nearest to what was computed here.";
  if (units < 256) return "The kernel computes in float32 and adds in another order; the difference is rounding.";
  return "This is more than the rounding of float32: the kernel computes with fewer digits, as on a GPU.";
}
