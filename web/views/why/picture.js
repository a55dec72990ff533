// The computation of a weight as one picture, for export: query, key and products, the numbers of the equation, and a
// bar for the weight of each listed key.

import {number} from "../../core/format.js";
import {svg} from "../../parts/elements.js";
import {shortest32} from "./equation.js";
import {stripPicture} from "./strip.js";

const [width, top, line] = [760, 240, 20];  // pixels: of the picture, above the bars, per bar

const text = (x, y, content, anchor) => svg("text", {x, y, class: "label", "text-anchor": anchor}, content);

/**
 * `weight` is the result of computeWeight() together with the place of the weight, its labels and the weight that the
 * model `recorded`. `listed` are the indices of the keys that get a bar.
 */
export function whyPicture(weight, listed) {
  const {labels, chosen} = weight;
  const head = `${weight.attention}, layer ${weight.layer + 1}, head ${weight.head + 1}`;
  const words = `how much “${labels.queries[weight.query]}” looks at “${labels.keys[weight.key]}”`;
  const score = `q · k = ${number(chosen.dot, 4)};  ÷ √${weight.d} = ${number(chosen.scaled, 4)}`;
  const softmax = `softmax: ${number(chosen.exp, 4)} / ${number(weight.sum, 4)} = ${number(chosen.weight, 6)}`;
  const height = top + listed.length * line + 12;
  const strip = stripPicture(weight, width - 16, null);
  strip.setAttribute("x", 8);
  strip.setAttribute("y", 52);
  return svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height},
    text(8, 20, `${head}: ${words}`),
    text(8, 40, `${score};  ${softmax};  recorded: ${shortest32(weight.recorded)}`),
    strip, ...listed.flatMap((j, at) => keyBar(weight, j, top + at * line)));
}

function keyBar({labels, keys, key}, j, y) {
  const {weight} = keys[j];
  return [
    text(120, y + 14, labels.keys[j], "end"),
    svg("rect", {x: 130, y: y + 4, width: Math.max(0.5, 500 * weight), height: 12,
      class: j === key ? "bar-plus" : "bar-plain"}),
    text(138 + 500 * weight, y + 14, number(weight, 4)),
  ];
}
