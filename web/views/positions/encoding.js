// How a cell of the table of position encodings is computed, and its formula.

import {el} from "../../parts/elements.js";
import {number} from "../../core/format.js";
import {digits, formula, mi, mn, mo, name, over, row, sub, sup} from "../../parts/formula.js";
import {text} from "../../strings/positions.js";

/**
 * The wave of a cell as the model computes it: {isSine, pair, over, rate, angle}, where sin(angle) or cos(angle) is the
 * value; null if the table was learned. `kind` is the model's setting: "sinusoid" is the paper's formula; in
 * "sinusoid-t2t" and "sinusoid-half" the first half of the dimensions are sines and the second half cosines. `pair` and
 * `over` are the numerator and the denominator in the exponent of 10000: 2i and d_model in the paper and in
 * "sinusoid-half"; i and d_model / 2 - 1 in "sinusoid-t2t".
 */
function waveOf(kind, position, dimension, width) {
  if (kind === "sinusoid") {
    const pair = dimension - (dimension % 2);
    const rate = 10000 ** (-pair / width);
    return {isSine: dimension % 2 === 0, pair, over: width, rate, angle: position * rate};
  }
  const half = Math.floor(width / 2);
  if (kind === "sinusoid-half") {
    const pair = 2 * (dimension % half);
    const rate = 10000 ** (-pair / width);
    return {isSine: dimension < half, pair, over: width, rate, angle: position * rate};
  }
  if (kind !== "sinusoid-t2t") return null;
  const pair = dimension % Math.max(1, half);
  const rate = half > 1 ? Math.exp((-pair * Math.log(10000)) / (half - 1)) : 1;
  return {isSine: dimension < half, pair, over: half - 1, rate, angle: position * rate};
}

/**
 * The formula of a cell, with letters and with numbers, and a note. `value` is the number in the model's table, and
 * `position` counts from the model's first position.
 */
export function cellFormulas(kind, {position, dimension, width, value}) {
  const wave = waveOf(kind, position, dimension, width);
  const cell = [name("PE"), row(mo("("), mn(position), mo(","), mn(dimension), mo(")")), mo("=")];
  if (!wave) {
    return [formula(...cell, digits(value)), kind ? el("p", {class: "note"}, text.learnedCell) : ""];
  }
  const turn = (...angle) => [name(wave.isSine ? "sin" : "cos"), row(mo("("), ...angle, mo(")"))];
  const power = row(mn(wave.pair), mo("/"), mn(wave.over));
  const length = (2 * Math.PI) / wave.rate;
  const result = wave.isSine ? Math.sin(wave.angle) : Math.cos(wave.angle);
  return [
    generalFormula(kind, wave.isSine, turn),
    el("div", {class: "formulas"}, formula(...cell, ...turn(over(mn(position), sup(mn(10000), power)))),
      formula(mo("="), ...turn(digits(wave.angle)), mo("="), digits(result, 5))),
    el("p", {class: "note"}, text.inTable(number(value, 5), length < 1000 ? number(length, 1) : Math.round(length))),
  ];
}

// PE(pos, 2i) = sin(pos / 10000^(2i / d_model)) in the paper, and its counterparts for the other order of dimensions.
function generalFormula(kind, isSine, turn) {
  const isPaper = kind === "sinusoid";
  const isT2t = kind === "sinusoid-t2t";
  const width = () => sub(mi("d"), name("model"));
  const half = () => row(width(), mo("/"), mn(2));
  const index = isPaper ? [mn(2), mi("i")] : [mi("i")];
  if (!isSine) index.push(mo("+"), isPaper ? mn(1) : half());
  const divisor = isT2t ? [mo("("), half(), mo("−"), mn(1), mo(")")] : [width()];
  const power = row(...(isT2t ? [] : [mn(2)]), mi("i"), mo("/"), ...divisor);
  return formula(name("PE"), row(mo("("), mi("pos"), mo(","), ...index, mo(")")), mo("="),
    ...turn(over(mi("pos"), sup(mn(10000), power))));
}
