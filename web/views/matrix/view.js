// Matrix: the exact weights of one head.

import {number} from "../../core/format.js";
import {joinedSentences} from "../../core/language.js";
import {choiceNote} from "../../core/sites.js";
import {mergedNote} from "../../core/trace.js";
import {Cells, headMatrix} from "../../parts/cells.js";
import {controlBar} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {attentionPicker, headPicker, layerPicker, translationPicker, wordSwitch} from "../../parts/pickers.js";
import {text} from "../../strings/matrix.js";

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
      "button", {type: "button", class: "quiet small", onclick: () => app.set({tab: "why"})}, text.why);
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
    this.empty.textContent = this.#app.trace ? "" : noTranslationText(this.#app, text.shows);
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
    const element = el("label", {class: "field range"}, el("span", {}, text.cellSize), input);
    return this.size = {element, update: () => {
      if (!this.#zoom && this.cells.size) input.value = this.cells.size;
    }};
  }

  #noteText() {
    const {attention, layer, head, merged} = this.#app.state;
    const site = this.#app.site();
    const {entropy, distance, peak} = this.#app.trace.statistics(attention, layer, head);
    const masked = site.keys === "target" ? text.maskedInTarget : text.maskedInSource;
    return joinedSentences([
      this.cells.hasNumbers ? "" : text.enlarge, choiceNote(site),
      text.note(number(entropy, 2), number(distance, 1), number(peak, 2)),
      site.causal ? masked : "", merged ? mergedNote : "",
    ]);
  }

  #showChosen() {
    const {attention, layer, head, query, key} = this.#app.state;
    this.why.hidden = !this.#app.site().d_k;
    const {rows, columns} = this.#app.trace.weights(attention, layer, head);
    const isChosen = query !== null && key !== null && query < rows && key < columns;
    if (isChosen) this.chosen.replaceChildren(el("span", {}, this.cells.textAt(query, key)), this.why);
    else this.chosen.replaceChildren(text.point);
  }
}
