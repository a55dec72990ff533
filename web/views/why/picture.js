// The computation of a weight as one picture, for export: query, key and products, the numbers of the equation, and a
// bar for the weight of each listed key.

import {number} from "../../core/format.js";
import {svg} from "../../parts/elements.js";
import {largestOf, vectorPaths} from "../../parts/vector_rows.js";
import {text} from "../../strings/why.js";
import {shortest32} from "./equation.js";
import {sumName} from "./steps.js";
import {stripHeight, stripPicture} from "./strip.js";

const [width, line] = [760, 20];  // pixels: of the picture, per bar

const label = (x, y, content, anchor) => svg("text", {x, y, class: "label", "text-anchor": anchor}, content);

/**
 * `weight` is the result of computeWeight() together with the place of the weight, its labels and the weight that the
 * model `recorded`. `listed` are the indices of the keys that get a bar, and `blocks` the steps after the softmax,
 * [{title, rows}].
 */
export function whyPicture(weight, listed, blocks = []) {
  const {labels, chosen} = weight;
  const title = text.pictureTitle(weight.site.title, weight.layer + 1, weight.head + 1, labels.queries[weight.query],
    labels.keys[weight.key]);
  const divided = weight.root === 1 ? "" : `;  ÷ √${weight.d} = ${number(chosen.scaled, 4)}`;
  const score = `${sumName(weight.site)} = ${number(chosen.dot, 4)}${divided}`;
  const softmax = `softmax: ${number(chosen.exp, 4)} / ${number(weight.sum, 4)} = ${number(chosen.weight, 6)}`;
  const top = 64 + stripHeight(weight);
  const below = top + listed.length * line + 12;
  const {parts, height: more} = chainPicture(blocks, below);
  const height = below + more;
  const strip = stripPicture(weight, width - 16, null);
  strip.setAttribute("x", 8);
  strip.setAttribute("y", 52);
  return svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height},
    label(8, 20, title),
    label(8, 40, `${score};  ${softmax};  ${text.pictureRecorded(shortest32(weight.recorded))}`),
    strip, ...listed.flatMap((j, at) => keyBar(weight, j, top + at * line)), ...parts);
}

function keyBar({labels, keys, key}, j, y) {
  const {weight} = keys[j];
  return [
    label(120, y + 14, labels.keys[j], "end"),
    svg("rect", {x: 130, y: y + 4, width: Math.max(0.5, 500 * weight), height: 12,
      class: j === key ? "bar-plus" : "bar-plain"}),
    label(138 + 500 * weight, y + 14, number(weight, 4)),
  ];
}

// The strips of the steps after the softmax, from y = `begin` on: {parts, height}.
function chainPicture(blocks, begin) {
  const parts = [];
  let y = begin;
  for (const {title, rows} of blocks) {
    const most = largestOf(rows.map(({values}) => values));
    parts.push(label(8, y + 26, title));
    y += 34;
    for (const row of rows) {
      parts.push(...vectorLine(row, most, y));
      y += line;
    }
  }
  return {parts, height: y - begin + (blocks.length ? 12 : 0)};
}

function vectorLine({label: name, second, share, values, most: own}, most, y) {
  const cells = svg("g", {transform: `translate(270 ${y + 2}) scale(${(width - 278) / values.length} 16)`},
    ...vectorPaths(values, own ?? most));
  return [
    label(140, y + 14, name, "end"), label(196, y + 14, second ?? "", "end"),
    label(258, y + 14, share === undefined ? "" : `${number(100 * share, 1)}%`, "end"), cells,
  ];
}
