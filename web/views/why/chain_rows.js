// The rows of vectors that each step after the softmax shows, from the sums of chain.js. Both the page and the picture
// for export are drawn from them.

import {number} from "../../core/format.js";
import {largestOf} from "../../parts/vector_rows.js";
import {text} from "../../strings/layer.js";
import {shareOf, sumOf} from "./chain.js";

const [mostKeys, leastWeight] = [8, 0.01];  // words that have rows of their own

/** The indices of the keys with the largest weights, in the order of the sentence. */
function listedKeys(alpha) {
  const order = Array.from(alpha, (_, key) => key).sort((a, b) => alpha[b] - alpha[a]);
  return order.slice(0, mostKeys).filter((key, at) => at === 0 || alpha[key] >= leastWeight).sort((a, b) => a - b);
}

/** `name` is that of the sum. */
export function valueRows({alpha, terms, kernel}, labels, name) {
  const listed = listedKeys(alpha);
  const others = terms.filter((_, key) => alpha[key] > 0 && !listed.includes(key));
  const part = (label, second, values) => ({label, second, values, share: shareOf(values, kernel)});
  const rows = listed.map((key) => part(labels[key], number(alpha[key]), terms[key]));
  if (others.length) rows.push(part(text.otherKeys(others.length), "", sumOf(others)));
  return [...rows, {label: name, values: kernel, isSum: true}];
}

/** `pick(head)` is called by a click on a head; `isOff(head)` says whether it is switched off. */
export function headRows({terms, bias, kernel}, head, {pick, isOff}) {
  const rows = terms.map((values, at) => ({
    label: (isOff(at) ? text.headOff : text.head)(at + 1), values, share: shareOf(values, kernel),
    isChosen: at === head, pick: () => pick(at),
  }));
  if (bias) rows.push({label: text.bias, values: bias, share: shareOf(bias, kernel)});
  return [...rows, {label: text.multiHead, values: kernel, isSum: true}];
}

export const residualRows = ({residual, output, kernel}, name) => [
  {label: text.residual, values: residual, share: shareOf(residual, kernel)},
  {label: name, values: output, share: shareOf(output, kernel)},
  {label: text.sum, values: kernel, isSum: true},
];

// The two rows have scales of their own: normalisation makes large numbers small.
export const normRows = ({sum, kernel}) => [
  {label: text.before, values: sum, most: largestOf([sum])},
  {label: text.after, values: kernel, most: largestOf([kernel]), isSum: true},
];

/** `unit` is the chosen one of the listed units; `pick(at)` is called by a click on one. */
export function unitRows({inner, on, units, terms, rest, bias, kernel}, unit, pick) {
  const rows = units.map(({unit: label, activation, share}, at) => ({
    label: text.unitName(label), second: number(activation), share, values: terms[at], isChosen: at === unit,
    pick: () => pick(at),
  }));
  const others = Math.min(inner.length, on) - units.length;
  if (others > 0) rows.push({label: text.otherUnits(others), values: rest, share: shareOf(rest, kernel)});
  if (bias) rows.push({label: text.bias, values: bias, share: shareOf(bias, kernel)});
  return [...rows, {label: text.network, values: kernel, isSum: true}];
}
