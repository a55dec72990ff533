// The right side of the sentence box: the translation, its score, what may be wrong with it, and the other translations
// that the search found. A translation of another text than the one in the sentence box is greyed out.

import {number} from "../core/format.js";
import {hasUnknownPieces} from "../core/unknown.js";
import {text} from "../strings/sentence.js";
import {ChangedBox} from "./changed_box.js";
import {el} from "./elements.js";
import {FailureNote} from "./failure_note.js";
import {hypothesisTable} from "./hypotheses.js";
import {spinner} from "./spinner.js";
import {warningList} from "./warnings.js";

export class TranslationBox {
  #app;
  #shownBest = null;  // the sentence whose hypotheses are listed

  constructor(app) {
    this.#app = app;
    this.name = el("h2", {class: "language"});
    this.facts = el("p", {class: "facts"});
    this.prompt = this.#createPrompt();
    this.failure = new FailureNote(app);
    this.note = el("p", {class: "note"});
    this.text = el("div", {class: "translation", id: "translation", dir: "auto"});
    this.output = el("div", {class: "output"}, this.prompt, this.failure.element, this.text, this.note);
    this.warnings = el("div", {role: "status"});
    this.changed = new ChangedBox(app);
    this.best = el("details", {class: "best"});
    this.element = el("div", {class: "side"}, el("div", {class: "side-head"}, this.name, this.facts), this.output,
      this.warnings, this.changed.element, this.best);
  }

  update() {
    const {languages, state: {target}, requests: {plain}, isStale} = this.#app;
    this.name.textContent = languages.find(({code}) => code === target)?.name ?? text.translation;
    this.text.lang = target;
    this.#showText(plain);
    this.#showNotes(plain);
    const sentence = isStale ? undefined : plain.result?.sentences[this.#app.part];
    this.#showFacts(sentence, plain);
    this.#showWarnings(sentence ? plain.result.sentences : []);
    this.changed.update();
    if (sentence !== this.#shownBest) this.#showBest(this.#shownBest = sentence);
  }

  #createPrompt() {
    const translate = el("button", {type: "button", class: "small main", onclick: () => this.#app.translateDraft()},
      text.translate);
    return el("p", {class: "prompt", role: "status", hidden: true}, text.pressEnter, translate);
  }

  #showText(plain) {
    const isOld = this.#app.hasDraft || (plain.isOutdated && plain.text === null);
    this.output.classList.toggle("stale", isOld);
    this.text.inert = isOld;
    this.text.classList.toggle("busy", plain.busy);
    if (plain.text !== null) this.text.replaceChildren(plain.text);
    else if (plain.result?.answer) this.text.replaceChildren(...this.#sentenceButtons(plain.result));
    else this.text.replaceChildren();
  }

  // What stands in the place of a translation that is missing or old.
  #showNotes(plain) {
    const {hasDraft, translatesOnEnter, draft, settings, api} = this.#app;
    this.prompt.hidden = !(hasDraft && translatesOnEnter && draft.trim());
    this.failure.showRequest(hasDraft ? {} : plain);
    const note = settings.keyRequired && !api.key ? text.needsKey
      : this.#app.isStale ? "" : noteOn(plain.result);
    this.note.hidden = !note;
    this.note.textContent = note;
  }

  // The translation. If the text has several sentences, each is a button that shows it in the views.
  #sentenceButtons({sentences, answer}) {
    if (sentences.length < 2) return [answer.translations[0]?.text ?? ""];
    const {part} = this.#app;
    return sentences.flatMap(({text: translation, source}, i) => [el("button", {
      type: "button", class: "part", title: source, "aria-pressed": String(i === part),
      onclick: () => this.#app.set({part: i, query: null, key: null}),
    }, translation), " "]);
  }

  #showFacts(sentence, plain) {
    if (plain.isSlow) this.facts.replaceChildren(spinner());
    else this.facts.replaceChildren(...(sentence && !plain.busy ? this.#scoreFacts(sentence, plain.result) : []));
  }

  #scoreFacts(sentence, {milliseconds}) {
    const facts = [
      el("span", {title: text.scoreTitle},
        text.score(number(sentence.score))),
      el("span", {title: text.logTitle},
        `log p ${number(sentence.log_probability)}`),
    ];
    if (!this.#app.offline) {
      facts.push(el("span", {title: text.timeTitle}, `${Math.round(milliseconds)} ms`));
    }
    return facts;
  }

  // Unknown parts of the text are marked and named beside it.
  #showWarnings(sentences) {
    const named = sentences.some(({trace}) => hasUnknownPieces(trace)) ? ["unknown"] : [];
    const list = warningList(sentences, named);
    if ((list?.textContent ?? "") !== this.warnings.textContent) this.warnings.replaceChildren(...(list ? [list] : []));
  }

  #showBest(sentence) {
    const list = sentence?.hypotheses ?? [];
    this.best.hidden = list.length < 2;
    if (this.best.hidden) return;
    const {offline, plain, state} = this.#app;
    const look = offline ? null : (prefix) => this.#app.set({prefix, show: "changed"});
    this.best.replaceChildren(el("summary", {}, text.compareBest(list.length)),
      ...hypothesisTable(sentence, plain, {language: state.target, look}));
  }
}

// What there is to say about an answer that has arrived.
function noteOn(result) {
  if (!result?.answer) return "";
  if (result.error) return result.error;
  const isEmpty = result.sentences.length && result.sentences.every((sentence) => sentence.text === "");
  return isEmpty ? text.wroteNothing : "";
}
