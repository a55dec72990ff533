// A matrix of weights as an SVG picture, for export.

import {number} from "../core/format.js";
import {colour, weightColours} from "./colours.js";
import {svg, svgSheet} from "./elements.js";

const [left, top] = [120, 130];  // pixels for the labels

/** `head` is null for weights with a sign; `full` is the weight that is shown in full colour. */
export function cellsPicture({matrix, queries, keys, head, full = 1, title}) {
  const size = matrix.rows * matrix.columns > 4000 ? 6 : 26;
  const [width, height] = [left + matrix.columns * size + 70, top + matrix.rows * size + 10];
  const text = (attributes, content) => svg(
    "text", {"font-size": Math.min(13, size * 0.8), fill: colour("--ink"), ...attributes}, content);
  const frame = svg("rect", {
    x: left - 0.5, y: top - 0.5, width: matrix.columns * size, height: matrix.rows * size, fill: "none",
    stroke: colour("--line"),
  });
  return svgSheet(width, height,
    text({x: 8, y: 18, "font-size": 13, fill: colour("--soft")}, title),
    ...boxes({matrix, queries, keys, head, full}, size), frame,
    ...queries.map((label, i) => text({x: left - 6, y: top + (i + 0.7) * size, "text-anchor": "end"}, label)),
    ...keys.map(
      (label, j) => text({transform: `translate(${left + (j + 0.6) * size},${top - 6}) rotate(-55)`}, label)));
}

function boxes({matrix, queries, keys, head, full}, size) {
  const {more, less = more} = weightColours(head);
  const list = [];
  for (let i = 0; i < matrix.rows; ++i) {
    for (let j = 0; j < matrix.columns; ++j) {
      const value = matrix.at(i, j);
      if (Math.abs(value) < 0.004) continue;
      list.push(svg("rect", {
        x: left + j * size, y: top + i * size, width: size - 1, height: size - 1, fill: value < 0 ? less : more,
        "fill-opacity": Math.min(1, Math.abs(value) / full).toFixed(3),
      }, svg("title", {}, `${queries[i]} → ${keys[j]}: ${number(value, 4)}`)));
    }
  }
  return list;
}
