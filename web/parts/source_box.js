// The left side of the sentence box: the text to translate, with marks on what the model does not know, and examples.

import {offlineNote} from "../core/api.js";
import {examplesOf} from "../core/examples.js";
import {text} from "../strings/sentence.js";
import {el} from "./elements.js";
import {KnownWords} from "./known_words.js";
import {MarkedInput} from "./marked_input.js";

const letterWidth = 9.5;  // pixels, on average
const pausedAfter = (milliseconds) => (milliseconds > 400 ? 500 : 180);  // milliseconds without a key

export class SourceBox {
  #app;
  #timer = 0;
  #taken;           // the app's draft as last written to the input or read from it
  #shownExamples = "";

  constructor(app) {
    this.#app = app;
    this.#taken = app.draft;
    this.input = el("textarea", {id: "sentence", dir: "auto", rows: 2, spellcheck: "false",
      autocapitalize: "sentences", enterkeyhint: "go", placeholder: text.type, value: this.#taken,
      oninput: () => this.#onInput(), onkeydown: (event) => this.#onKey(event)});
    this.marked = new MarkedInput(this.input);
    this.words = new KnownWords(app);
    this.examples = el("div", {class: "examples", role: "group", "aria-label": text.examples});
    this.element = el("div", {class: "side"}, this.#head(), this.marked.element, this.words.element, this.examples,
      this.#keyRow());
  }

  update() {
    const {draft} = this.#app;
    if (draft !== this.#taken) this.input.value = this.#taken = draft;
    this.#updateLanguages();
    this.#updateInputs();
    this.words.update();
    this.marked.show(this.words.unknown);
    this.#updateExamples();
    const lettersInALine = Math.max(20, this.input.clientWidth / letterWidth);
    this.input.rows = Math.min(5, Math.max(2, Math.ceil(this.input.value.length / lettersInALine)));
  }

  #head() {
    this.pair = el("select", {id: "pair", "aria-label": text.languages,
      onchange: () => this.#app.choosePair(...this.pair.value.split(" "))});
    this.name = el("label", {for: "sentence", class: "language"});
    this.known = el("select", {id: "known", "aria-label": text.sentencesOfFile,
      onchange: () => this.#app.set({sentence: this.known.value, part: 0})});
    return el("div", {class: "side-head"}, this.name, this.pair, this.known, this.words.opener);
  }

  #keyRow() {
    const {api} = this.#app;
    const connect = async () => {
      await this.#app.connect();
      this.#app.set({});
    };
    const key = el("input", {id: "key", type: "password", autocomplete: "off",
      oninput: () => { api.key = key.value; }, onchange: connect});
    return this.keyRow = el("form", {class: "key", onsubmit: (event) => event.preventDefault()},
      el("label", {for: "key"}, text.key), key);
  }

  #onInput() {
    clearTimeout(this.#timer);
    this.#app.type(this.#taken = this.input.value);
    if (this.#app.translatesOnEnter) return;
    const took = this.#app.requests.plain.result?.milliseconds ?? 0;
    this.#timer = setTimeout(() => this.#app.translateDraft(), pausedAfter(took));
  }

  #onKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    clearTimeout(this.#timer);
    this.#app.type(this.#taken = this.input.value);
    this.#app.translateDraft();
  }

  #updateLanguages() {
    const {languages, state: {source, target}} = this.#app;
    const nameOf = (code) => languages.find((language) => language.code === code)?.name ?? code;
    const pairs = languages.flatMap(({code, name, targets}) => (
      targets.map((to) => ({code, name, target: to, targetName: nameOf(to)}))));
    this.name.textContent = nameOf(source) || text.sentence;
    this.input.lang = source;
    this.pair.hidden = pairs.length < 2;
    if (this.pair.options.length !== pairs.length) {
      this.pair.replaceChildren(...pairs.map((entry) => el("option", {value: `${entry.code} ${entry.target}`},
        text.pair(entry.name, entry.targetName))));
    }
    this.pair.value = `${source} ${target}`;
  }

  #updateInputs() {
    const {offline, api, settings, state} = this.#app;
    this.known.hidden = !offline || api.sentences.length < 2;
    if (offline && !this.known.options.length) {
      this.known.append(...api.sentences.map((sentence) => el("option", {value: sentence}, sentence)));
    }
    this.known.value = state.sentence;
    this.keyRow.hidden = !settings.keyRequired;
    this.input.readOnly = offline;
    this.input.title = offline ? offlineNote : "";
  }

  #updateExamples() {
    const {offline, model, state} = this.#app;
    const sentences = offline ? [] : examplesOf(model);
    const now = JSON.stringify(sentences);
    if (now !== this.#shownExamples) {
      this.#shownExamples = now;
      this.examples.replaceChildren(el("span", {class: "language"}, text.try), ...sentences.map(
        (sentence) => el("button", {
          type: "button", class: "example", lang: state.source, title: sentence, "data-sentence": sentence,
          onclick: () => this.#app.set({sentence, part: 0}),
        }, sentence)));
    }
    this.examples.hidden = !sentences.length;
    for (const button of this.examples.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.sentence === state.sentence));
    }
  }
}
