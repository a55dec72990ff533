// Positions: the table of position encodings, the formula of one of its cells, and how similar two positions are.

import {number} from "../../core/format.js";
import {joinedSentences} from "../../core/language.js";
import {unpacked} from "../../core/packed.js";
import {label} from "../../core/tokens.js";
import {divergingScale} from "../../parts/colours.js";
import {controlBar, Segmented} from "../../parts/controls.js";
import {curve} from "../../parts/curve.js";
import {el, svg} from "../../parts/elements.js";
import {FailureNote} from "../../parts/failure_note.js";
import {HeatMap} from "../../parts/heat_map.js";
import {text as strings} from "../../strings/positions.js";
import {cellFormulas} from "./encoding.js";

const orders = [{value: "model", text: strings.asInModel}, {value: "apart", text: strings.apart}];
const [leastRows, mostRows] = [64, 512];

export class View {
  #app;
  #table = null;        // {rows, columns, data}
  #of = "";             // the languages and the number of rows that the table was fetched for
  #cell = [7, 6];       // the chosen position and dimension
  #dimensions = [];     // the dimensions as they are shown, from left to right
  #order = "model";     // of the dimensions: one of `orders`

  constructor(root, app) {
    this.#app = app;
    this.status = el("p", {class: "empty"}, strings.fetching);
    this.failure = new FailureNote(app);
    this.details = {formula: el("div"), dimension: el("div"), similarity: el("div")};
    this.map = this.#createMap();
    const {formula, dimension, similarity} = this.details;
    this.body = el("div", {class: "positions", hidden: true},
      this.map, el("div", {class: "positions-side"}, formula, dimension, similarity));
    root.append(this.status, this.failure.element, this.body);
    this.resized = new ResizeObserver(() => this.#draw());
    this.resized.observe(this.map);
  }

  async update() {
    const {trace, state} = this.#app;
    const count = Math.min(mostRows, Math.max(leastRows, trace?.src.length ?? 0, trace?.tgt.length ?? 0));
    const wanted = `${state.source} ${state.target} ${count}`;
    if (this.#of !== wanted) {
      this.#of = wanted;
      const {table = null, note = "", failure = null} = await this.#fetch(count);
      if (this.#of !== wanted) return;
      if (failure) this.#of = "";  // the next update asks again
      this.#table = table;
      this.status.textContent = note;
      this.status.hidden = note === "";
      this.failure.show(failure);
      this.body.hidden = table === null;
    }
    this.#draw();
  }

  // The table with its axes, and the two curves.
  svg() {
    if (!this.#table) return null;
    const {rows, columns} = this.#table;
    const title = strings.picture(this.#kind, rows, columns);
    const parts = [this.details.dimension, this.details.similarity];
    return svg("svg", {viewBox: "0 0 900 640", width: 900, height: 640},
      svg("text", {x: 10, y: 22, class: "label strong"}, title), this.heat.svgImage(10, 34, 880, 360),
      svg("text", {x: 10, y: 412, class: "label"}, this.axis.textContent),
      ...parts.flatMap((part, i) => curveCopy(part, {x: 10 + 450 * i, y: 450, width: 430, height: 170})));
  }

  destroy() { this.resized.disconnect(); }

  // The model's setting: "sinusoid", "sinusoid-t2t", "sinusoid-half", "learned", "none", or "" if it says nothing.
  get #kind() { return this.#app.model?.config?.positions ?? ""; }

  #at(position, dimension) { return this.#table.data[position * this.#table.columns + dimension]; }

  #createMap() {
    this.heat = new HeatMap({
      name: strings.mapName, say: (text) => this.#app.say(text),
      text: (i, j) => {
        const dimension = this.#dimensions[j];
        return strings.cell(i, dimension, number(this.#at(i, dimension), 4));
      },
      choose: (i, j) => {
        this.#cell = [i, this.#dimensions[j]];
        this.#showDetails();
      },
    });
    this.orderPicker = controlBar(new Segmented(strings.columns, () => orders, () => this.#order, (value) => {
      this.#order = value;
      this.#draw();
    }));
    this.about = el("p", {class: "note"});
    this.axis = el("p", {class: "positions-axis", "aria-hidden": "true"});
    return el("div", {class: "positions-map"},
      el("h3", {}, strings.table), this.about,
      this.orderPicker.element, this.heat.element, this.axis);
  }

  // The table, or a note that says why the model has none, or why it could not be fetched (`failure`).
  async #fetch(count) {
    try {
      const answer = await this.#app.positions(count);
      if (!answer) return {note: strings.notInFile};
      if (!answer.rows) return {note: this.#kind === "none" ? strings.noneSeen : strings.none};
      return {table: {rows: answer.rows, columns: answer.columns, data: unpacked(answer.packed)}};
    } catch (error) {
      return {failure: error.message};
    }
  }

  #draw() {
    if (!this.#table || this.body.hidden) return;
    const {rows, columns} = this.#table;
    const isPaper = this.#kind === "sinusoid";
    const isApart = isPaper && this.#order === "apart";
    this.#dimensions = Array.from({length: columns}, (_, c) => c);
    if (isApart) this.#dimensions.sort((a, b) => (a % 2) - (b % 2) || a - b);
    this.#cell = [Math.min(this.#cell[0], rows - 1), Math.min(this.#cell[1], columns - 1)];
    this.#showMap();
    this.orderPicker.element.hidden = !isPaper;
    this.orderPicker.update();
    this.axis.textContent = isApart ? strings.acrossApart(rows - 1) : strings.across(columns - 1, rows - 1);
    this.about.textContent = this.#kind === "learned" ? strings.learned : this.#kind ? strings.sinusoid : "";
    this.#showDetails();
  }

  #showMap() {
    const {rows, columns, data} = this.#table;
    const largest = () => data.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    const [position, dimension] = this.#cell;
    this.heat.show({
      rows, columns, at: (i, j) => this.#at(i, this.#dimensions[j]),
      scale: divergingScale(this.#kind.startsWith("sinusoid") ? 1 : largest()),
      width: Math.max(240, this.map.clientWidth), height: Math.max(260, Math.min(640, rows * 8)),
    }, [position, this.#dimensions.indexOf(dimension)]);
  }

  // The parts about the chosen cell.
  #showDetails() {
    const [position, dimension] = this.#cell;
    const {rows, columns: width} = this.#table;
    const places = Array.from({length: rows}, (_, i) => i);
    const first = this.#app.model?.config?.["first-position"] ?? 0;  // the position of the table's first row
    const common = {places, marked: position, unit: strings.unit};
    const dots = places.map((other) => this.#dotProduct(position, other));
    this.details.formula.replaceChildren(
      el("h3", {}, this.#cellTitle(position, dimension)),
      ...cellFormulas(this.#kind, {position: first + position, dimension, width, value: this.#at(position, dimension)}));
    this.details.dimension.replaceChildren(el("h3", {}, strings.overPositions(dimension)),
      curve({...common, values: places.map((i) => this.#at(i, dimension)), low: -1, high: 1}));
    this.details.similarity.replaceChildren(el("h3", {}, strings.similar(position)),
      el("p", {class: "note"}, this.#similarityText(dots, position)),
      curve({...common, values: dots, low: 0, high: 0}));
  }

  #cellTitle(position, dimension) {
    const piece = this.#app.trace?.src[position];
    return piece === undefined ? strings.chosen(position, dimension)
      : strings.chosenWord(position, label(piece), dimension);
  }

  #dotProduct(position, other) {
    let sum = 0;
    for (let c = 0; c < this.#table.columns; ++c) sum += this.#at(position, c) * this.#at(other, c);
    return sum;
  }

  #similarityText(dots, position) {
    const parts = [strings.withItself(number(dots[position], 1))];
    if (position + 1 < dots.length) parts.push(strings.oneLater(number(dots[position + 1], 1)));
    if (position + 10 < dots.length) parts.push(strings.tenLater(number(dots[position + 10], 1)));
    const why = this.#kind === "learned" || !this.#kind ? "" : strings.distanceOnly;
    return joinedSentences([strings.dotProduct(parts), why]);
  }
}

// The curve of a part and its title, placed in a picture.
function curveCopy(part, box) {
  const copy = part.querySelector("svg").cloneNode(true);
  for (const [edge, value] of Object.entries(box)) copy.setAttribute(edge, value);
  const title = part.querySelector("h3").textContent;
  return [svg("text", {x: box.x, y: box.y - 8, class: "label strong"}, title), copy];
}
