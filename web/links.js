// Attention as lines between tokens: which links are strong enough to be drawn, and drawing them, on a canvas or as
// SVG.
import {colour, headColour, sheet, svg} from "dragoman/draw.js";

const levels = 24;  // of opacity, finer where weights are small: lines of a head and level are one path
const bins = 4096;

/** Below this a weight is never drawn unless its token is pointed at. */
const floor = (columns) => Math.min(0.01, 0.5 / columns);

/**
 * The strongest links of the heads, of weight `wanted` or more, and at most `most`: {lists: [{head, level, queries,
 * keys}], least, drawn, all}. `least` is the smallest weight that is drawn.
 */
export function strongest(look, attention, layer, heads, wanted = 0, most = 6000) {
  const matrices = [...heads].map((head) => ({head, matrix: look.weights(attention, layer, head)}));
  if (!matrices.length) return {lists: [], least: 0, drawn: 0, all: 0};
  const counts = new Uint32Array(bins + 1);
  for (const {matrix: {data}} of matrices) {
    for (let i = 0; i < data.length; ++i) ++counts[data[i] * bins | 0];
  }
  let [bin, drawn] = [bins, 0];
  while (bin > 0 && drawn + counts[bin] <= most) drawn += counts[bin--];
  const least = Math.max(bin === 0 ? 0 : (bin + 1) / bins, floor(matrices[0].matrix.columns), wanted);
  const lists = [];
  let [kept, all] = [0, 0];
  for (const {head, matrix: {rows, columns, data}} of matrices) {
    const of_head = Array.from({length: levels}, (_, level) => ({head, level, queries: [], keys: []}));
    for (let i = 0, at = 0; i < rows; ++i) {
      for (let j = 0; j < columns; ++j, ++at) {
        const weight = data[at];
        if (weight > 0) ++all;
        if (weight < least) continue;
        const list = of_head[levelOf(weight)];
        list.queries.push(i);
        list.keys.push(j);
        ++kept;
      }
    }
    lists.push(...of_head.filter(({queries}) => queries.length));
  }
  lists.sort((a, b) => a.level - b.level);  // strong ones on top
  return {lists, least, drawn: kept, all};
}

/** All links of one token, in the same form. */
export function linksOf(look, attention, layer, heads, side, index) {
  const lists = [];
  let drawn = 0;
  for (const head of heads) {
    const {rows, columns, data} = look.weights(attention, layer, head);
    const of_head = Array.from({length: levels}, (_, level) => ({head, level, queries: [], keys: []}));
    const count = side === "query" ? columns : rows;
    for (let other = 0; other < count; ++other) {
      const [i, j] = side === "query" ? [index, other] : [other, index];
      const weight = data[i * columns + j];
      if (!(weight >= 0.002)) continue;
      const list = of_head[levelOf(weight)];
      list.queries.push(i);
      list.keys.push(j);
      ++drawn;
    }
    lists.push(...of_head.filter(({queries}) => queries.length));
  }
  lists.sort((a, b) => a.level - b.level);
  return {lists, drawn};
}

const levelOf = (weight) => Math.min(levels - 1, Math.sqrt(weight) * levels | 0);
const strength = (level) => ((level + 0.6) / levels) ** 2;
const opacity = (level) => strength(level) ** 0.8;  // by weight, the weak ones a little raised
const thickness = (level) => 1 + 1.6 * strength(level);

// Lines of different heads between the same tokens lie side by side: how far above or below the middle of a row.
function lanes(lists, row) {
  const heads = [...new Set(lists.map(({head}) => head))].sort((a, b) => a - b);
  const step = Math.min(2.6, row * 0.6 / Math.max(1, heads.length - 1));
  return new Map(heads.map((head, i) => [head, (i - (heads.length - 1) / 2) * step]));
}

/**
 * Draws lists of links into the part of the picture between `top` and `bottom`; `place` is {left, right, row}: where
 * lines begin and end, and the height of a row. Lines of heads that are `off` are dotted. The context's origin is the
 * top of the whole picture.
 */
export function drawLinks(context, lists, {left, right, row}, top, bottom, off) {
  const middle = (left + right) / 2;
  const lane = lanes(lists, row);
  for (const {head, level, queries, keys} of lists) {
    const shift = lane.get(head) + row / 2;
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

/** Beside each token of the other side one cell a head, as dark as its weight; `x` is the strip's left edge. */
export function drawCells(context, look, {attention, layer, heads}, focus, {row}, x, width, top, bottom) {
  const list = [...heads].sort((a, b) => a - b);
  if (!list.length) return;
  const paper = colour("--paper");
  const cell = width / list.length;
  const matrices = list.map((head) => look.weights(attention, layer, head));
  const count = focus.side === "query" ? matrices[0].columns : matrices[0].rows;
  const [first, last] = [Math.max(0, Math.floor(top / row)), Math.min(count - 1, Math.ceil(bottom / row))];
  context.fillStyle = paper;
  context.fillRect(x, first * row, width, (last - first + 1) * row);
  list.forEach((head, h) => {
    context.fillStyle = headColour(head);
    for (let other = first; other <= last; ++other) {
      const weight = focus.side === "query" ? matrices[h].at(focus.index, other) : matrices[h].at(other, focus.index);
      if (weight < 0.004) continue;
      context.globalAlpha = Math.min(1, 0.06 + 0.94 * weight);
      context.fillRect(x + h * cell, other * row + 1, cell - 1, row - 2);
    }
  });
  context.globalAlpha = 1;
}

/** The whole picture as a standalone SVG. */
export function linksSvg(labels, lists, {row, column, gap}, heading) {
  const width = 2 * column + gap;
  const height = Math.max(labels.queries.length, labels.keys.length) * row + 32;
  const place = {left: column, right: column + gap, row};
  const middle = (place.left + place.right) / 2;
  const text = (label, i, x, anchor) => svg("text", {x, y: 32 + (i + 0.5) * row, "text-anchor": anchor,
    "dominant-baseline": "central", "font-size": Math.min(15, row * 0.62), fill: colour("--ink")}, label);
  const lane = lanes(lists, row);
  const paths = lists.map(({head, level, queries, keys}) => svg("path", {
    d: queries.map((query, i) => {
      const [from, to] = [query, keys[i]].map((at) => 32 + (at + 0.5) * row + lane.get(head));
      return `M${place.left} ${from}C${middle} ${from} ${middle} ${to} ${place.right} ${to}`;
    }).join(""), fill: "none", stroke: headColour(head), "stroke-opacity": opacity(level).toFixed(3),
    "stroke-width": thickness(level).toFixed(2)}));
  return sheet(width, height,
    svg("text", {x: 8, y: 18, "font-size": 13, fill: colour("--soft")}, heading),
    ...legend(lane.keys(), width), ...paths,
    ...labels.queries.map((label, i) => text(label, i, column - 8, "end")),
    ...labels.keys.map((label, i) => text(label, i, column + gap + 8, "start")));
}

// Squares with the heads' numbers, at the top right.
function legend(heads, width) {
  const list = [...heads];
  return list.flatMap((head, i) => {
    const x = width - 8 - (list.length - i) * 18;
    return [
      svg("rect", {x, y: 6, width: 15, height: 15, rx: 2, fill: headColour(head)}),
      svg("text", {x: x + 7.5, y: 17, "text-anchor": "middle", "font-size": 10, fill: colour("--paper")},
        String(head + 1))
    ];
  });
}
