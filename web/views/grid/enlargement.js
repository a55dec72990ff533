// The dialog that shows one head of the grid large, with buttons to its neighbours.

import {number} from "../../core/format.js";
import {Cells, headMatrix} from "../../parts/cells.js";
import {el} from "../../parts/elements.js";
import {text as strings} from "../../strings/grid.js";

export class Enlargement {
  #app;
  #layer = 0;
  #head = 0;

  constructor(app) {
    this.#app = app;
    this.title = el("h2", {id: "enlarged-title"});
    this.facts = el("p", {class: "note"});
    const place = el("div", {class: "matrix-place"});
    const close = el("button", {type: "button", class: "quiet", onclick: () => this.element.close()}, strings.close);
    this.element = el("dialog", {class: "enlarged", "aria-labelledby": "enlarged-title"},
      el("div", {class: "dialog-head"}, this.title, close), this.facts, this.#buttons(), place);
    this.cells = new Cells(place, {
      get: () => (this.element.open ? this.#matrix() : null),
      select: (query, key) => app.set({query, key}),
      most: 42,
    });
  }

  open(attention, layer, head) {
    this.#layer = layer;
    this.#head = head;
    this.#app.set({attention});
    this.element.showModal();
    this.update();
  }

  update() {
    const {state: {attention}, trace, offline} = this.#app;
    if (!this.element.open || !trace) return;
    const {entropy, distance, peak} = trace.statistics(attention, this.#layer, this.#head);
    this.title.textContent = this.#app.headTitle(attention, this.#layer, this.#head);
    this.facts.textContent = strings.facts(number(entropy, 2), number(distance, 1), number(peak, 2));
    this.offButton.hidden = offline;
    const isOff = this.#app.isOff(attention, this.#layer, this.#head);
    this.offButton.textContent = isOff ? strings.switchOn : strings.switchOff;
    this.cells.update();
  }

  destroy() { this.cells.destroy(); }

  #matrix() { return headMatrix(this.#app, this.#app.trace, this.#layer, this.#head, this.title.textContent); }

  #buttons() {
    const button = (text, act, label) => el("button", {type: "button", onclick: act, "aria-label": label}, text);
    const toggle = () => this.#app.toggleHead(this.#app.state.attention, this.#layer, this.#head);
    this.offButton = el("button", {type: "button", onclick: toggle});
    return el("div", {class: "bar"},
      button(strings.previousHead, () => this.#step(0, -1), strings.previousHeadLabel),
      button(strings.nextHead, () => this.#step(0, 1), strings.nextHeadLabel),
      button(strings.previousLayer, () => this.#step(-1, 0), strings.previousLayerLabel),
      button(strings.nextLayer, () => this.#step(1, 0), strings.nextLayerLabel),
      button(strings.matrix, () => this.#showIn("matrix"), strings.matrixLabel),
      button(strings.lines, () => this.#showIn("heads"), strings.linesLabel), this.offButton);
  }

  #step(layers, heads) {
    const site = this.#app.site();
    this.#layer = (this.#layer + layers + site.layers) % site.layers;
    this.#head = (this.#head + heads + site.heads) % site.heads;
    this.update();
  }

  #showIn(tab) {
    const [layer, head] = [this.#layer, this.#head];
    this.element.close();
    this.#app.set({tab, layer, head, ...(tab === "heads" ? {heads: new Set([head])} : {})});
  }
}
