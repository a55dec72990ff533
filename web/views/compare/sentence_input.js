// The second sentence of a comparison, and its translation with the words marked that the first one does not have.

import {offlineNote} from "../../core/api.js";
import {number} from "../../core/format.js";
import {initialState, toHash} from "../../core/state.js";
import {el} from "../../parts/elements.js";
import {markedWords} from "../../parts/marked_words.js";
import {spinner} from "../../parts/spinner.js";
import {text} from "../../strings/compare.js";

const typingDelay = 180;  // milliseconds

/** The texts of the sentences of a result, as one. */
export const joinedText = (result) => result?.sentences.map((sentence) => sentence.text).join(" ") ?? "";

// The address of the two sentences that show what a pronoun stands for, with the head that knows it; null if the model
// brings none.
function pronounExample({survey, offline, state: {source, target, model}}) {
  const {attention, layer, head, example} = survey?.pronoun ?? {};
  if (!example || offline) return null;
  const [first, second] = example.sentences;
  return toHash({...initialState(), source, target, model, tab: "compare", sentence: first.text, compare: second.text,
    attention, layer: layer - 1, head: head - 1, heads: new Set([head - 1]), merged: true, query: example.place - 1});
}

export class SentenceInput {
  #app;
  #timer = 0;
  #taken;  // the second sentence when the input was last set or read

  constructor(app) {
    this.#app = app;
    this.#taken = app.state.compare;
    this.input = el("textarea", {id: "second", dir: "auto", rows: 2, spellcheck: "false", value: this.#taken,
      readonly: app.offline, placeholder: text.placeholder, oninput: () => this.#onInput()});
    this.known = el("select", {"aria-label": text.fromFile, onchange: () => app.set({compare: this.known.value})});
    if (app.offline) {
      this.known.append(...["", ...app.api.sentences].map(
        (sentence) => el("option", {value: sentence}, sentence || text.choose)));
    }
    this.copyButton = el("button", {type: "button", class: "quiet small", onclick: () => {
      app.set({compare: app.state.sentence});
      this.input.focus();
    }}, text.copy);
    this.example = el("a", {class: "small"});
    this.translation = el("div", {class: "translation"});
    this.facts = el("p", {class: "facts"});
    const label = el("label", {class: "language", for: "second"}, text.secondSentence);
    const title = el("span", {class: "language"}, text.itsTranslation);
    this.element = el("div", {class: "translate"},
      el("div", {class: "side"}, el("div", {class: "side-head"}, label, this.copyButton, this.example,
        this.known), this.input),
      el("div", {class: "side"}, el("div", {class: "side-head"}, title, this.facts), this.translation));
  }

  update() {
    const {state, offline, requests} = this.#app;
    if (state.compare !== this.#taken) this.input.value = this.#taken = state.compare;
    this.input.title = offline ? offlineNote : "";
    this.input.lang = state.source;
    this.known.hidden = !offline;
    this.known.value = state.compare;
    this.copyButton.hidden = offline || Boolean(state.compare);
    const address = pronounExample(this.#app);
    this.example.hidden = !address || address === toHash(state);
    this.example.href = address ?? "";
    this.example.textContent = address ? text.pronoun(this.#app.survey.pronoun.example.pronoun) : "";
    this.#showTranslation(requests);
  }

  destroy() { clearTimeout(this.#timer); }

  #showTranslation({plain, other}) {
    const second = other.result?.sentences;
    this.translation.lang = this.#app.state.target;
    this.translation.replaceChildren(
      ...(second?.length ? markedWords(joinedText(plain.result), joinedText(other.result)) : []));
    this.translation.classList.toggle("stale", this.#app.state.compare !== this.input.value || other.isOutdated);
    const score = second?.length && !other.isOutdated ? text.score(number(second[0].score)) : "";
    this.facts.replaceChildren(other.isSlow ? spinner() : score);
  }

  #onInput() {
    clearTimeout(this.#timer);
    this.#app.refresh();
    this.#timer = setTimeout(() => {
      this.#taken = this.input.value;
      this.#app.set({compare: this.#taken});
    }, typingDelay);
  }
}
