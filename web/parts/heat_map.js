// A matrix of numbers as a picture of coloured cells. The pointer or the arrow keys choose one cell.

import {text as strings} from "../strings/parts.js";
import {colour} from "./colours.js";
import {el, preparedCanvas, svg} from "./elements.js";
import {scaledImage} from "./heat.js";

export class HeatMap {
  #options;
  #shown = null;     // {rows, columns, at, scale, width, height}
  #image = null;
  #chosen = [0, 0];  // row and column
  #canvas = el("canvas", {"aria-hidden": "true"});

  /**
   * `name` says what the picture shows, `text(i, j)` describes a cell, `choose(i, j)` is called when another cell is
   * chosen, and `say(text)` announces the cell that the arrow keys have chosen.
   */
  constructor({name, text, choose, say}) {
    this.#options = {name, text, choose, say};
    this.element = el("div", {
      class: "heat", tabindex: "0", role: "application", "aria-roledescription": strings.heatMap, "aria-label": name,
      onpointermove: (event) => this.#onPointer(event), onpointerdown: (event) => this.#onPointer(event),
      onkeydown: (event) => this.#onKey(event),
    }, this.#canvas);
  }

  /** Shows {rows, columns, at(i, j), scale, width, height} with a chosen cell; `scale` gives the colour of a number. */
  show(matrix, [i, j]) {
    this.#shown = matrix;
    this.#image = scaledImage(matrix.rows, matrix.columns, matrix.at, matrix.scale);
    this.#chosen = [Math.min(i, matrix.rows - 1), Math.min(j, matrix.columns - 1)];
    this.#draw();
  }

  /** The picture as an <image> element for an SVG. */
  svgImage(x, y, width, height) {
    const place = {x, y, width, height, preserveAspectRatio: "none"};
    return svg("image", {...place, href: this.#image.toDataURL(), style: {"image-rendering": "pixelated"}});
  }

  #draw() {
    const {width, height, rows, columns} = this.#shown;
    const [i, j] = this.#chosen;
    const context = preparedCanvas(this.#canvas, width, height);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#image, 0, 0, width, height);
    const [w, h] = [width / columns, height / rows];
    context.strokeStyle = colour("--ink");
    context.lineWidth = 1.5;
    context.strokeRect(j * w - 0.5, i * h - 0.5, Math.max(3, w) + 1, Math.max(3, h) + 1);
    this.element.setAttribute("aria-label", strings.heatLabel(this.#options.name, this.#options.text(i, j)));
  }

  #choose(i, j) {
    const {rows, columns} = this.#shown;
    const next = [Math.min(rows - 1, Math.max(0, i)), Math.min(columns - 1, Math.max(0, j))];
    if (next[0] === this.#chosen[0] && next[1] === this.#chosen[1]) return;
    this.#chosen = next;
    this.#draw();
    this.#options.choose(...next);
  }

  #onPointer(event) {
    if (!this.#shown) return;
    const {left, top, width, height} = this.#canvas.getBoundingClientRect();
    this.#choose(Math.floor(((event.clientY - top) / height) * this.#shown.rows),
      Math.floor(((event.clientX - left) / width) * this.#shown.columns));
  }

  #onKey(event) {
    if (!this.#shown) return;
    const [i, j] = this.#chosen;
    const to = {ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1], Home: [i, 0],
      End: [i, this.#shown.columns - 1], PageUp: [i - 10, j], PageDown: [i + 10, j]}[event.key];
    if (!to) return;
    event.preventDefault();
    this.#choose(...to);
    this.#options.say(this.#options.text(...this.#chosen));
  }
}
