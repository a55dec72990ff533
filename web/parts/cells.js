// A matrix of weights as a table of cells that can be pointed at, walked through with the keyboard and read by screen
// readers. The canvas covers the visible part and some of its surroundings, so that large matrices scroll smoothly.

import {number, signed} from "../core/format.js";
import {text} from "../strings/parts.js";
import {hasRoomForNumbers, paintCells} from "./cells_painting.js";
import {cellsPicture} from "./cells_picture.js";
import {weightColours} from "./colours.js";
import {el, preparedCanvas} from "./elements.js";
import {weightImage} from "./heat.js";
import {hideTooltip, showTooltip} from "./tooltip.js";

const [smallestCell, largestCell] = [3, 46];  // pixels
const readableCell = 11;                      // cells of at least this height have labels
let created = 0;                              // tables on this page, for unique ids

/** What `get()` of Cells gives for one head of a trace; null if the trace does not have the layer. */
export function headMatrix(app, trace, layer, head, title) {
  const {attention} = app.state;
  if (!trace?.has(attention, layer)) return null;
  return {
    matrix: trace.weights(attention, layer, head), ...trace.tokens(attention), head, ...app.pinsIn(trace), title,
    masked: (i, j) => trace.masked(attention, i, j),
  };
}

export class Cells {
  #root;
  #options;
  #shown = null;    // what `get` gave
  #image = null;    // the matrix, one pixel for each cell
  #pointed = null;  // [i, j] under the pointer
  #cell = {x: 20, y: 20};            // pixels
  #margin = {left: 60, top: 60};     // the room for the labels, in pixels
  #covered = null;                   // the part of the area that the canvas covers
  #laidOut = "";                     // what the layout was made for, as text

  /**
   * `get()` gives {matrix, queries, keys, head, full?, query, key, title, masked?(i, j)}, or null. `queries` and `keys`
   * are the labels; `query` and `key` are the indices of the chosen cell, or null. `head` is null for differences of
   * weights, which have a sign. `full` is the weight that is shown in full colour, 1 by default. `select(query, key)`
   * is called when a cell is chosen. `zoom()` gives the size of a cell in pixels, or 0 for a size at which all columns
   * fit into the available width if possible; `most` is the largest such size.
   */
  constructor(root, {get, select, zoom = () => 0, most = largestCell}) {
    this.#root = root;
    this.#options = {get, select, zoom, most};
    this.#createElements();
    this.#listen();
    this.resized = new ResizeObserver(() => this.#shown && this.update());
    this.resized.observe(root);
  }

  #createElements() {
    const labels = (name) => el("div", {class: `labels ${name}`, "aria-hidden": "true"});
    this.canvas = el("canvas", {"aria-hidden": "true"});
    this.across = labels("across");
    this.down = labels("down");
    this.area = el("div", {class: "area"}, this.canvas);
    this.sheet = el("div", {class: "sheet"}, labels("corner"), this.across, this.down, this.area);
    this.spokenCell = el("div", {role: "gridcell", class: "unseen", id: `cell-${++created}`});
    this.spokenRow = el("div", {role: "row"}, this.spokenCell);
    this.grid = el("div", {
      class: "scroller cells", role: "grid", tabindex: 0, "aria-activedescendant": this.spokenCell.id,
      onkeydown: (event) => this.#onKey(event), onscroll: () => this.#cover(),
    }, this.sheet, this.spokenRow);
    this.#root.append(this.grid);
  }

  #listen() {
    this.area.addEventListener("pointermove", (event) => this.#onPointer(event));
    this.area.addEventListener("pointerleave", () => {
      this.#pointed = null;
      hideTooltip();
      this.#draw();
    });
    this.area.addEventListener("click", (event) => {
      const at = this.#cellAt(event);
      if (at) this.#options.select(...at);
    });
  }

  update() {
    this.#shown = this.#options.get();
    if (!this.#shown) return;
    const {matrix, head, full = 1} = this.#shown;
    this.#image = weightImage(matrix, weightColours(head), full);
    this.#describe();
    this.#layOut();
    this.#covered = null;
    this.#cover();
  }

  /** The width of a cell in pixels; 0 if nothing is shown. */
  get size() { return this.#shown ? this.#cell.x : 0; }

  /** Whether the cells have their weights as numbers. */
  get hasNumbers() { return this.#shown !== null && hasRoomForNumbers(this.#cell); }

  /** A cell in words. */
  textAt(i, j) {
    return this.#shown ? `${this.#shown.queries[i]} → ${this.#shown.keys[j]}: ${this.#valueAt(i, j)}` : "";
  }

  svg() { return this.#shown ? cellsPicture(this.#shown) : null; }

  destroy() {
    this.resized.disconnect();
    hideTooltip();
  }

  // The attributes for screen readers.
  #describe() {
    const {matrix, query, key, title} = this.#shown;
    const [i, j] = [Math.min(query ?? 0, matrix.rows - 1), Math.min(key ?? 0, matrix.columns - 1)];
    this.grid.setAttribute("aria-label",
      text.cellsLabel(title));
    this.grid.setAttribute("aria-rowcount", matrix.rows);
    this.grid.setAttribute("aria-colcount", matrix.columns);
    this.spokenRow.setAttribute("aria-rowindex", i + 1);
    this.spokenCell.setAttribute("aria-colindex", j + 1);
    this.spokenCell.textContent = this.textAt(i, j);
  }

  #valueAt(i, j) {
    const {matrix, head, masked} = this.#shown;
    if (masked?.(i, j)) return text.masked;
    return head === null ? signed(matrix.at(i, j), 4) : number(matrix.at(i, j), 4);
  }

  #cellAt(event) {
    const {matrix} = this.#shown;
    const box = this.area.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.top) / this.#cell.y);
    const j = Math.floor((event.clientX - box.left) / this.#cell.x);
    return i >= 0 && j >= 0 && i < matrix.rows && j < matrix.columns ? [i, j] : null;
  }

  #onPointer(event) {
    const at = this.#cellAt(event);
    if (!at) return;
    const {queries, keys} = this.#shown;
    showTooltip(event.clientX, event.clientY, el("b", {}, this.#valueAt(...at)), ` ${queries[at[0]]} → ${keys[at[1]]}`);
    if (this.#pointed && this.#pointed[0] === at[0] && this.#pointed[1] === at[1]) return;
    this.#pointed = at;
    this.#draw();
  }

  #onKey(event) {
    if (!this.#shown || event.target !== this.grid) return;
    const {matrix: {rows, columns}, query, key} = this.#shown;
    const [i, j] = [query ?? 0, key ?? 0];
    const to = {ArrowDown: [i + 1, j], ArrowUp: [i - 1, j], ArrowRight: [i, j + 1], ArrowLeft: [i, j - 1], Home: [i, 0],
      End: [i, columns - 1], PageDown: [rows - 1, j], PageUp: [0, j]}[event.key];
    if (!to) return;
    event.preventDefault();
    const at = query === null || key === null ? [i, j]
      : [Math.max(0, Math.min(rows - 1, to[0])), Math.max(0, Math.min(columns - 1, to[1]))];
    this.#options.select(...at);
    this.#scrollTo(...at);
  }

  #scrollTo(i, j) {
    const {grid} = this;
    const [cell, margin] = [this.#cell, this.#margin];
    const [x, y] = [j * cell.x, i * cell.y];
    const [width, height] = [grid.clientWidth - margin.left, grid.clientHeight - margin.top];
    if (x < grid.scrollLeft) grid.scrollLeft = x;
    else if (x + cell.x > grid.scrollLeft + width) grid.scrollLeft = x + cell.x - width;
    if (y < grid.scrollTop) grid.scrollTop = y;
    else if (y + cell.y > grid.scrollTop + height) grid.scrollTop = y + cell.y - height;
  }

  #layOut() {
    const {queries, keys} = this.#shown;
    const now = JSON.stringify([this.#root.clientWidth, this.#options.zoom(), queries, keys]);
    if (now === this.#laidOut) return;
    this.#laidOut = now;
    const longest = this.#labelWidths();
    this.#margin = {left: Math.min(longest.queries, this.#root.clientWidth * 0.3), top: longest.keys * 0.9 + 4};
    const beyond = Math.ceil(longest.keys * 0.5);  // slanted labels reach beyond the last column
    this.#cell = this.#fittingCell(beyond);
    const readable = this.#cell.y >= readableCell;
    if (!readable) this.#margin = {left: 0, top: 0};
    this.#setSizes(readable ? beyond : 0);
    this.#fillLabels(readable);
    this.#covered = null;
  }

  #labelWidths() {
    const {queries, keys} = this.#shown;
    const measure = document.createElement("canvas").getContext("2d");
    measure.font = `13px ${getComputedStyle(this.#root).fontFamily}`;
    const longest = (texts) => Math.min(
      130, Math.max(20, ...texts.slice(0, 500).map((label) => measure.measureText(label).width)) + 14);
    return {queries: longest(queries), keys: longest(keys)};
  }

  // The size {x, y} of a cell, unless zoom() gives one: all columns fit into the width if possible. All rows fit on the
  // screen if their height is then still enough for numbers.
  #fittingCell(beyond) {
    const {matrix: {rows, columns}} = this.#shown;
    const {zoom, most} = this.#options;
    const room = this.#root.clientWidth - this.#margin.left - beyond;
    const width = Math.floor(Math.min(room / columns, most));
    const top = this.grid.getBoundingClientRect().top + scrollY + this.#margin.top;
    const height = Math.max(24, Math.floor((innerHeight - top - 24) / rows));
    const least = rows * columns > 4000 ? 7 : 14;
    const within = (value) => Math.max(smallestCell, Math.min(largestCell, zoom() || Math.max(value, least)));
    return {x: within(width), y: within(Math.min(width, height))};
  }

  #setSizes(beyond) {
    const {matrix: {rows, columns}} = this.#shown;
    const [cell, margin] = [this.#cell, this.#margin];
    this.sheet.style.cssText = `--cell:${cell.y}px;--left:${margin.left}px;--top:${margin.top}px`;
    this.sheet.style.width = `${margin.left + columns * cell.x + beyond}px`;
    this.area.style.width = `${columns * cell.x}px`;
    this.area.style.height = `${rows * cell.y}px`;
    this.across.style.width = `${columns * cell.x + beyond}px`;
  }

  #fillLabels(readable) {
    const {queries, keys} = readable ? this.#shown : {queries: [], keys: []};
    const cell = this.#cell;
    this.across.replaceChildren(
      ...keys.map((label, j) => el("span", {style: {left: `${(j + 0.5) * cell.x}px`}}, label)));
    this.down.replaceChildren(...queries.map((label, i) => el("span", {style: {top: `${i * cell.y}px`}}, label)));
  }

  // Makes the canvas cover the visible part and half its width and height more on each side, unless the canvas covers
  // the visible part already.
  #cover() {
    if (!this.#shown) return;
    const {matrix: {rows, columns}} = this.#shown;
    const [cell, covered] = [this.#cell, this.#covered];
    const [width, height] = [this.grid.clientWidth, this.grid.clientHeight || 600];
    const [left, top] = [this.grid.scrollLeft, this.grid.scrollTop];
    const [right, bottom] = [Math.min(columns * cell.x, left + width), Math.min(rows * cell.y, top + height)];
    if (covered && left >= covered.left && top >= covered.top && right <= covered.right && bottom <= covered.bottom) {
      return;
    }
    this.#covered = {left: Math.max(0, left - width / 2), top: Math.max(0, top - height / 2),
      right: Math.min(columns * cell.x, right + width / 2), bottom: Math.min(rows * cell.y, bottom + height / 2)};
    this.canvas.style.left = `${this.#covered.left}px`;
    this.canvas.style.top = `${this.#covered.top}px`;
    this.#draw();
  }

  #draw() {
    if (!this.#covered) return;
    const {query, key} = this.#shown;
    const {left, top, right, bottom} = this.#covered;
    const context = preparedCanvas(this.canvas, right - left, bottom - top);
    context.translate(-left, -top);
    paintCells(context, this.#image, {
      ...this.#shown, cell: this.#cell, covered: this.#covered, pointed: this.#pointed,
      font: getComputedStyle(this.#root).fontFamily,
    });
    markLabel(this.down, this.#pointed?.[0] ?? query);
    markLabel(this.across, this.#pointed?.[1] ?? key);
  }
}

function markLabel(list, index) {
  list.querySelector(".pointed")?.classList.remove("pointed");
  list.children[index ?? -1]?.classList.add("pointed");
}
