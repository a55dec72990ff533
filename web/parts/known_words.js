// What the model does not know of the text that is being typed, and, for a model that was trained on few words, which
// ones it knows.

import {joinedSentences} from "../core/language.js";
import {joinedRanges, unknownRanges, unseenRanges} from "../core/unknown.js";
import {text as strings} from "../strings/sentence.js";
import {el} from "./elements.js";

const mostNamed = 5;  // parts of the text that a sentence names

function quoted(parts) {
  const different = [...new Set(parts)];
  const named = different.slice(0, mostNamed).map((part) => `“${part}”`);
  const rest = different.length - named.length;
  return rest ? strings.namedAndMore(named, rest) : strings.named(named);
}

const overlaps = ([begin, end]) => ([from, to]) => begin < to && from < end;

export class KnownWords {
  #app;
  #words = null;  // the model's list as it is shown
  unknown = [];   // ranges of the text

  constructor(app) {
    this.#app = app;
    this.note = el("p", {class: "unknown-note", role: "status"});
    this.list = el("p", {class: "word-list", id: "word-list", tabindex: "0", role: "region", hidden: true,
      "aria-label": strings.wordsOfModel});
    this.opener = el("button", {type: "button", class: "quiet small", id: "known-words", "aria-expanded": "false",
      "aria-controls": this.list.id, onclick: () => this.#toggle()});
    this.element = el("div", {}, this.note, this.list);
  }

  update() {
    const {draft, hasDraft, requests: {plain}} = this.#app;
    this.#updateWords();
    const sentences = hasDraft || plain.isOutdated ? [] : plain.result?.sentences ?? [];
    const pieces = unknownRanges(draft, sentences), words = unseenRanges(draft, sentences);
    this.unknown = joinedRanges([...pieces, ...words]);
    this.#showNote(pieces, words.filter((range) => !pieces.some(overlaps(range))));
  }

  #toggle() {
    this.list.hidden = !this.list.hidden;
    this.opener.setAttribute("aria-expanded", String(!this.list.hidden));
  }

  #updateWords() {
    const words = this.#app.model?.words ?? [];
    this.opener.hidden = !words.length || this.#app.offline;
    if (words === this.#words) return;
    this.#words = words;
    this.opener.textContent = strings.knownWords(words.length);
    const {source} = this.#app.state;
    this.list.textContent = [...words].sort((a, b) => a.localeCompare(b)).join(", ");
    this.list.lang = source;
  }

  #showNote(pieces, words) {
    const {draft} = this.#app;
    const texts = (ranges) => ranges.map(([begin, end]) => draft.slice(begin, end));
    const sentences = [];
    if (pieces.length) sentences.push(strings.lacks(quoted(texts(pieces))));
    if (words.length) sentences.push(strings.neverSaw(quoted(texts(words))));
    const text = joinedSentences(sentences);
    this.note.hidden = !text;
    if (this.note.textContent !== text) this.note.textContent = text;
  }
}
