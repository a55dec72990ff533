// How attention changes: how much of each head's attention moved, and three matrices of one head: original, changed,
// and their difference.

import {difference, MovedShares} from "../../core/difference.js";
import {number} from "../../core/format.js";
import {joinedSentences} from "../../core/language.js";
import {isChanged} from "../../core/requests.js";
import {Boards} from "../../parts/board.js";
import {Cells, headMatrix} from "../../parts/cells.js";
import {controlBar} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {attentionPicker, headPicker, layerPicker, wordSwitch} from "../../parts/pickers.js";
import {text as strings} from "../../strings/whatif.js";

const largestCell = 30;  // pixels

export class AttentionDifference {
  #app;
  #moved = new MovedShares();

  constructor(app) {
    this.#app = app;
    this.controls = controlBar(attentionPicker(app), layerPicker(app), headPicker(app), wordSwitch(app));
    this.boards = new Boards(app, {
      describe: (attention, layer, head) => this.#describe(attention, layer, head),
      press: (attention, layer, head) => app.set({attention, layer, head}),
    });
    this.note = el("p", {class: "note"});
    const places = [strings.original, strings.changed, strings.difference].map(
      (title) => el("div", {}, el("h4", {}, title)));
    const sources = [() => this.#matrix(app.plain), () => this.#matrix(app.changed), () => this.#difference()];
    const traces = [() => app.plain, () => app.changed, () => app.changed];
    this.matrices = sources.map((get, i) => new Cells(
      places[i], {get, select: (query, key) => app.pin(traces[i](), {query, key}), most: largestCell}));
    this.element = el("section", {}, el("h3", {}, strings.attentionChanges),
      el("p", {class: "note"}, strings.movedNote),
      this.boards.element, el("div", {class: "spaced"}, this.controls.element), el("div", {class: "trio"}, ...places),
      this.note);
  }

  update() {
    const {withoutAttention, state, plain, changed} = this.#app;
    this.element.hidden = withoutAttention || !isChanged(state) || !plain || !changed;
    if (this.element.hidden) return;
    this.controls.update();
    this.boards.update();
    for (const cells of this.matrices) cells.update();
    const {unmatched = 0, full = 1, matrix} = this.#difference() ?? {};
    this.note.textContent = matrix && unmatched === matrix.rows ? strings.nothingInCommon
      : joinedSentences([strings.colours(number(full, 2)), blankRows(unmatched)]);
  }

  svg() { return this.matrices[2].svg(); }
  destroy() { for (const cells of this.matrices) cells.destroy(); }

  #describe(attention, layer, head) {
    const {state, plain, changed} = this.#app;
    const moved = this.#moved.of(plain, changed, attention, layer, head);
    return {
      text: String(Math.round(100 * moved)), shade: moved,
      label: strings.moved(number(100 * moved, 1)),
      title: strings.movedTitle(number(100 * moved, 1), layer + 1, head + 1),
      chosen: state.attention === attention && state.layer === layer && state.head === head,
    };
  }

  #matrix(trace) {
    const {layer, head} = this.#app.state;
    return headMatrix(this.#app, trace, layer, head, this.#app.site().title);
  }

  #difference() {
    const {state: {attention, layer, head}, plain, changed} = this.#app;
    if (!plain?.has(attention, layer) || !changed?.has(attention, layer)) return null;
    const found = difference(plain, changed, attention, layer, head);
    return {
      ...found, head: null, ...this.#app.pinsIn(changed),
      full: Math.max(0.1, found.matrix.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0)),
      title: strings.differenceOf(this.#app.headTitle(attention, layer, head)),
    };
  }
}

function blankRows(count) {
  if (count === 0) return "";
  return count === 1 ? strings.oneBlank : strings.blank(count);
}
