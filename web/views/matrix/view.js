// Matrix: the exact weights of one head.

import {number} from "../../core/format.js";
import {mergedNote} from "../../core/trace.js";
import {Cells, headMatrix} from "../../parts/cells.js";
import {controlBar} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {attentionPicker, headPicker, layerPicker, translationPicker, wordSwitch} from "../../parts/pickers.js";

const laterWords = {target: "words that were not written yet", source: "words that come later"};

export class View {
  #app;
  #zoom = 0;  // pixels of a cell; 0 to fit

  constructor(root, app) {
    this.#app = app;
    this.controls = controlBar(attentionPicker(app), layerPicker(app), headPicker(app), this.#sizeSlider(),
      wordSwitch(app), translationPicker(app));
    this.place = el("div", {class: "matrix-place"});
    this.chosen = el("p", {class: "chosen-cell"});
    this.why = el(
      "button", {type: "button", class: "quiet small", onclick: () => app.set({tab: "why"})}, "Why this weight?");
    this.note = el("p", {class: "note"});
    this.empty = el("p", {class: "empty"});
    root.append(this.controls.element, this.empty, this.chosen, this.place, this.note);
    this.cells = new Cells(this.place, {
      get: () => headMatrix(app, app.trace, app.state.layer, app.state.head, this.#title),
      select: (query, key) => app.set({query, key}),
      zoom: () => this.#zoom,
    });
  }

  update() {
    const ready = this.#app.trace?.has(this.#app.state.attention, this.#app.state.layer);
    this.controls.update();
    this.empty.hidden = Boolean(this.#app.trace);
    this.empty.textContent = this.#app.trace ? "" : noTranslationText(this.#app, "the weights of one head");
    this.place.hidden = this.note.hidden = this.chosen.hidden = !ready;
    if (!ready) return;
    this.cells.update();
    this.size.update();
    this.note.textContent = this.#noteText();
    this.#showChosen();
  }

  svg() { return this.cells.svg(); }
  destroy() { this.cells.destroy(); }

  get #title() {
    const {attention, layer, head} = this.#app.state;
    return this.#app.headTitle(attention, layer, head);
  }

  #sizeSlider() {
    const input = el("input", {type: "range", min: 3, max: 46, value: 24, oninput: () => {
      this.#zoom = Number(input.value);
      this.update();
    }});
    const element = el("label", {class: "field range"}, el("span", {}, "Cell size"), input);
    return this.size = {element, update: () => {
      if (!this.#zoom && this.cells.size) input.value = this.cells.size;
    }};
  }

  #noteText() {
    const {attention, layer, head, merged} = this.#app.state;
    const site = this.#app.site();
    const {entropy, distance, peak} = this.#app.trace.statistics(attention, layer, head);
    return [
      `Rows are queries and add up to 1; columns are keys. Mean entropy ${number(entropy, 2)} bits,`,
      `mean distance ${number(distance, 1)} tokens, mean largest weight ${number(peak, 2)}.`,
      site.causal ? `Grey cells are masked: ${laterWords[site.keys]}.` : "",
      merged ? mergedNote : "",
    ].join(" ");
  }

  #showChosen() {
    const {attention, layer, head, query, key} = this.#app.state;
    this.why.hidden = !this.#app.site().d_k;
    const {rows, columns} = this.#app.trace.weights(attention, layer, head);
    const isChosen = query !== null && key !== null && query < rows && key < columns;
    if (isChosen) this.chosen.replaceChildren(el("span", {}, this.cells.textAt(query, key)), this.why);
    else this.chosen.replaceChildren("Point at a cell for its weight; click or use the arrow keys to choose one.");
  }
}
