// Vectors as strips of coloured cells, one below the other, with the numbers of one dimension beside them. The pointer
// or the slider below chooses the dimension.

import {number} from "../core/format.js";
import {el, svg} from "./elements.js";

const levels = 8;  // shades of each sign

export const largestOf = (vectors) => vectors.reduce(
  (most, values) => values.reduce((largest, value) => Math.max(largest, Math.abs(value)), most), 1e-12);

const shade = (level) => `color-mix(in oklab, var(${level < 0 ? "--less" : "--more"}) ` +
  `${Math.round((100 * Math.abs(level)) / levels)}%, var(--raised))`;

/**
 * The cells of a vector as paths, one for each shade, in a picture that is one unit wide for each dimension and one
 * unit high. `most` is the absolute value with the strongest colour.
 */
export function vectorPaths(values, most) {
  const paths = new Map();
  values.forEach((value, c) => {
    const level = Math.sign(value) * Math.min(levels, Math.round((levels * Math.abs(value)) / most));
    if (level) paths.set(level, `${paths.get(level) ?? ""}M${c} 0h1v1h-1z`);
  });
  return [...paths].map(([level, d]) => svg("path", {d, style: {fill: shade(level)}}));
}

const strip = (values, most) => svg("svg",
  {viewBox: `0 0 ${values.length} 1`, preserveAspectRatio: "none", class: "vector", "aria-hidden": "true"},
  ...vectorPaths(values, most));

/**
 * `titles` are {label, second, share, value, axis}: the names of the columns, and of a dimension. The columns `second`
 * and `share` are left out if they have no title.
 */
export class VectorRows {
  #rows = [];
  #titles;
  #chosen = 0;
  #list = el("div", {class: "vector-rows", onpointermove: (event) => this.#onPointer(event),
    onpointerdown: (event) => this.#onPointer(event)});
  #slider = el("input", {type: "range", min: "1", class: "vector-slider", oninput: () => (
    this.#choose(Number(this.#slider.value) - 1))});
  #at = el("span", {class: "vector-value"});
  #values = [];

  constructor(titles) {
    this.#titles = titles;
    this.#slider.setAttribute("aria-label", titles.axis);
    this.element = el("div", {class: "vectors"}, this.#list,
      el("div", {class: "vector-row foot"}, el("span", {class: "vector-label"}, titles.axis),
        titles.second ? el("span", {class: "vector-second"}) : null,
        titles.share ? el("span", {class: "vector-share"}) : null, this.#slider, this.#at));
  }

  /**
   * Shows rows {label, second, share, values, isSum, isChosen, pick}. `second` is a text, `pick` is called by a click
   * on the label. All rows have one scale, unless a row has its own, `most`.
   */
  show(rows) {
    this.#rows = rows;
    const most = largestOf(rows.map(({values}) => values));
    this.#values = rows.map(() => el("span", {class: "vector-value"}));
    this.#list.replaceChildren(this.#head(), ...rows.map((row, at) => this.#row(row, at, most)));
    const last = rows.at(-1).values;
    this.#slider.max = String(last.length);
    const sizes = Array.from(last, Math.abs);
    this.#choose(sizes.indexOf(Math.max(...sizes)));
  }

  #head() {
    const {label, second, share, value} = this.#titles;
    return el("div", {class: "vector-row head"}, el("span", {class: "vector-label"}, label ?? ""),
      second ? el("span", {class: "vector-second"}, second) : null,
      share ? el("span", {class: "vector-share"}, share) : null,
      el("span", {class: "vector-space"}), el("span", {class: "vector-value"}, value));
  }

  #row({label, second, share, values, isSum, isChosen, pick, most: own}, at, most) {
    const name = pick ? el("button", {type: "button", class: "quiet small", "aria-pressed": String(Boolean(isChosen)),
      onclick: pick}, label) : label;
    return el("div", {class: `vector-row ${isSum ? "sum" : ""} ${isChosen ? "row-chosen" : ""}`},
      el("span", {class: "vector-label", title: label}, name),
      this.#titles.second ? el("span", {class: "vector-second"}, second ?? "") : null,
      this.#titles.share ? el("span", {class: "vector-share"},
        share === undefined ? "" : `${number(100 * share, 1)}%`) : null,
      el("span", {class: "vector-cells"}, strip(values, own ?? most)), this.#values[at]);
  }

  #choose(dimension) {
    this.#chosen = dimension;
    const {length} = this.#rows[0].values;
    this.#slider.value = String(dimension + 1);
    this.#slider.setAttribute("aria-valuetext", `${dimension + 1}: ${this.#rows.map(
      ({label, values}) => `${label} ${number(values[dimension])}`).join(", ")}`);
    this.#at.textContent = String(dimension + 1);
    this.#list.style.setProperty("--at", `${(100 * (dimension + 0.5)) / length}%`);
    this.#rows.forEach(({values}, at) => { this.#values[at].textContent = number(values[dimension]); });
  }

  #onPointer(event) {
    const cells = event.target.closest(".vector-cells");
    if (!cells) return;
    const {left, width} = cells.getBoundingClientRect();
    const {length} = this.#rows[0].values;
    const at = Math.floor(((event.clientX - left) / width) * length);
    if (at >= 0 && at < length && at !== this.#chosen) this.#choose(at);
  }
}
