// The translation that the changes made in "What if" give, for all other views.

import {number, signed} from "../core/format.js";
import {changesOf, isChanged} from "../core/requests.js";
import {text} from "../strings/sentence.js";
import {changesInWords} from "./changes_text.js";
import {el} from "./elements.js";
import {FailureNote} from "./failure_note.js";
import {markedWords} from "./marked_words.js";
import {sampleAgain} from "./pickers.js";
import {spinner} from "./spinner.js";
import {warningList} from "./warnings.js";

export class ChangedBox {
  #app;

  constructor(app) {
    this.#app = app;
    this.reasons = el("span", {class: "reasons"});
    this.again = sampleAgain(app, "quiet small");
    this.failure = new FailureNote(app);
    this.body = el("div");
    const undo = el("button", {type: "button", class: "quiet small", onclick: () => app.reset()}, text.undoAll);
    this.element = el("div", {class: "changed-translation", hidden: true},
      el("div", {class: "what-head"}, el("span", {class: "language"}, text.whatIf), this.reasons, this.again.element,
        undo), this.failure.element, this.body);
  }

  // Hidden in "What if", which shows more of it.
  update() {
    const {state, requests: {plain, changed}, part, isStale} = this.#app;
    const [now, before] = [changed, plain].map(({result}) => result?.sentences[part]);
    const isKnown = Boolean(now && before);
    this.element.hidden = !isChanged(state) || state.tab === "whatif" || !(isKnown || changed.failure);
    if (this.element.hidden) return;
    this.element.lang = state.target;
    this.element.classList.toggle("busy", changed.busy);
    this.body.classList.toggle("stale", isStale || changed.isOutdated);
    this.reasons.textContent = this.reasons.title = changesInWords(changesOf(state));
    this.again.update();
    this.failure.showRequest(changed);
    this.body.replaceChildren(...(isKnown ? comparison(now, before, changed.isSlow) : []));
  }
}

function comparison(now, before, isSlow) {
  const logChange = now.log_probability - before.log_probability;
  const facts = isSlow ? [spinner()] : [
    el("span", {}, now.text === before.text ? text.sameText : text.otherText),
    el("span", {}, `${text.score(number(now.score))} (${signed(now.score - before.score)})`),
    el("span", {}, `log p ${number(now.log_probability)} (${signed(logChange)})`),
  ];
  const warnings = warningList([now], ["unknown"]);
  return [
    el("div", {class: "translation"}, ...markedWords(before.text, now.text)), el("p", {class: "facts"}, ...facts),
    ...(warnings ? [warnings] : []),
  ];
}
