// The two models of a comparison: which they are, and their translations of the sentence, with the words marked that
// the other one does not have.

import {commonPairs} from "../../core/difference.js";
import {grouped, number} from "../../core/format.js";
import {LabelledSelect} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {markedWords} from "../../parts/marked_words.js";
import {spinner} from "../../parts/spinner.js";
import {text} from "../../strings/compare.js";
import {joinedText} from "./sentence_input.js";

/** The name of a model as the page shows it: "demo", or "demo, step 400" for a checkpoint. */
export function modelTitle(app, name) {
  const found = app.models.find((model) => model.name === name);
  return found?.step === undefined ? name : text.checkpoint(found.checkpoint_of, grouped(found.step));
}

/** The name of the first model. It has one even if the state does not name it. */
export const firstName = ({model, state}) => model?.name ?? state.model;

// One model: its list and its translation.
class ModelSide {
  constructor(title, choose) {
    this.picker = new LabelledSelect(title, choose);
    this.facts = el("p", {class: "facts"});
    this.translation = el("div", {class: "translation", dir: "auto"});
    this.element = el("div", {class: "side"},
      el("div", {class: "side-head"}, this.picker.element, this.facts), this.translation);
  }

  show({result, isOutdated, isSlow, busy}, other, language) {
    const own = joinedText(result);
    this.translation.lang = language;
    this.translation.replaceChildren(...(!own ? [] : other ? markedWords(other, own) : [own]));
    this.translation.classList.toggle("stale", isOutdated);
    this.facts.replaceChildren(...(isSlow ? [spinner()] : busy ? [] : scoreFacts(result)));
  }
}

// The scores of a text of several sentences are those of all of them.
function scoreFacts(result) {
  if (!result?.sentences.length) return [];
  const sum = (name) => result.sentences.reduce((total, sentence) => total + sentence[name], 0);
  return [el("span", {title: text.scoreTitle}, text.score(number(sum("score")))),
    el("span", {title: text.logPTitle}, text.logP(number(sum("log_probability"))))];
}

export class ModelInputs {
  #app;

  constructor(app) {
    this.#app = app;
    this.first = new ModelSide(text.firstModel, (name) => app.chooseModel(name));
    this.second = new ModelSide(text.secondModel, (name) => app.chooseRival(name));
    this.sides = el("div", {class: "translate"}, this.first.element, this.second.element);
    this.verdict = el("p", {class: "note verdict", role: "status"});
    this.element = el("div", {class: "models"}, this.sides, this.verdict);
  }

  /** The models that the first one can be compared with. */
  get rivals() { return this.#app.namedModels.filter(({name}) => name !== firstName(this.#app)); }

  update() {
    const {state, requests: {plain, other}, namedModels} = this.#app;
    const options = (models) => models.map(({name}) => [name, modelTitle(this.#app, name)]);
    this.first.picker.show(options(namedModels), firstName(this.#app));
    this.second.picker.show([["", text.chooseModel], ...options(this.rivals)], state.rival);
    this.first.picker.select.disabled = this.#app.offline;
    this.sides.hidden = !this.rivals.length;
    const [ownText, otherText] = [joinedText(plain.result), joinedText(other.result)];
    this.first.show(plain, otherText, state.target);
    this.second.show(other, ownText, state.target);
    this.#showVerdict(ownText, otherText);
  }

  #showVerdict(first, second) {
    const {offline, requests: {plain, other}} = this.#app;
    const note = !this.rivals.length ? (offline ? text.oneModelOffline : text.oneModel)
      : plain.busy || other.busy || !first || !second ? "" : verdictOn(first, second);
    const more = offline && this.rivals.length ? text.twoModelsOffline : "";
    const shown = [note, more].filter(Boolean).join(" ");
    if (this.verdict.textContent !== shown) this.verdict.textContent = shown;
    this.verdict.hidden = !shown;
  }
}

function verdictOn(first, second) {
  if (first === second) return text.same;
  const [before, now] = [first.split(" "), second.split(" ")];
  const count = now.length - commonPairs(before, now).length;
  return count ? text.differ(count) : text.onlyMissing;
}
