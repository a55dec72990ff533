// Query and key of one weight, dimension by dimension: two strips of cells, their products as bars, and the sum as it
// grows. One dimension is looked at, by pointer or by arrow keys.

import {el, number, svg} from "dragoman/draw.js";

const rows = {q: 4, k: 32, bars: 64, sum: 128};
const heights = {cell: 24, bars: 56, sum: 40};
const height = 176;
const left = 44;

/** The colour of a number: one for below zero, one for above, the stronger the larger. */
export function signColour(value, most) {
  const share = Math.round(100 * Math.min(1, Math.abs(value) / most));
  return `color-mix(in oklab, var(${value < 0 ? "--less" : "--more"}) ${share}%, var(--raised))`;
}

/** The drawing alone, for the page and for export. */
export function stripPicture(trace, width, chosen) {
  const cell = (width - left - 2) / trace.d;
  const box = {viewBox: `0 0 ${width} ${height}`, width, height};
  const picture = svg("svg", {...box, class: "strip-picture", "aria-hidden": "true"});
  const text = (y, content) => svg("text", {x: left - 8, y, "text-anchor": "end", class: "strip-name"}, content);
  picture.append(text(rows.q + 17, "q"), text(rows.k + 17, "k"));
  picture.append(text(rows.bars + 32, "q × k"), text(rows.sum + 25, "sum"));
  const most = (values) => values.reduce((so_far, value) => Math.max(so_far, Math.abs(value)), 1e-12);
  const wide = Math.max(1, cell > 5 ? cell - 1 : cell);
  const cells = (values, y, kind) => {
    const largest = most(values);
    values.forEach((value, c) => picture.append(svg("rect", {
      x: left + c * cell, y, width: wide, height: heights.cell, class: kind, style: {fill: signColour(value, largest)},
    })));
  };
  cells(trace.queryVector, rows.q, "strip-q");
  cells(trace.keyVector, rows.k, "strip-k");
  const middle = rows.bars + heights.bars / 2;
  const largest = most(trace.products);
  const sums = [];
  let sum = 0;
  trace.products.forEach((value, c) => {
    const size = (Math.abs(value) / largest) * (heights.bars / 2);
    picture.append(svg("rect", {
      x: left + c * cell, y: value < 0 ? middle : middle - size, width: wide, height: Math.max(0.5, size),
      class: value < 0 ? "bar-minus" : "bar-plus",
    }));
    sums.push(sum += value);
  });
  const [low, high] = [Math.min(0, ...sums), Math.max(0, ...sums)];
  const y = (value) => rows.sum + heights.sum * (1 - (value - low) / (high - low || 1));
  const line = sums.map((value, c) => `L${(left + c * cell).toFixed(1)} ${y(c ? sums[c - 1] : 0).toFixed(1)}` +
    `L${(left + (c + 1) * cell).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  picture.append(svg("line", {x1: left, x2: width - 2, y1: middle, y2: middle, class: "strip-zero"}),
    svg("line", {x1: left, x2: width - 2, y1: y(0), y2: y(0), class: "strip-zero"}),
    svg("path", {d: `M${left} ${y(0).toFixed(1)}${line}`, class: "strip-sum"}));
  if (chosen !== null) {
    const place = {x: left + chosen * cell - 1.5, y: 1, width: wide + 3, height: height - 2};
    picture.append(svg("rect", {...place, class: "strip-chosen"}));
  }
  return picture;
}

/** What one dimension adds. */
export function dimensionText(trace, c) {
  let sum = 0;
  for (let i = 0; i <= c; ++i) sum += trace.products[i];
  const product = `${number(trace.queryVector[c])} × ${number(trace.keyVector[c])} = ${number(trace.products[c])}`;
  return `Dimension ${c + 1}: ${product}; sum so far ${number(sum)}`;
}

/** The element of the page; show(trace) draws it anew. */
export function stripElement() {
  let trace = null;
  let chosen = 0;
  const frame = el("div", {class: "strip-frame"});
  const said = el("p", {class: "strip-said"});
  const element = el("div", {class: "strip", tabindex: "0", role: "slider", "aria-label": "Dimension of query and key",
    "aria-valuemin": "1"}, frame);

  function draw() {
    if (!trace) return;
    const width = Math.max(240, frame.clientWidth);
    frame.replaceChildren(stripPicture(trace, width, chosen));
    const text = dimensionText(trace, chosen);
    said.textContent = text;
    element.setAttribute("aria-valuemax", trace.d);
    element.setAttribute("aria-valuenow", chosen + 1);
    element.setAttribute("aria-valuetext", text);
  }
  function choose(c) {
    const next = Math.min(trace.d - 1, Math.max(0, c));
    if (next === chosen) return;
    chosen = next;
    draw();
  }
  const point = (event) => {
    if (!trace) return;
    const {left: begin, width} = frame.getBoundingClientRect();
    const at = Math.floor(((event.clientX - begin - left) / (width - left - 2)) * trace.d);
    if (at >= 0 && at < trace.d) choose(at);
  };
  element.addEventListener("pointermove", point);
  element.addEventListener("pointerdown", point);
  element.addEventListener("keydown", (event) => {
    const to = {ArrowRight: chosen + 1, ArrowUp: chosen + 1, ArrowLeft: chosen - 1, ArrowDown: chosen - 1, Home: 0,
      End: trace ? trace.d - 1 : 0, PageUp: chosen + 8, PageDown: chosen - 8}[event.key];
    if (to === undefined || !trace) return;
    event.preventDefault();
    choose(to);
  });
  const watch = new ResizeObserver(draw);
  watch.observe(frame);
  return {
    element: el("div", {}, element, said),
    show(next, at) {
      trace = next;
      chosen = at;
      draw();
    },
    chosen: () => chosen,
    destroy: () => watch.disconnect(),
  };
}
