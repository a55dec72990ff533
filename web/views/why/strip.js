// Shows how the dot product of one query and one key comes about, dimension by dimension: both vectors as strips of
// cells, the products as bars, and the running sum as a line. The pointer or the arrow keys choose one dimension.

import {number} from "../../core/format.js";
import {el, svg} from "../../parts/elements.js";
import {text} from "../../strings/why.js";

const tops = {q: 4, k: 32, bars: 64, sum: 128};  // pixels from the top of the picture
const heights = {cell: 24, bars: 56, sum: 40};
const height = 176;
const left = 44;  // pixels for the names

// The colour of a number: one for negative numbers and one for positive ones; larger absolute values are stronger.
// `most` is the largest absolute value.
function signColour(value, most) {
  const share = Math.round(100 * Math.min(1, Math.abs(value) / most));
  return `color-mix(in oklab, var(${value < 0 ? "--less" : "--more"}) ${share}%, var(--raised))`;
}

const largestAbsolute = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);

/** The drawing, for the page and for export. `chosen` is the chosen dimension, or null. */
export function stripPicture(weight, width, chosen) {
  const cell = (width - left - 2) / weight.d;
  const bar = Math.max(1, cell > 5 ? cell - 1 : cell);  // width of a cell without the gap to the next one
  const x = (c) => left + c * cell;
  const name = (y, content) => svg("text", {x: left - 8, y, "text-anchor": "end", class: "strip-name"}, content);
  const picture = svg("svg",
    {viewBox: `0 0 ${width} ${height}`, width, height, class: "strip-picture", "aria-hidden": "true"},
    name(tops.q + 17, "q"), name(tops.k + 17, "k"), name(tops.bars + 32, "q × k"), name(tops.sum + 25, text.sumName),
    ...vectorCells(weight.queryVector, {x, y: tops.q, width: bar, class: "strip-q"}),
    ...vectorCells(weight.keyVector, {x, y: tops.k, width: bar, class: "strip-k"}),
    ...productBars(weight.products, x, bar),
    ...sumLine(weight.products, x, width));
  if (chosen !== null) {
    const place = {x: x(chosen) - 1.5, y: 1, width: bar + 3, height: height - 2};
    picture.append(svg("rect", {...place, class: "strip-chosen"}));
  }
  return picture;
}

function vectorCells(values, {x, ...attributes}) {
  const most = largestAbsolute(values);
  return Array.from(values, (value, c) => svg("rect",
    {...attributes, x: x(c), height: heights.cell, style: {fill: signColour(value, most)}}));
}

const middleOfBars = tops.bars + heights.bars / 2;

function productBars(products, x, width) {
  const most = largestAbsolute(products);
  return Array.from(products, (value, c) => {
    const size = (Math.abs(value) / most) * (heights.bars / 2);
    return svg("rect", {
      x: x(c), y: value < 0 ? middleOfBars : middleOfBars - size, width, height: Math.max(0.5, size),
      class: value < 0 ? "bar-minus" : "bar-plus",
    });
  });
}

// The running sum as a line, and the zero lines of the bars and of the sum.
function sumLine(products, x, width) {
  let sum = 0;
  const sums = Array.from(products, (value) => (sum += value));
  const [low, high] = [Math.min(0, ...sums), Math.max(0, ...sums)];
  const y = (value) => tops.sum + heights.sum * (1 - (value - low) / (high - low || 1));
  const steps = sums.map((value, c) => (
    `L${x(c).toFixed(1)} ${y(c ? sums[c - 1] : 0).toFixed(1)}L${x(c + 1).toFixed(1)} ${y(value).toFixed(1)}`));
  const zero = (at) => svg("line", {x1: left, x2: width - 2, y1: at, y2: at, class: "strip-zero"});
  return [zero(middleOfBars), zero(y(0)),
    svg("path", {d: `M${left} ${y(0).toFixed(1)}${steps.join("")}`, class: "strip-sum"})];
}

// The text below the strip: the product of dimension c, and the sum up to it.
function dimensionText({queryVector, keyVector, products}, c) {
  const sum = products.subarray(0, c + 1).reduce((total, value) => total + value, 0);
  const product = `${number(queryVector[c])} × ${number(keyVector[c])} = ${number(products[c])}`;
  return text.dimensionText(c + 1, product, number(sum));
}

/** The strip in the page. */
export class Strip {
  #weight = null;  // what computeWeight() gave
  #chosen = 0;     // a dimension
  #frame = el("div", {class: "strip-frame"});
  #text = el("p", {class: "strip-text"});
  #slider = el("div", {
    class: "strip", tabindex: "0", role: "slider", "aria-label": text.dimension, "aria-valuemin": "1",
    onpointermove: (event) => this.#onPointer(event), onpointerdown: (event) => this.#onPointer(event),
    onkeydown: (event) => this.#onKey(event),
  }, this.#frame);
  #resized = new ResizeObserver(() => this.#draw());

  constructor() {
    this.element = el("div", {}, this.#slider, this.#text);
    this.#resized.observe(this.#frame);
  }

  show(weight, dimension) {
    this.#weight = weight;
    this.#chosen = dimension;
    this.#draw();
  }

  destroy() { this.#resized.disconnect(); }

  #draw() {
    if (!this.#weight) return;
    const width = Math.max(240, this.#frame.clientWidth);
    this.#frame.replaceChildren(stripPicture(this.#weight, width, this.#chosen));
    const numbers = dimensionText(this.#weight, this.#chosen);
    this.#text.textContent = numbers;
    this.#slider.setAttribute("aria-valuemax", this.#weight.d);
    this.#slider.setAttribute("aria-valuenow", this.#chosen + 1);
    this.#slider.setAttribute("aria-valuetext", numbers);
  }

  #choose(dimension) {
    const next = Math.min(this.#weight.d - 1, Math.max(0, dimension));
    if (next === this.#chosen) return;
    this.#chosen = next;
    this.#draw();
  }

  #onPointer(event) {
    if (!this.#weight) return;
    const {left: begin, width} = this.#frame.getBoundingClientRect();
    const at = Math.floor(((event.clientX - begin - left) / (width - left - 2)) * this.#weight.d);
    if (at >= 0 && at < this.#weight.d) this.#choose(at);
  }

  #onKey(event) {
    if (!this.#weight) return;
    const at = this.#chosen;
    const to = {ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0,
      End: this.#weight.d - 1, PageUp: at + 8, PageDown: at - 8}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.#choose(to);
  }
}
