// Heads: tokens in two columns that are joined by lines, one colour for each head. The stronger a line, the larger its
// weight. Beside the lines are the weights of one token, or numbers about each head.

import {grouped, number} from "../../core/format.js";
import {joinedSentences} from "../../core/language.js";
import {choiceNote} from "../../core/sites.js";
import {mergedNote} from "../../core/trace.js";
import {Columns, sideNames} from "../../parts/columns.js";
import {controlBar} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {HeadSquares} from "../../parts/head_squares.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {
  attentionPicker, layerPicker, leastWeightSlider, translationPicker, wordSwitch,
} from "../../parts/pickers.js";
import {text} from "../../strings/heads.js";
import {headNumbers, tokenWeights} from "./reading.js";

const readingDelay = 60;  // milliseconds between updates of the numbers under the pointer; faster could not be read

export class View {
  #app;
  #timer = 0;

  constructor(root, app) {
    this.#app = app;
    this.controls = controlBar(attentionPicker(app), layerPicker(app), new HeadSquares(app), leastWeightSlider(app),
      wordSwitch(app), translationPicker(app));
    this.titles = el("div", {class: "column-titles"});
    this.note = el("p", {class: "note"});
    this.reading = el(
      "aside", {class: "reading", "aria-label": text.reading});
    this.empty = el("p", {class: "empty"});
    const middle = el("div", {class: "two-columns"});
    this.body = el("div", {class: "heads-body"},
      el("div", {class: "heads-picture"}, this.titles, middle, this.note), this.reading);
    root.append(this.controls.element, this.empty, this.body);
    this.columns = new Columns(middle, {
      get: () => this.#shown(),
      pin: (side, index) => app.set({[side]: index === null || app.state[side] === index ? null : index}),
      hover: () => { this.#timer ||= setTimeout(() => this.#showReading(), readingDelay); },
    });
  }

  update() {
    const app = this.#app;
    this.controls.update();
    this.empty.hidden = Boolean(app.trace);
    this.empty.textContent = app.trace ? "" : noTranslationText(app, text.shows);
    this.body.hidden = !this.#ready;
    if (!this.#ready) return;
    const {queries, keys} = app.trace.sides(app.state.attention);
    this.titles.replaceChildren(el("span", {}, el("b", {}, sideNames[queries]), text.queries),
      el("span", {}, text.looksAt), el("span", {}, el("b", {}, sideNames[keys]), text.keys));
    this.columns.update();
    this.note.replaceChildren(...this.#noteParts());
    this.#showReading();
  }

  svg() {
    const {state} = this.#app;
    return this.#ready ? this.columns.svg(this.#app.layerTitle(state.attention, state.layer)) : null;
  }

  destroy() {
    clearTimeout(this.#timer);
    this.columns.destroy();
  }

  get #ready() { return this.#app.trace?.has(this.#app.state.attention, this.#app.state.layer); }

  #shown() {
    const {attention, layer, heads, query, key, least} = this.#app.state;
    const trace = this.#ready ? this.#app.trace : null;
    return {trace, attention, layer, heads, query, key, least, off: this.#offHeads()};
  }

  // The heads of the shown layer that are switched off in the shown trace; only the changed translation has any.
  #offHeads() {
    const {attention, layer, off} = this.#app.state;
    if (this.#app.trace !== this.#app.changed) return new Set();
    return new Set(off.filter((entry) => entry.attention === attention && entry.layer === layer).map(({head}) => head));
  }

  #noteParts() {
    const app = this.#app;
    if (!app.state.heads.size) {
      const showAll = el("button", {type: "button", class: "small", onclick: () => app.set({heads: null})},
        text.showAll);
      return [text.allHidden, showAll];
    }
    const {least, drawn, all} = this.columns.links;
    const weight = number(least, least < 0.01 ? 4 : 3);
    const choice = choiceNote(app.site());
    const sentences = [...(choice ? [choice] : []), text.drawn(grouped(drawn), grouped(all), weight), text.pointed];
    if (app.state.merged) sentences.push(mergedNote);
    if (this.#offHeads().size) sentences.push(text.dotted);
    return [joinedSentences(sentences)];
  }

  #showReading() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const {query, key} = this.#app.state;
    const pinned = query !== null ? {side: "query", index: query} : key !== null ? {side: "key", index: key} : null;
    const token = this.columns.focus ?? pinned;
    const focusToken = (side, index) => this.columns.focusToken(side, index);
    this.reading.replaceChildren(...(token ? tokenWeights(this.#app, token, focusToken) : headNumbers(this.#app)));
  }
}
