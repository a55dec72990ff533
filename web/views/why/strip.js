// Shows how the score of one query and one key comes about, dimension by dimension: the vectors as strips of cells, the
// terms of the sum as bars, and the running sum as a line. The pointer or the arrow keys choose one dimension.

import {number} from "../../core/format.js";
import {el, svg} from "../../parts/elements.js";
import {text} from "../../strings/why.js";

const heights = {cell: 24, bars: 56, sum: 40};
const left = 44;  // pixels for the names

// The strips of cells: query, key, and the vector of additive scores.
const vectorsOf = ({queryVector, keyVector, vector}) => [
  {name: "q", values: queryVector, class: "strip-q"}, {name: "k", values: keyVector, class: "strip-k"},
  ...(vector ? [{name: "v", values: vector, class: "strip-v"}] : []),
];

// Pixels from the top of the picture: of each strip of cells, of the bars, of the sum, and of the lower edge.
function placesOf(weight) {
  const cells = vectorsOf(weight).map((_, row) => 4 + 28 * row);
  const bars = cells.at(-1) + 32;
  return {cells, bars, sum: bars + 64, height: bars + 112};
}

/** The height of the drawing, in pixels. */
export const stripHeight = (weight) => placesOf(weight).height;

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
  const {cells, bars, sum, height} = placesOf(weight);
  const picture = svg("svg",
    {viewBox: `0 0 ${width} ${height}`, width, height, class: "strip-picture", "aria-hidden": "true"},
    ...vectorsOf(weight).flatMap(({name: symbol, values, class: kind}, row) => [
      name(cells[row] + 17, symbol), ...vectorCells(values, {x, y: cells[row], width: bar, class: kind})]),
    name(bars + 32, weight.vector ? text.terms : "q × k"), name(sum + 25, text.sumName),
    ...termBars(weight.terms, x, {top: bars, width: bar}),
    ...sumLine(weight.terms, x, {bars, sum, width}));
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

const middleOfBars = (top) => top + heights.bars / 2;

function termBars(terms, x, {top, width}) {
  const most = largestAbsolute(terms);
  const middle = middleOfBars(top);
  return Array.from(terms, (value, c) => {
    const size = (Math.abs(value) / most) * (heights.bars / 2);
    return svg("rect", {
      x: x(c), y: value < 0 ? middle : middle - size, width, height: Math.max(0.5, size),
      class: value < 0 ? "bar-minus" : "bar-plus",
    });
  });
}

// The running sum as a line, and the zero lines of the bars and of the sum.
function sumLine(terms, x, {bars, sum: top, width}) {
  let sum = 0;
  const sums = Array.from(terms, (value) => (sum += value));
  const [low, high] = [Math.min(0, ...sums), Math.max(0, ...sums)];
  const y = (value) => top + heights.sum * (1 - (value - low) / (high - low || 1));
  const steps = sums.map((value, c) => (
    `L${x(c).toFixed(1)} ${y(c ? sums[c - 1] : 0).toFixed(1)}L${x(c + 1).toFixed(1)} ${y(value).toFixed(1)}`));
  const zero = (at) => svg("line", {x1: left, x2: width - 2, y1: at, y2: at, class: "strip-zero"});
  return [zero(middleOfBars(bars)), zero(y(0)),
    svg("path", {d: `M${left} ${y(0).toFixed(1)}${steps.join("")}`, class: "strip-sum"})];
}

// The text below the strip: the term of dimension c, and the sum up to it.
function dimensionText({queryVector, keyVector, vector, terms}, c) {
  const sum = terms.subarray(0, c + 1).reduce((total, value) => total + value, 0);
  const [q, k] = [number(queryVector[c]), number(keyVector[c])];
  const key = keyVector[c] < 0 ? `− ${number(-keyVector[c])}` : `+ ${k}`;
  const product = vector ? `${number(vector[c])} × tanh(${q} ${key})` : `${q} × ${k}`;
  return text.dimensionText(c + 1, `${product} = ${number(terms[c])}`, number(sum));
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
