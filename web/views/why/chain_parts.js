// Small parts of the steps after the softmax: the difference to the kernel, mean and variance, one hidden unit, and
// what comes after the layer.

import {number} from "../../core/format.js";
import {el} from "../../parts/elements.js";
import {text} from "../../strings/layer.js";
import {rowOf} from "./chain.js";
import {shortest32, strongest} from "./equation.js";
import {unitFormula} from "./formulas.js";

const mostUnits = 256;  // units in the last place that rounding and another order of adding may explain

/** How far the page's own numbers are from those of the kernel. */
export function checkLine({most, units}, before = "") {
  const sentence = most === 0 ? text.same
    : text.check(most.toExponential(1).replaceAll("-", "−"), number(units, 1));
  return el("p", {class: "note why-check", "data-difference": String(most), "data-units": String(units)},
    before ? `${before} ` : "", sentence, units > mostUnits ? ` ${text.fewerDigits}` : "");
}

export function normFacts({mean, variance}, {mean: kernelMean, rstd, eps}) {
  const fact = (title, own, kernel) => [el("dt", {}, title), el("dd", {class: "number"}, own, kernel)];
  return el("dl", {class: "sums"},
    fact(text.mean, number(mean, 6), kernelNumber(kernelMean)),
    fact(text.variance, number(variance, 6), kernelNumber(1 / rstd ** 2 - eps)));
}

const kernelNumber = (value) => el("span", {class: "note"}, ` ${text.kernel(shortest32(value))}`);

/** How the chosen unit was computed, and the check of the activations. */
export function unitParts({units, activations}, {input, weights}, at) {
  if (!units.length) return [];
  const pattern = rowOf(weights, at);
  const largest = strongest(Float64Array.from(input, (value, c) => value * pattern[c]), 3);
  return [
    el("p", {class: "note"}, text.unitProduct(units[at].unit), " ",
      largest.map(({at: dimension, value}) => text.inDimension(dimension + 1, number(value))).join(", ")),
    unitFormula(units[at]),
    checkLine(activations, text.activationCheck),
  ];
}

// A sentence with a button that changes the state.
const endPart = (app, sentence, label, change) => el("div", {class: "why-end"}, el("p", {}, sentence),
  label ? el("button", {type: "button", onclick: () => app.set(change)}, label) : null);

/** What reads the result, with a button that goes there. */
export function endParts(app, {site, layer}, crossFollows) {
  const part = (...what) => endPart(app, ...what);
  const cross = app.sites.find(({queries, keys}) => queries === "target" && keys === "source");
  if (crossFollows) return part(text.crossBetween, text.showCross(cross.title), {attention: cross.name});
  if (layer + 1 < site.layers) {
    const next = app.sites.find(({queries, keys}) => queries === site.queries && keys === site.queries) ?? site;
    return part(text.nextLayer(layer + 2), text.showLayer(layer + 2), {attention: next.name, layer: layer + 1});
  }
  if (site.queries === "target") return part(text.lastTarget, text.showWords, {tab: "words"});
  return part(text.lastSource, cross && text.showCross(cross.title), {attention: cross?.name});
}

/** The same for an attention that is not part of a layer with residual connections. */
export const contextEnd = (app) => endPart(app, text.contextEnd, text.showWords, {tab: "words"});
