// The attention of one frame of the film: cells with their tokens beside them.

import {svg} from "../../parts/elements.js";
import {text} from "../../strings/film.js";

export const labelHeight = 84;  // pixels for the labels of the keys
const mostHeight = 560;         // of all cells
const mostDescribed = 12;       // queries in the label for screen readers

const labelWidth = (width) => (width < 480 ? 76 : 110);

/** The size {wide, high} of a cell in a picture of this width. */
export function cellSize({rows, columns}, width) {
  const room = Math.max(300, width) - labelWidth(width) - 30;
  return {
    wide: Math.max(6, Math.min(22, Math.floor(room / columns))), high: Math.max(6, Math.min(22, mostHeight / rows)),
  };
}

/** `image` is a canvas with one pixel for each weight. */
export function framePicture({weights, queries, keys, image, head, width: room}) {
  const cell = cellSize(weights, room);
  const left = labelWidth(room);
  const [wide, high] = [weights.columns * cell.wide, weights.rows * cell.high];
  const [width, height] = [left + wide + 30, labelHeight + high + 4];
  return svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": text.attention(head + 1, strongestTexts(weights, queries, keys))},
  svg("image", {x: left, y: labelHeight, width: wide, height: high, href: image.toDataURL(),
    preserveAspectRatio: "none", style: {"image-rendering": "pixelated"}}),
  ...labels(queries, cell.high, (i) => (
    {x: left - 8, y: labelHeight + (i + 0.5) * cell.high + 4, "text-anchor": "end"})),
  ...labels(keys, cell.wide, (j) => {
    const [x, y] = [left + (j + 0.5) * cell.wide + 4, labelHeight - 8];
    return {x, y, transform: `rotate(-50 ${x} ${y})`};
  }),
  svg("rect", {x: left - 0.5, y: labelHeight - 0.5, width: wide + 1, height: high + 1, class: "frame"}));
}

// The tokens, or some of them if cells are too small for all.
function labels(tokens, size, place) {
  const every = Math.ceil(12 / size);
  const kind = size < 18 ? "label small" : "label";
  return tokens.flatMap((token, i) => (i % every ? [] : [svg("text", {...place(i), class: kind}, token)]));
}

// The strongest key of each query, in words.
function strongestTexts(weights, queries, keys) {
  return queries.slice(0, mostDescribed).map((query, i) => {
    let best = 0;
    for (let j = 1; j < weights.columns; ++j) if (weights.at(i, j) > weights.at(i, best)) best = j;
    return text.looksMostAt(query, keys[best]);
  });
}
