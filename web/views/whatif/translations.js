// The plain and the changed translation, each with its scores and its other hypotheses.

import {number, signed} from "../../core/format.js";
import {isChanged} from "../../core/requests.js";
import {el} from "../../parts/elements.js";
import {markedWords} from "../../parts/marked_words.js";

export class Translations {
  #app;
  #plain = el("div", {class: "card"});
  #changed = el("div", {class: "card now"});

  constructor(app) {
    this.#app = app;
    this.element = el("section", {}, el("div", {class: "pair"}, this.#plain, this.#changed));
  }

  update() {
    const {requests, part, state} = this.#app;
    const [before, after] = [requests.plain, requests.changed].map(({result}) => result?.sentences[part]);
    this.#plain.replaceChildren(
      ...(before ? card("Plain", before, null, state.target) : [el("p", {class: "note"}, "Type a sentence above.")]));
    const note = this.#changedNote();
    if (isChanged(state) && after && before) {
      this.#changed.replaceChildren(...card("Changed", after, before, state.target));
    } else if (note) {
      this.#changed.replaceChildren(el("h3", {}, "Changed"), el("p", {class: "note"}, ...note));
    }
    this.#changed.classList.toggle("busy", requests.changed.busy);
  }

  // The text that is shown instead of a changed translation; null while it is being fetched.
  #changedNote() {
    const {state, withoutAttention, requests} = this.#app;
    if (!isChanged(state)) {
      return ["Nothing is changed yet. You can ", withoutAttention ? "" : "switch a head off, ",
        "force a beginning, or choose another search."];
    }
    const error = requests.changed.result?.error;
    return error ? [error] : null;
  }
}

// `plain` is the plain translation that a changed one is compared with, or null.
function card(title, sentence, plain, language) {
  return [
    el("h3", {}, title),
    el("div", {class: "translation", lang: language},
      ...(plain ? markedWords(plain.text, sentence.text) : [sentence.text])),
    el("p", {class: "facts"},
      ...scoreFacts("score", sentence.score, plain?.score),
      ...scoreFacts("log p", sentence.log_probability, plain?.log_probability),
      sentence.finished ? null : el("span", {class: "warning"}, "cut short")),
    ...(sentence.hypotheses?.length > 1 ? [hypothesisTable(sentence, language)] : []),
  ];
}

function scoreFacts(name, value, plain) {
  const facts = [el("span", {}, `${name} ${number(value)}`)];
  if (plain !== undefined) facts.push(el("span", {class: "delta"}, signed(value - plain)));
  return facts;
}

function hypothesisTable({text: best, hypotheses}, language) {
  return el("table", {}, el("tbody", {}, ...hypotheses.slice(1).map(({text, score}) => (
    el("tr", {}, el("td", {lang: language}, ...markedWords(best, text)),
      el("td", {class: "figure"}, number(score)))))));
}
