// Why: how one weight is computed from query, key, scaling, mask and softmax with this sentence's numbers, beside the
// weight that the attention kernel recorded. Attention with another score than equation (1) has its own first steps.

import {number} from "../../core/format.js";
import {scores} from "../../core/sites.js";
import {label} from "../../core/tokens.js";
import {controlBar, LabelledSelect} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {FailureNote} from "../../parts/failure_note.js";
import {keyLength} from "../../parts/formula.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {attentionPicker, headPicker, layerPicker, translationPicker} from "../../parts/pickers.js";
import {text} from "../../strings/why.js";
import {Chain} from "./chain_view.js";
import {computeWeight, heaviestKeys, strongest} from "./equation.js";
import {oneWeight, scoreFormula} from "./formulas.js";
import {whyPicture} from "./picture.js";
import {projectionsOf} from "./projections.js";
import {
  choiceParts, comparisonParts, dotAbout, dotParts, maskText, questionParts, scaleFormula, softmaxParts,
} from "./steps.js";
import {Strip} from "./strip.js";

const shortRow = 24;  // so many keys are listed unless the user asks for all

export class View {
  #app;
  #picked = null;    // {trace, attention, query, key}: pieces that were picked here
  #listsAll = false; // whether keys of small weight are listed too
  #drawn = "";       // what is drawn, as text
  #weight = null;    // the computation that is drawn

  constructor(root, app) {
    this.#app = app;
    this.controls = controlBar(attentionPicker(app), layerPicker(app), headPicker(app), translationPicker(app));
    this.queries = new LabelledSelect(text.query, (value) => this.#pick({query: Number(value)}));
    this.keys = new LabelledSelect(text.key, (value) => this.#pick({key: Number(value)}));
    this.controls.element.append(this.queries.element, this.keys.element);
    this.status = el("p", {class: "empty"});
    this.failure = new FailureNote(app);
    this.chain = new Chain(app);
    this.body = this.#createBody();
    root.append(this.controls.element, this.status, this.failure.element, this.body);
  }

  async update() {
    this.controls.update();
    const {trace, state: {attention, layer}} = this.#app;
    if (!trace) return this.#show(noTranslationText(this.#app, text.shows));
    const site = this.#app.site();
    this.queries.element.hidden = this.keys.element.hidden = !site.d_k;
    if (!site.d_k) {
      this.#weight = null;
      return this.#show(text.otherFormula);
    }
    if (!trace.has(attention, layer)) return this.#show(text.fetching);
    return this.#compute(trace, site);
  }

  svg() {
    const weight = this.#weight;
    return weight ? whyPicture(weight, heaviestKeys(weight, shortRow), this.chain.blocks) : null;
  }
  destroy() { this.strip.destroy(); }

  #createBody() {
    this.strip = new Strip();
    this.question = el("div");
    this.parts = Object.fromEntries(
      ["dot", "scale", "mask", "softmax", "choice", "comparison"].map((name) => [name, el("div")]));
    const {dot, scale, mask, softmax, choice, comparison} = this.parts;
    this.dotAbout = el("p", {class: "note"});
    this.steps = {
      dot: step(text.dotTitle, null, this.dotAbout, this.strip.element, dot),
      scale: step(text.scaleTitle, [text.scaleAbout[0], keyLength(), text.scaleAbout[1]], scale),
      mask: step(text.maskTitle, null, mask),
      softmax: step(text.softmaxTitle, text.softmaxAbout, softmax),
      choice: step(text.choiceTitle, text.choiceAbout, choice),
      comparison: step(text.recordedTitle, null, comparison),
    };
    for (const [name, element] of Object.entries(this.steps)) element.dataset.part = name;
    this.list = el("ol", {class: "why-steps"});
    return el("div", {class: "why"}, this.question, this.list, this.chain.element);
  }

  // The steps that a site has.
  #stepsOf({score, chooses_one: choosesOne}) {
    const {dot, scale, mask, softmax, choice, comparison} = this.steps;
    return [dot, score === scores.scaled ? scale : null, mask, softmax, choosesOne ? choice : null, comparison].filter(
      (element) => element);
  }

  // Shows a sentence instead of the steps, or the steps if it is empty. `failure` says why there are none.
  #show(sentence, failure = "") {
    if (sentence || failure) this.#drawn = "";
    this.status.textContent = sentence;
    this.status.hidden = sentence === "";
    this.failure.show(failure);
    this.body.hidden = sentence !== "" || failure !== "";
  }

  // Pins pieces. If words are merged, the word is pinned in the state, and the piece is kept in #picked.
  #pick(change) {
    const {trace, state} = this.#app;
    const sides = trace.sides(state.attention);
    const pieces = {...this.#chosenPieces(), ...change};
    this.#picked = {trace, attention: state.attention, ...pieces};
    const pin = (side, index) => (state.merged ? trace.position(side, index, false) : index);
    this.#app.set({query: pin(sides.queries, pieces.query), key: pin(sides.keys, pieces.key)});
  }

  // The piece that is meant by a pinned token. If words are merged, this is the piece of the word that was picked here,
  // or else the word's first piece.
  #pinnedPiece(side, index, picked) {
    const {trace, state} = this.#app;
    if (index === null || !state.merged) return index;
    const isCurrent = this.#picked?.trace === trace && this.#picked.attention === state.attention;
    return isCurrent && trace.position(side, picked, false) === index ? picked : trace.position(side, index, true);
  }

  // The pieces whose weight is shown: those picked here or pinned elsewhere, or else a query in the middle of the
  // sentence and its strongest key.
  #chosenPieces() {
    const {trace, state} = this.#app;
    const sides = trace.sides(state.attention);
    const weights = trace.exact(state.attention, state.layer, state.head);
    const middle = Math.floor(weights.rows / 2);
    const query = Math.min(
      this.#pinnedPiece(sides.queries, state.query, this.#picked?.query) ?? middle, weights.rows - 1);
    let key = this.#pinnedPiece(sides.keys, state.key, this.#picked?.key);
    if (key === null || key >= weights.columns) {
      key = 0;
      for (let j = 1; j < weights.columns; ++j) if (weights.at(query, j) > weights.at(query, key)) key = j;
    }
    return {query, key};
  }

  async #compute(trace, site) {
    const {state} = this.#app;
    const {attention, layer, head} = state;
    const {query, key} = this.#chosenPieces();
    const labels = this.#showTokens(trace, {query, key});
    this.chain.update({trace, site, attention, layer, head, query, labels, before: this.#stepsOf(site).length});
    const now = [attention, layer, head, query, key, this.#listsAll].join(" ");
    if (this.#drawn === now && this.#weight?.trace === trace) return;
    let found;
    try {
      found = await projectionsOf(this.#app, trace, attention, layer, head);
    } catch (error) {
      this.#show("", error.message);
      return;
    }
    const changed = state.attention !== attention || state.layer !== layer || state.head !== head;
    if (this.#app.trace !== trace || changed) return;
    this.#drawn = now;
    this.#weight = {
      ...computeWeight(found, query, key, site), query, key, trace, site, attention, layer, head, labels,
      recorded: trace.exact(attention, layer, head).at(query, key),
    };
    this.#show("");
    this.#draw();
  }

  // Fills the lists of tokens, and returns the labels of all pieces.
  #showTokens(trace, {query, key}) {
    const sides = trace.sides(this.#app.state.attention);
    const labels = {queries: trace[sides.queries].map(label), keys: trace[sides.keys].map(label)};
    const options = (tokens) => tokens.map((token, i) => [String(i), `${i + 1}  ${token}`]);
    this.queries.show(options(labels.queries), String(query));
    this.keys.show(options(labels.keys), String(key));
    return labels;
  }

  #draw() {
    const weight = this.#weight;
    const {site} = weight;
    const largest = strongest(weight.terms, 3);
    this.list.replaceChildren(...this.#stepsOf(site));
    this.question.replaceChildren(
      el("p", {class: "why-question"}, ...questionParts(weight),
        el("strong", {class: "number"}, weight.chosen.seen ? number(weight.recorded, 4) : "0")),
      el("div", {class: "why-formulas"}, scoreFormula(site), oneWeight(site)),
      site.formula ? el("p", {class: "note"}, text.states) : "");
    this.dotAbout.replaceChildren(...dotAbout(site));
    this.strip.show(weight, largest[0].at);
    this.parts.dot.replaceChildren(...dotParts(weight, largest));
    this.parts.scale.replaceChildren(scaleFormula(weight));
    this.parts.mask.replaceChildren(el("p", {}, maskText(weight)));
    this.parts.softmax.replaceChildren(
      ...softmaxParts(weight, this.#listedKeys(), this.#foldButton(), (key) => this.#pick({key})));
    this.parts.choice.replaceChildren(...choiceParts(weight));
    this.parts.comparison.replaceChildren(...comparisonParts(weight));
  }

  #listedKeys() {
    return this.#listsAll ? this.#weight.keys.map((_, j) => j) : heaviestKeys(this.#weight, shortRow);
  }

  #foldButton() {
    const count = this.#weight.keys.length;
    const rest = count - this.#listedKeys().length;
    return el("button", {type: "button", hidden: rest === 0 && count <= shortRow, onclick: () => {
      this.#listsAll = !this.#listsAll;
      this.update();
    }}, this.#listsAll ? text.listFewer : text.listOthers(rest));
  }
}

function step(title, about, ...content) {
  return el("li", {}, el("h3", {}, title), about ? el("p", {class: "note"}, about) : null, content);
}
