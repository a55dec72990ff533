// The board that switches heads off, and shows what each of them would change if it alone were off.

import {signed} from "../../core/format.js";
import {requestOf} from "../../core/requests.js";
import {Boards} from "../../parts/board.js";
import {el} from "../../parts/elements.js";
import {text as strings} from "../../strings/whatif.js";

const fullShade = 4;  // the change of the log-probability that is shown in full colour

const nameOf = (attention, layer, head) => `${attention} ${layer} ${head}`;

export class HeadBoard {
  #app;
  #measured = null;  // {sentence, effects: Map of a head's name to {change, sameText, text}, abort}

  constructor(app) {
    this.#app = app;
    this.boards = new Boards(app, {
      wide: true,
      describe: (attention, layer, head) => this.#describe(attention, layer, head),
      press: (attention, layer, head) => app.toggleHead(attention, layer, head),
    });
    this.measure = el("button", {type: "button", onclick: () => this.#measureAll()}, strings.measure);
    this.allOn = el("button", {type: "button", onclick: () => app.set({off: []})}, strings.allOn);
    this.progress = el("span", {class: "progress", role: "status"});
    this.note = el("p", {class: "note"});
    this.element = el("section", {}, el("h3", {}, strings.switchHeads), this.boards.element,
      el("div", {class: "bar"}, this.measure, this.allOn, this.progress), this.note);
  }

  update() {
    const {state, requests, withoutAttention} = this.#app;
    if (this.#measured && this.#measured.sentence !== state.sentence) {
      this.#measured.abort.abort();
      this.#measured = null;
      this.progress.textContent = "";
    }
    this.element.hidden = withoutAttention;
    this.allOn.disabled = !state.off.length;
    this.measure.disabled = !requests.plain.result?.answer;
    this.note.textContent = this.#measured ? strings.measured : strings.board;
    this.boards.update();
  }

  destroy() { this.#measured?.abort.abort(); }

  #describe(attention, layer, head) {
    const off = this.#app.isOff(attention, layer, head);
    const effect = this.#measured?.effects.get(nameOf(attention, layer, head));
    const label = off ? strings.isOff : strings.isOn;
    if (!effect) {
      const title = off ? strings.clickOn : strings.clickOff;
      return {text: off ? strings.off : String(head + 1), off, label, title};
    }
    const {change, sameText, text} = effect;
    return {
      text: signed(change, 2), off, otherText: !sameText, shade: Math.min(1, Math.abs(change) / fullShade),
      label: (sameText ? strings.effectSame : strings.effectOther)(label, signed(change, 2)),
      title: sameText ? strings.sameText : text,
    };
  }

  // Translates the sentence once for each head, with this head alone off.
  async #measureAll() {
    this.#measured?.abort.abort();
    const mine = this.#measured = {
      sentence: this.#app.state.sentence, effects: new Map(), abort: new AbortController(),
    };
    const before = this.#app.requests.plain.result?.sentences[this.#app.part];
    if (!before) return;
    const heads = allHeads(this.#app.sites);
    try {
      for (const [i, head] of heads.entries()) {
        this.progress.textContent = strings.progress(i + 1, heads.length);
        const effect = await this.#effectOf(head, before, mine.abort.signal);
        mine.effects.set(nameOf(head.attention, head.layer, head.head), effect);
        this.update();
      }
      this.progress.textContent = "";
    } catch (error) {
      if (error.name !== "AbortError") this.progress.textContent = error.message;
    }
  }

  async #effectOf({attention, layer, head}, before, signal) {
    const off = {heads_off: [{attention, layer: layer + 1, head: head + 1}]};
    const {trace, packed, ...request} = requestOf(this.#app.state, before.source, off);
    const answer = await this.#app.api.translate({...request, n_best: 1}, {signal});
    const now = answer.translations[0].sentences[0];
    const change = now.log_probability - before.log_probability;
    return {change, sameText: now.text === before.text, text: now.text};
  }
}

function allHeads(sites) {
  return sites.flatMap(({name: attention, layers, heads}) => Array.from(
    {length: layers * heads}, (_, i) => ({attention, layer: Math.floor(i / heads), head: i % heads})));
}
