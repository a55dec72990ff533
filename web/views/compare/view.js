// Compare: two sentences side by side with the same layer, heads and word, and how their attention differs, as in "The
// animal didn't cross the street because it was too tired (wide)".

import {offlineNote} from "../../core/api.js";
import {MovedShares, sharedTokens} from "../../core/difference.js";
import {number} from "../../core/format.js";
import {Boards} from "../../parts/board.js";
import {Columns} from "../../parts/columns.js";
import {controlBar} from "../../parts/controls.js";
import {el, svg} from "../../parts/elements.js";
import {FailureNote} from "../../parts/failure_note.js";
import {HeadSquares} from "../../parts/head_squares.js";
import {markedWords} from "../../parts/marked_words.js";
import {attentionPicker, layerPicker, wordSwitch} from "../../parts/pickers.js";
import {spinner} from "../../parts/spinner.js";
import {wordComparison, wordHint} from "./word.js";

const typingDelay = 180;   // milliseconds
const widestPicture = 640; // pixels
const listOf = {query: "queries", key: "keys"};
const otherSide = {query: "key", key: "query"};

export class View {
  #app;
  #timer = 0;
  #taken;                      // the second sentence when the input was last set or read
  #pointed = null;             // {which: "first" | "second", side, index} of the token that is pointed at
  #pinnedInSecond = null;      // {side, index} of a pinned token that the first sentence does not have
  #moved = new MovedShares();

  constructor(root, app) {
    this.#app = app;
    this.#taken = app.state.compare;
    this.failure = new FailureNote(app);
    this.controls = controlBar(
      attentionPicker(app), layerPicker(app), new HeadSquares(app, {switchable: false}), wordSwitch(app));
    this.word = el("section", {});
    this.boards = new Boards(app, {
      describe: (attention, layer, head) => this.#describe(attention, layer, head),
      press: (attention, layer, head) => app.set({attention, layer, head, heads: new Set([head])}),
    });
    this.overall = el("section", {}, el("h3", {}, "Where the two differ most"),
      el("p", {class: "note"},
        "The numbers are the per cent of each head's attention that goes to other words in the second sentence, " +
          "counted over the words that both have. Choose a head to show it alone."), this.boards.element);
    root.append(el("div", {class: "compare"}, this.#inputs(), this.failure.element, this.controls.element,
      this.#pictures(), this.word, this.overall));
  }

  update() {
    const {state, plain, other} = this.#app;
    this.#updateInputs();
    this.#updateTranslation();
    this.controls.element.hidden = this.#app.withoutAttention;
    this.controls.update();
    this.left.hidden = !plain?.has(state.attention, state.layer);
    this.right.hidden = this.word.hidden = this.overall.hidden = !other?.has(state.attention, state.layer);
    if (!this.left.hidden) this.first.update();
    if (this.right.hidden) return;
    this.second.update();
    this.#showWord();
    this.boards.update();
  }

  svg() {
    if (this.left.hidden || this.right.hidden) return null;
    return sideBySide(this.first.svg(this.#app.state.sentence), this.second.svg(this.#app.state.compare));
  }

  destroy() {
    clearTimeout(this.#timer);
    this.first.destroy();
    this.second.destroy();
  }

  #inputs() {
    const app = this.#app;
    this.input = el("textarea", {id: "second", dir: "auto", rows: 2, spellcheck: "false", value: this.#taken,
      readonly: app.offline, placeholder: "A sentence that differs in a word or two", oninput: () => this.#onInput()});
    this.known = el("select", {"aria-label": "Second sentence, from this file",
      onchange: () => app.set({compare: this.known.value})});
    if (app.offline) {
      this.known.append(...["", ...app.api.sentences].map(
        (sentence) => el("option", {value: sentence}, sentence || "Choose a sentence")));
    }
    this.copyButton = el("button", {type: "button", class: "quiet small", onclick: () => {
      app.set({compare: app.state.sentence});
      this.input.focus();
    }}, "Copy the first sentence");
    this.translation = el("div", {class: "translation"});
    this.facts = el("p", {class: "facts"});
    const label = el("label", {class: "language", for: "second"}, "Second sentence");
    const title = el("span", {class: "language"}, "Its translation");
    return el("div", {class: "translate"},
      el("div", {class: "side"}, el("div", {class: "side-head"}, label, this.copyButton, this.known), this.input),
      el("div", {class: "side"}, el("div", {class: "side-head"}, title, this.facts), this.translation));
  }

  #onInput() {
    clearTimeout(this.#timer);
    this.#app.refresh();
    this.#timer = setTimeout(() => {
      this.#taken = this.input.value;
      this.#app.set({compare: this.#taken});
    }, typingDelay);
  }

  #pictures() {
    const app = this.#app;
    const picture = (title) => el("div", {}, el("div", {class: "column-titles"}, el("b", {}, title)));
    this.left = picture("First sentence");
    this.right = picture("Second sentence");
    this.first = new Columns(this.left, {
      get: () => ({...this.#shown(), trace: app.plain, query: app.state.query, key: app.state.key}),
      pin: (side, index) => this.#pinInFirst(side, index),
      hover: (side, index) => this.#hover("first", side, index), widest: widestPicture,
    });
    this.second = new Columns(this.right, {
      get: () => (
        {...this.#shown(), trace: app.other, query: this.#pinOfSecond("query"), key: this.#pinOfSecond("key")}),
      pin: (side, index) => this.#pinInSecond(side, index),
      hover: (side, index) => this.#hover("second", side, index), widest: widestPicture,
    });
    return el("div", {class: "compare-columns"}, this.left, this.right);
  }

  #shown() {
    const {attention, layer, heads} = this.#app.state;
    return {attention, layer, heads};
  }

  #updateInputs() {
    const {state, offline} = this.#app;
    if (state.compare !== this.#taken) this.input.value = this.#taken = state.compare;
    this.input.title = offline ? offlineNote : "";
    this.input.lang = state.source;
    this.known.hidden = !offline;
    this.known.value = state.compare;
    this.copyButton.hidden = offline || Boolean(state.compare);
  }

  #updateTranslation() {
    const {requests, state} = this.#app;
    const joined = (sentences) => sentences?.map(({text}) => text).join(" ") ?? "";
    const [first, second] = [requests.plain, requests.other].map(({result}) => result?.sentences);
    this.translation.lang = state.target;
    this.translation.replaceChildren(...(second?.length ? markedWords(joined(first), joined(second)) : []));
    const {other} = requests;
    this.translation.classList.toggle("stale", state.compare !== this.input.value || other.isOutdated);
    const score = second?.length && !other.isOutdated ? `score ${number(second[0].score)}` : "";
    this.facts.replaceChildren(other.isSlow ? spinner() : score);
    this.failure.showRequest(other);
  }

  // The index of a token of one sentence in the other, or null.
  #counterpart(side, index, fromFirst) {
    const {plain, other, state} = this.#app;
    if (index === null || !plain || !other) return null;
    const pairs = sharedTokens(plain, other, state.attention, listOf[side]);
    const found = pairs.find(([i, j]) => (fromFirst ? i : j) === index);
    return found ? (fromFirst ? found[1] : found[0]) : null;
  }

  #pinOfSecond(side) {
    const pinned = this.#pinnedInSecond;
    return pinned?.side === side ? pinned.index : this.#counterpart(side, this.#app.state[side], true);
  }

  #pinInFirst(side, index) {
    this.#pinnedInSecond = null;
    this.#app.set({[side]: index === this.#app.state[side] ? null : index, [otherSide[side]]: null});
  }

  #pinInSecond(side, index) {
    const inFirst = this.#counterpart(side, index, false);
    const unpins = index !== null && index === this.#pinOfSecond(side);
    this.#pinnedInSecond = inFirst === null && index !== null && !unpins ? {side, index} : null;
    this.#app.set({[side]: unpins ? null : inFirst, [otherSide[side]]: null});
  }

  #hover(which, side, index) {
    this.#pointed = index === null ? null : {which, side, index};
    this.#showWord();
  }

  #describe(attention, layer, head) {
    const {state, plain, other} = this.#app;
    const moved = this.#moved.of(plain, other, attention, layer, head);
    return {
      text: String(Math.round(100 * moved)), shade: moved,
      label: `${number(100 * moved, 1)} per cent of its attention differs`,
      title: `${number(100 * moved, 1)} % of the attention of layer ${layer + 1}, head ${head + 1} differs`,
      chosen: state.attention === attention && state.layer === layer && state.heads.size === 1 && state.heads.has(head),
    };
  }

  // The token that is pointed at or pinned: {which, side, index}, or null.
  #chosenToken() {
    const {query, key} = this.#app.state;
    if (this.#pointed) return this.#pointed;
    if (this.#pinnedInSecond) return {which: "second", ...this.#pinnedInSecond};
    if (query !== null) return {which: "first", side: "query", index: query};
    return key !== null ? {which: "first", side: "key", index: key} : null;
  }

  #showWord() {
    const {plain, other, state} = this.#app;
    const token = this.#chosenToken();
    if (!token || !plain || !other || !state.heads.size) {
      this.word.replaceChildren(el("p", {class: "note"}, wordHint));
      return;
    }
    const {which, side, index} = token;
    const counterpart = this.#counterpart(side, index, which === "first");
    const [first, second] = which === "first" ? [index, counterpart] : [counterpart, index];
    this.word.replaceChildren(...wordComparison(this.#app, side, first, second));
  }
}

// Two pictures as one.
function sideBySide(first, second) {
  const gap = 24;
  const [a, b] = [first, second].map(
    (picture) => ["width", "height"].map((name) => Number(picture.getAttribute(name))));
  second.setAttribute("x", a[0] + gap);
  return svg("svg", {xmlns: "http://www.w3.org/2000/svg", width: a[0] + gap + b[0], height: Math.max(a[1], b[1])},
    first, second);
}
