// The steps of the view "Why", from a computed weight (see equation.js).

import {number} from "../../core/format.js";
import {followsEquationOne, isSelf, scores} from "../../core/sites.js";
import {el} from "../../parts/elements.js";
import {digits, formula, keyLength, mi, mn, mo, over, row, sqrt, sub} from "../../parts/formula.js";
import {text} from "../../strings/why.js";
import {lastPlace, shortest32} from "./equation.js";
import {exponential, numberedScore, sumTerms} from "./formulas.js";

export function questionParts({labels, query, key, site}) {
  const token = (piece) => el("strong", {class: "why-token"}, piece);
  const inTarget = site.keys === "source" ? text.ofSource : text.ofTarget;
  const [before, between, after] = site.queries === "source" ? text.inSource : inTarget;
  return [before, token(labels.queries[query]), between, token(labels.keys[key]), after];
}

/** What the first step is about. */
export function dotAbout(site) {
  const own = site.score === scores.additive ? text.additiveAbout : text.productAbout;
  const [before, after] = followsEquationOne(site) ? text.dotAbout : own;
  return [before, keyLength(), after];
}

/** The name of the sum of all dimensions, in texts. */
export const sumName = ({score}) => (score === scores.additive ? text.score : "q · k");

export function dotParts({chosen: {dot}, terms, query, key, site}, largest) {
  return [
    el("div", {class: "formulas"},
      formula(numberedScore(site, query + 1, key + 1), mo("="), ...sumTerms(terms)),
      formula(mo("="), digits(dot))),
    el("p", {class: "note"}, (site.score === scores.additive ? text.largestTerms : text.largest)(
      largest.map(({at, value}) => `${at + 1} (${number(value)})`).join(", "))),
  ];
}

export function scaleFormula({chosen: {dot, scaled}, d, root}) {
  return formula(
    over(digits(dot), sqrt(mn(d))), mo("="), over(digits(dot), digits(root)), mo("="), digits(scaled));
}

export function maskText({keys, chosen, site}) {
  const hidden = keys.filter(({seen}) => !seen).length;
  if (hidden === 0 && !isSelf(site)) return text.noMask;
  if (!chosen.seen) return text.hiddenKey(hidden, keys.length);
  if (hidden === 0) return text.nothingHidden;
  return (site.causal ? text.laterKeys : text.outsideKeys)(hidden, keys.length);
}

/** `listed` are the keys of the table, `fold` is the button below it, and `pick(key)` is called by a click on a key. */
export function softmaxParts(computed, listed, fold, pick) {
  const {query, key, chosen: {exp, weight}, sum, most} = computed;
  return [
    el("p", {class: "note"}, text.largestScore(number(most))),
    el("div", {class: "scroll-x"}, keyTable(computed, listed, pick)),
    fold,
    el("div", {class: "formulas"},
      formula(sub(mi("α"), row(mn(query + 1), mo(","), mn(key + 1))), mo("="),
        over(exponential(computed), digits(sum))),
      formula(mo("="), over(digits(exp), digits(sum)), mo("="), digits(weight, 6))),
  ];
}

function keyTable(computed, listed, pick) {
  const {keys, sum, site} = computed;
  const total = keys.reduce((sumSoFar, {weight}) => sumSoFar + weight, 0);
  const isScaled = site.score === scores.scaled;
  const titles = [text.key, ...(isScaled ? ["q · k", "÷ √d"] : [sumName(site)]), "exp", text.weight];
  return el("table", {class: "why-row"},
    el("caption", {}, el("span", {}, text.rowCaption)),
    el("thead", {}, el("tr", {},
      titles.map((title, at) => el("th", {scope: "col", class: isScaled && at === 1 ? "dots" : null}, title)),
      el("td", {class: "why-bar scale", "aria-hidden": "true"}, el("span", {}, "0"), el("span", {}, "1")))),
    el("tbody", {}, listed.map((j) => keyRow(computed, j, pick))),
    el("tfoot", {}, el("tr", {},
      el("th", {scope: "row"}, text.total), isScaled ? el("td", {class: "dots"}) : null, el("td"),
      el("td", {}, number(sum, 4)), el("td", {}, number(total, 4)), el("td"))));
}

function keyRow({keys, key, labels, site}, j, pick) {
  const {dot, scaled, seen, exp, weight} = keys[j];
  const isChosen = j === key;
  const numbers = seen ? [number(scaled), number(exp, 4), number(weight, 4)] : ["−∞", "0", "0"];
  const choose = el("button",
    {type: "button", class: "in-table", "aria-pressed": String(isChosen), onclick: () => pick(j)}, labels.keys[j]);
  return el("tr", {class: `${isChosen ? "row-chosen" : ""} ${seen ? "" : "hidden-key"}`},
    el("th", {scope: "row"}, choose), site.score === scores.scaled ? el("td", {class: "dots"}, number(dot)) : null,
    numbers.map((shown) => el("td", {}, shown)),
    // A full bar is the weight 1.
    el("td", {class: "why-bar", "aria-hidden": "true"},
      el("div", {class: "track"}, el("span", {style: {width: `${100 * weight}%`}}))));
}

/** What hard attention makes of the weights. */
export function choiceParts({keys, largest, labels, key}) {
  return [el("p", {}, text.choice(labels.keys[largest], number(keys[largest].weight, 4)),
    " ", largest === key ? text.isChosen : text.isNotChosen)];
}

export function comparisonParts({chosen, recorded, site}) {
  const result = site.formula ? text.meaningForContext : text.meaningForResult;
  const meaning = followsEquationOne(site) ? text.meaning : result;
  const here = chosen.used;
  const units = Math.abs(here - recorded) / lastPlace(recorded);
  const difference = (recorded - here).toExponential(2).replaceAll("-", "−");
  const fact = (title, shown) => [el("dt", {}, title), el("dd", {class: "number"}, shown)];
  return [
    el("dl", {class: "sums"},
      fact(text.computedHere, Number.isInteger(here) ? String(here) : here.toPrecision(12)),
      fact(text.recorded, shortest32(recorded)),
      fact(text.difference, text.lastPlaces(difference, number(units, 2)))),
    el("p", {class: "note"}, `${roundingText(here, recorded, units)} ${meaning}`),
  ];
}

function roundingText(here, recorded, units) {
  if (here === recorded) return text.sameNumber;
  if (units <= 0.5) return text.nearestNumber;
  return units < 256 ? text.rounding : text.fewerDigits;
}
