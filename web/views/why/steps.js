// The steps of the view "Why", from a computed weight (see equation.js).

import {number} from "../../core/format.js";
import {joinedSentences} from "../../core/language.js";
import {isSelf} from "../../core/sites.js";
import {el} from "../../parts/elements.js";
import {digits, formula, mi, mn, mo, over, row, sqrt, sub} from "../../parts/formula.js";
import {text as strings} from "../../strings/weight.js";
import {lastPlace, shortest32} from "./equation.js";
import {exponential, sumTerms} from "./formulas.js";

export function questionParts({labels, query, key, site}) {
  const token = (text) => el("strong", {class: "why-token"}, text);
  const [from, to] = [token(labels.queries[query]), token(labels.keys[key])];
  if (site.queries === "source") return strings.looks(from, to);
  return (site.keys === "source" ? strings.looksAtSource : strings.looksAtTranslation)(from, to);
}

export function dotParts({chosen: {dot}, products, query, key}, largest) {
  return [
    el("div", {class: "formulas"},
      formula(sub(mi("q"), mn(query + 1)), mo("·"), sub(mi("k"), mn(key + 1)), mo("="), ...sumTerms(products)),
      formula(mo("="), digits(dot))),
    el("p", {class: "note"},
      strings.largestProducts(largest.map(({at, value}) => `${at + 1} (${number(value)})`))),
  ];
}

export function scaleFormula({chosen: {dot, scaled}, d, root}) {
  return formula(
    over(digits(dot), sqrt(mn(d))), mo("="), over(digits(dot), digits(root)), mo("="), digits(scaled));
}

export function maskText({keys, chosen, site}) {
  const hidden = keys.filter(({seen}) => !seen).length;
  if (hidden === 0 && !isSelf(site)) return strings.noMask;
  if (!chosen.seen) return strings.hiddenKey(hidden, keys.length);
  if (hidden === 0) return strings.nothingHidden;
  return (site.causal ? strings.laterHidden : strings.outsideHidden)(hidden, keys.length);
}

/** `listed` are the keys of the table, `fold` is the button below it, and `pick(key)` is called by a click on a key. */
export function softmaxParts(computed, listed, fold, pick) {
  const {query, key, chosen: {exp, weight}, sum, most} = computed;
  return [
    el("p", {class: "note"}, strings.subtracted(number(most))),
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
  const titles = [strings.key, "q · k", "÷ √d", "exp", strings.weightColumn];
  return el("table", {class: "why-row"},
    el("caption", {}, el("span", {}, strings.row)),
    el("thead", {}, el("tr", {},
      titles.map((title, at) => el("th", {scope: "col", class: at === 1 ? "dots" : null}, title)),
      el("td", {class: "why-bar scale", "aria-hidden": "true"}, el("span", {}, "0"), el("span", {}, "1")))),
    el("tbody", {}, listed.map((j) => keyRow(computed, j, pick))),
    el("tfoot", {}, el("tr", {}, el("th", {scope: "row"}, strings.sum), el("td", {class: "dots"}), el("td"),
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
      fact(strings.here, here.toPrecision(12)),
      fact(strings.recorded, shortest32(recorded)),
      fact(strings.difference, strings.units(difference, number(units, 2)))),
    el("p", {class: "note"}, joinedSentences([roundingText(here, recorded, units), strings.valueNote])),
  ];
}

function roundingText(here, recorded, units) {
  if (here === recorded) return strings.same;
  if (units <= 0.5) return strings.nearest;
  if (units < 256) return strings.rounding;
  return strings.fewerDigits;
}
