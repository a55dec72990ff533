// The original and the changed translation, each with its scores and its other hypotheses.

import {number, signed} from "../../core/format.js";
import {isChanged} from "../../core/requests.js";
import {el} from "../../parts/elements.js";
import {FailureNote} from "../../parts/failure_note.js";
import {hypothesisTable} from "../../parts/hypotheses.js";
import {markedWords} from "../../parts/marked_words.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {spinner} from "../../parts/spinner.js";
import {warningList} from "../../parts/warnings.js";
import {text as strings} from "../../strings/whatif.js";

const note = (text) => el("p", {class: "note"}, text);

export class Translations {
  #app;
  #plain = el("div");
  #changed = el("div");
  #busy = el("p", {class: "note"});

  constructor(app) {
    this.#app = app;
    this.failure = new FailureNote(app);
    this.card = el("div", {class: "card now"}, el("h3", {}, strings.changed), this.#busy, this.failure.element,
      this.#changed);
    this.element = el("section", {}, el("div", {class: "pair"},
      el("div", {class: "card"}, el("h3", {}, strings.original), this.#plain), this.card));
  }

  update() {
    const app = this.#app;
    const {requests: {plain, changed}, part, state} = app;
    const [before, after] = [plain, changed].map(({result}) => result?.sentences[part]);
    const language = state.target;
    this.#plain.replaceChildren(...(before ? card(before, {language, trace: app.plain})
      : [note(noTranslationText(app, strings.shows))]));
    this.failure.showRequest(isChanged(state) ? changed : {});
    this.#busy.replaceChildren(...(changed.isSlow ? [spinner()] : []));
    if (!isChanged(state)) this.#changed.replaceChildren(note(this.#invitation()));
    else if (after && before) {
      this.#changed.replaceChildren(...card(after, {language, trace: app.changed, original: before}));
    } else if (changed.failure) this.#changed.replaceChildren();
    this.#changed.classList.toggle("stale", isChanged(state) && changed.isOutdated);
    this.card.classList.toggle("busy", changed.busy);
  }

  #invitation() {
    const {withoutAttention, offline} = this.#app;
    if (offline) return strings.nothingInFile;
    return withoutAttention ? strings.invitationWithoutHeads : strings.invitation;
  }
}

// `original` is the translation that a changed one is compared with.
function card(sentence, {language, trace, original = null}) {
  return [
    el("div", {class: "translation", lang: language},
      ...(original ? markedWords(original.text, sentence.text) : [sentence.text])),
    el("p", {class: "facts"},
      ...scoreFacts(strings.score, sentence.score, original?.score),
      ...scoreFacts((value) => `log p ${value}`, sentence.log_probability, original?.log_probability)),
    ...[original ? warningList([sentence], ["unknown"]) : null].filter(Boolean),
    ...(sentence.hypotheses?.length > 1 ? hypothesisTable(sentence, trace, {language}) : []),
  ];
}

function scoreFacts(written, value, original) {
  const change = original === undefined ? []
    : [" ", el("span", {class: "delta"}, strings.changeOf(signed(value - original)))];
  return [el("span", {}, written(number(value)), ...change)];
}
