// Attention as lines between tokens: which links are strong enough to be drawn, and how they are drawn on a canvas or
// as SVG. Links are kept in lists {head, level, queries, keys}: all links of one head and one level of opacity are one
// path.

import {colour, headColour} from "./colours.js";
import {svg, svgSheet} from "./elements.js";

const levels = 24;   // of opacity; finer for small weights
const bins = 4096;   // of the histogram of weights
const leastOfOneToken = 0.002;  // among the links of one token, smaller weights are not drawn

// Weights below this are drawn only if their token is pointed at or pinned.
const leastOfAll = (columns) => Math.min(0.01, 0.5 / columns);

const levelOf = (weight) => Math.min(levels - 1, Math.sqrt(weight) * levels | 0);
const strength = (level) => ((level + 0.6) / levels) ** 2;
const opacity = (level) => strength(level) ** 0.8;  // the exponent makes weak links a little easier to see
const thickness = (level) => 1 + 1.6 * strength(level);

// The lists of one head, a list for each level.
class LevelLists {
  constructor(head) {
    this.lists = Array.from({length: levels}, (_, level) => ({head, level, queries: [], keys: []}));
  }

  add(query, key, weight) {
    const list = this.lists[levelOf(weight)];
    list.queries.push(query);
    list.keys.push(key);
  }

  get filled() { return this.lists.filter(({queries}) => queries.length); }
}

const strongestLast = (lists) => lists.sort((a, b) => a.level - b.level);  // so that they are drawn on top

// The smallest weight, rounded to a bin of the histogram, such that at most `most` links have this weight or more.
function leastFor(matrices, most) {
  const counts = new Uint32Array(bins + 1);
  for (const {data} of matrices) for (let i = 0; i < data.length; ++i) ++counts[data[i] * bins | 0];
  let [bin, drawn] = [bins, 0];
  while (bin > 0 && drawn + counts[bin] <= most) drawn += counts[bin--];
  return bin === 0 ? 0 : (bin + 1) / bins;
}

/**
 * The strongest links of some heads: those of weight `wanted` or more, and at most `most`. Returns {lists, least,
 * drawn, all}: `least` is the smallest weight that is drawn, `drawn` the number of links that are drawn, and `all` the
 * number of all links.
 */
export function strongestLinks(trace, {attention, layer, heads, least: wanted = 0}, most = 6000) {
  const matrices = [...heads].map((head) => trace.weights(attention, layer, head));
  if (!matrices.length) return {lists: [], least: 0, drawn: 0, all: 0};
  const least = Math.max(leastFor(matrices, most), leastOfAll(matrices[0].columns), wanted);
  const lists = [];
  let [drawn, all] = [0, 0];
  [...heads].forEach((head, h) => {
    const {rows, columns, data} = matrices[h];
    const found = new LevelLists(head);
    for (let i = 0, at = 0; i < rows; ++i) {
      for (let j = 0; j < columns; ++j, ++at) {
        if (data[at] > 0) ++all;
        if (data[at] < least) continue;
        found.add(i, j, data[at]);
        ++drawn;
      }
    }
    lists.push(...found.filled);
  });
  return {lists: strongestLast(lists), least, drawn, all};
}

/** The lists of all links of one token; `side` is "query" or "key". */
export function linksOfToken(trace, {attention, layer, heads}, side, index) {
  const lists = [];
  for (const head of heads) {
    const {rows, columns, data} = trace.weights(attention, layer, head);
    const found = new LevelLists(head);
    const count = side === "query" ? columns : rows;
    for (let other = 0; other < count; ++other) {
      const [i, j] = side === "query" ? [index, other] : [other, index];
      const weight = data[i * columns + j];
      if (weight >= leastOfOneToken) found.add(i, j, weight);
    }
    lists.push(...found.filled);
  }
  return strongestLast(lists);
}

// Lines of different heads between the same tokens are drawn side by side. Gives each head's distance from the middle
// of a row.
function laneOffsets(lists, row) {
  const heads = [...new Set(lists.map(({head}) => head))].sort((a, b) => a - b);
  const step = Math.min(2.6, row * 0.6 / Math.max(1, heads.length - 1));
  return new Map(heads.map((head, i) => [head, (i - (heads.length - 1) / 2) * step]));
}

/**
 * Draws the links that touch the part of the picture between `top` and `bottom`. `place` is {left, right, row}: where
 * lines begin and end, and the height of a row. Lines of heads in `off` are dotted. The context's origin is the top of
 * the whole picture.
 */
export function drawLinks(context, lists, {left, right, row}, {top, bottom}, off) {
  const middle = (left + right) / 2;
  const offsets = laneOffsets(lists, row);
  for (const {head, level, queries, keys} of lists) {
    const shift = offsets.get(head) + row / 2;
    context.beginPath();
    for (let i = 0; i < queries.length; ++i) {
      const [from, to] = [queries[i] * row + shift, keys[i] * row + shift];
      if ((from < top && to < top) || (from > bottom && to > bottom)) continue;
      context.moveTo(left, from);
      context.bezierCurveTo(middle, from, middle, to, right, to);
    }
    context.strokeStyle = headColour(head);
    context.globalAlpha = opacity(level);
    context.lineWidth = thickness(level);
    context.setLineDash(off?.has(head) ? [2, 4] : []);
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/**
 * Draws the weights of one token as cells, a row for each token of the other side and a column for each head. `strip`
 * is {x, width}, its place in the picture.
 */
export function drawTokenCells(context, trace, {attention, layer, heads}, {side, index}, strip, row, {top, bottom}) {
  const list = [...heads].sort((a, b) => a - b);
  if (!list.length) return;
  const width = strip.width / list.length;
  const matrices = list.map((head) => trace.weights(attention, layer, head));
  const count = side === "query" ? matrices[0].columns : matrices[0].rows;
  const [first, last] = [Math.max(0, Math.floor(top / row)), Math.min(count - 1, Math.ceil(bottom / row))];
  context.fillStyle = colour("--paper");
  context.fillRect(strip.x, first * row, strip.width, (last - first + 1) * row);
  list.forEach((head, h) => {
    context.fillStyle = headColour(head);
    for (let other = first; other <= last; ++other) {
      const weight = side === "query" ? matrices[h].at(index, other) : matrices[h].at(other, index);
      if (weight < 0.004) continue;
      context.globalAlpha = Math.min(1, 0.06 + 0.94 * weight);
      context.fillRect(strip.x + h * width, other * row + 1, width - 1, row - 2);
    }
  });
  context.globalAlpha = 1;
}

const headingHeight = 32;

/** The whole picture as SVG, for export. */
export function linksPicture(labels, lists, {row, column, gap}, heading) {
  const width = 2 * column + gap;
  const height = Math.max(labels.queries.length, labels.keys.length) * row + headingHeight;
  const offsets = laneOffsets(lists, row);
  const text = (label, i, x, anchor) => svg("text", {x, y: headingHeight + (i + 0.5) * row, "text-anchor": anchor,
    "dominant-baseline": "central", "font-size": Math.min(15, row * 0.62), fill: colour("--ink")}, label);
  return svgSheet(width, height,
    svg("text", {x: 8, y: 18, "font-size": 13, fill: colour("--soft")}, heading),
    ...headLegend([...offsets.keys()], width),
    ...lists.map((list) => linkPath(list, offsets.get(list.head), {left: column, right: column + gap, row})),
    ...labels.queries.map((label, i) => text(label, i, column - 8, "end")),
    ...labels.keys.map((label, i) => text(label, i, column + gap + 8, "start")));
}

function linkPath({head, level, queries, keys}, offset, {left, right, row}) {
  const middle = (left + right) / 2;
  const curves = queries.map((query, i) => {
    const [from, to] = [query, keys[i]].map((at) => headingHeight + (at + 0.5) * row + offset);
    return `M${left} ${from}C${middle} ${from} ${middle} ${to} ${right} ${to}`;
  });
  return svg("path", {d: curves.join(""), fill: "none", stroke: headColour(head),
    "stroke-opacity": opacity(level).toFixed(3), "stroke-width": thickness(level).toFixed(2)});
}

// Squares with the numbers of the heads, at the top right.
function headLegend(heads, width) {
  return heads.flatMap((head, i) => {
    const x = width - 8 - (heads.length - i) * 18;
    return [
      svg("rect", {x, y: 6, width: 15, height: 15, rx: 2, fill: headColour(head)}),
      svg("text", {x: x + 7.5, y: 17, "text-anchor": "middle", "font-size": 10, fill: colour("--paper")},
        String(head + 1)),
    ];
  });
}
