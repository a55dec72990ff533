// Compare: two sentences side by side with the same layer, heads and word, and how their attention differs, as in "The
// animal didn't cross the street because it was too tired (wide)". Or two models, or checkpoints, on the same sentence.

import {counterpart, MovedShares, sharedTokens} from "../../core/difference.js";
import {number} from "../../core/format.js";
import {isAgainstRival} from "../../core/requests.js";
import {siteOf} from "../../core/sites.js";
import {Boards} from "../../parts/board.js";
import {Columns} from "../../parts/columns.js";
import {controlBar, Segmented} from "../../parts/controls.js";
import {el, svg} from "../../parts/elements.js";
import {FailureNote} from "../../parts/failure_note.js";
import {HeadSquares} from "../../parts/head_squares.js";
import {attentionPicker, layerPicker, wordSwitch} from "../../parts/pickers.js";
import {text} from "../../strings/compare.js";
import {firstName, ModelInputs, modelTitle} from "./model_inputs.js";
import {SentenceInput} from "./sentence_input.js";
import {wordComparison} from "./word.js";

const widestPicture = 640; // pixels
const listOf = {query: "queries", key: "keys"};
const otherSide = {query: "key", key: "query"};

const modes = [
  {value: "sentence", text: text.sentences, title: text.sentencesTitle},
  {value: "model", text: text.models, title: text.modelsTitle},
];

export class View {
  #app;
  #pointed = null;             // {which: "first" | "second", side, index} of the token that is pointed at
  #pinnedInSecond = null;      // {side, index} of a pinned token that the first sentence does not have
  #moved = new MovedShares();

  constructor(root, app) {
    this.#app = app;
    this.failure = new FailureNote(app);
    this.mode = new Segmented(text.compare, () => modes, () => app.state.versus, (versus) => app.set({versus}));
    this.sentence = new SentenceInput(app);
    this.models = new ModelInputs(app);
    this.controls = controlBar(
      attentionPicker(app), layerPicker(app), new HeadSquares(app, {switchable: false}), wordSwitch(app));
    this.missing = el("p", {class: "note", role: "status"});
    this.word = el("section", {});
    this.boards = new Boards(app, {
      describe: (attention, layer, head) => this.#describe(attention, layer, head),
      press: (attention, layer, head) => app.set({attention, layer, head, heads: new Set([head])}),
    });
    this.overallNote = el("p", {class: "note"});
    this.overall = el("section", {}, el("h3", {}, text.mostDifferent), this.overallNote, this.boards.element);
    root.append(el("div", {class: "compare"}, el("div", {class: "bar"}, this.mode.element), this.sentence.element,
      this.models.element, this.failure.element, this.controls.element, this.missing, this.#pictures(), this.word,
      this.overall));
  }

  update() {
    const {state, plain, other, requests} = this.#app;
    this.#updateInputs();
    this.failure.showRequest(requests.other);
    this.controls.element.hidden = this.#app.withoutAttention;
    this.controls.update();
    this.left.hidden = !plain?.has(state.attention, state.layer);
    this.right.hidden = !other?.has(state.attention, state.layer) || !this.#headsOfSecond().size;
    this.word.hidden = this.overall.hidden = !other || this.left.hidden;
    this.#showMissing();
    if (!this.left.hidden) this.first.update();
    if (!this.right.hidden) this.second.update();
    if (this.word.hidden) return;
    this.#showWord();
    this.boards.update();
  }

  svg() {
    if (this.left.hidden || this.right.hidden) return null;
    const {sentence, compare} = this.#app.state;
    const captions = this.#byModel ? this.#titles().map((title) => `${title}: ${sentence}`) : [sentence, compare];
    return sideBySide(this.first.svg(captions[0]), this.second.svg(captions[1]));
  }

  destroy() {
    this.sentence.destroy();
    this.first.destroy();
    this.second.destroy();
  }

  get #byModel() { return isAgainstRival(this.#app.state); }

  // What is above the two pictures.
  #titles() {
    if (!this.#byModel) return [text.firstSentence, text.secondSentence];
    return [firstName(this.#app), this.#app.state.rival].map((name) => modelTitle(this.#app, name));
  }

  #updateInputs() {
    const {state} = this.#app;
    this.mode.update();
    this.sentence.element.hidden = this.#byModel;
    this.models.element.hidden = !this.#byModel;
    // A comparison of models begins with another model, or with the first checkpoint.
    const {rivals} = this.models;
    if (this.#byModel && !state.rival && rivals.length) {
      this.#app.chooseRival((rivals.find(({step}) => step === undefined) ?? rivals[0]).name);
    }
    if (this.#byModel) this.models.update();
    else this.sentence.update();
    this.#titles().forEach((title, i) => { this.titles[i].textContent = title; });
    this.overallNote.textContent = this.#byModel ? text.mostDifferentModels : text.mostDifferentNote;
  }

  // The heads that are shown of the second model: those of the first that it has.
  #headsOfSecond() {
    const {state: {attention, heads}, other} = this.#app;
    const count = other?.shape(attention).heads ?? 0;
    return [...heads].every((head) => head < count) ? heads : new Set([...heads].filter((head) => head < count));
  }

  // Says why there is no second picture, if the second model is smaller than the first.
  #showMissing() {
    const {state, other, rival} = this.#app;
    const isMissing = this.#byModel && other && rival && this.right.hidden && !this.left.hidden;
    const title = isMissing ? modelTitle(this.#app, rival.name) : "";
    const isLayer = isMissing && state.layer >= siteOf(rival.sites, state.attention).layers;
    this.missing.textContent = !isMissing ? "" : isLayer ? text.noLayer(title, state.layer + 1) : text.noHead(title);
    this.missing.hidden = !isMissing;
  }

  #pictures() {
    const app = this.#app;
    this.titles = [el("b"), el("b")];
    [this.left, this.right] = this.titles.map((title) => el("div", {}, el("div", {class: "column-titles"}, title)));
    this.first = new Columns(this.left, {
      get: () => ({...this.#shown(), trace: app.plain, query: app.state.query, key: app.state.key}),
      pin: (side, index) => this.#pinInFirst(side, index),
      hover: (side, index) => this.#hover("first", side, index), widest: widestPicture,
    });
    this.second = new Columns(this.right, {
      get: () => ({
        ...this.#shown(), heads: this.#headsOfSecond(), trace: app.other,
        query: this.#pinOfSecond("query"), key: this.#pinOfSecond("key"),
      }),
      pin: (side, index) => this.#pinInSecond(side, index),
      hover: (side, index) => this.#hover("second", side, index), widest: widestPicture,
    });
    return el("div", {class: "compare-columns"}, this.left, this.right);
  }

  #shown() {
    const {attention, layer, heads} = this.#app.state;
    return {attention, layer, heads};
  }

  // The index of a token of one sentence in the other, or null.
  #counterpart(side, index, fromFirst) {
    const {plain, other, state} = this.#app;
    if (index === null || !plain || !other) return null;
    return counterpart(sharedTokens(plain, other, state.attention, listOf[side]), index, fromFirst);
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
    const chosen =
      state.attention === attention && state.layer === layer && state.heads.size === 1 && state.heads.has(head);
    if (!other.has(attention, layer) || head >= other.shape(attention).heads) {
      return {text: "–", shade: 0, label: text.headMissing, title: text.headMissing, chosen};
    }
    const moved = this.#moved.of(plain, other, attention, layer, head);
    const share = number(100 * moved, 1);
    return {text: String(Math.round(100 * moved)), shade: moved, label: text.headDiffers(share),
      title: text.headTitle(share, layer + 1, head + 1), chosen};
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
    if (!token || !plain || !other || !state.heads.size || this.right.hidden) {
      this.word.replaceChildren(el("p", {class: "note"}, this.#byModel ? text.wordHintModels : text.wordHint));
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
