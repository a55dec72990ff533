// The settings of the search. Settings that the chosen kind of search does not use are hidden.

import {isChanged} from "../../core/requests.js";
import {Segmented} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {sampleAgain} from "../../parts/pickers.js";
import {text as strings} from "../../strings/whatif.js";

const typingDelay = 120;  // milliseconds

const kinds = [{value: "beam", text: strings.beam}, {value: "greedy", text: strings.greedy},
  {value: "sample", text: strings.sample}];
const norms = [["gnmt", strings.gnmt], ["pow", strings.pow], ["none", strings.none]];
const mostBeams = 64;  // if the server does not say

const isSampling = ({search}) => search === "sample";
const numberFields = [
  {name: "beam", title: strings.beamWidth, limits: {min: 1, max: mostBeams, step: 1},
    isUsed: ({search}) => search === "beam"},
  {name: "alpha", title: strings.alpha, limits: {min: 0, max: 5, step: "any"},
    isUsed: (state) => !isSampling(state) && state.length_norm !== "none"},
  {name: "temperature", title: strings.temperature, limits: {min: 0.01, max: 10, step: "any"}, isUsed: isSampling},
  {name: "top_k", title: strings.topK, limits: {min: 0, max: 1000000, step: 1}, isUsed: isSampling},
  {name: "top_p", title: strings.topP, limits: {min: 0.01, max: 1, step: "any"}, isUsed: isSampling},
  {name: "seed", title: strings.seed, limits: {min: 0, max: 4294967295, step: 1}, isUsed: isSampling},
];

const labelled = (title, input, ...more) => el("label", {class: "field"}, el("span", {}, title), input, ...more);

export class SearchSettings {
  #app;
  #timer = 0;

  constructor(app) {
    this.#app = app;
    this.kind = new Segmented(strings.search, () => kinds, () => app.state.search, (search) => this.#change({search}));
    this.numbers = numberFields.map((field) => this.#numberField(field));
    this.norm = el("select", {onchange: () => this.#change({length_norm: this.norm.value})},
      ...norms.map(([value, text]) => el("option", {value}, text)));
    this.normField = labelled(strings.dividedBy, this.norm);
    this.again = sampleAgain(app);
    this.prefix = el("input", {type: "text", spellcheck: "false", lang: app.state.target,
      oninput: () => this.#changeSoon({prefix: this.prefix.value})});
    this.undo = el("button", {type: "button", onclick: () => app.reset()}, strings.undoAll);
    const [beam, alpha, ...sampling] = this.numbers.map(({element}) => element);
    this.element = el("section", {}, el("h3", {}, strings.changeSearch),
      el("div", {class: "lab-controls"}, this.kind.element,
        el("div", {class: "fields"}, beam, alpha, ...sampling), this.again.element, this.normField,
        labelled(strings.beginsWith, this.prefix),
        el("p", {class: "note"}, strings.takeEffect), this.undo));
  }

  // A field that the user is typing into keeps its text.
  update() {
    const {state} = this.#app;
    this.kind.update();
    this.again.update();
    for (const field of this.numbers) this.#updateNumber(field);
    this.normField.hidden = isSampling(state);
    this.norm.value = state.length_norm;
    if (document.activeElement !== this.prefix) this.prefix.value = state.prefix;
    this.undo.disabled = !isChanged(state);
  }

  destroy() { clearTimeout(this.#timer); }

  #numberField({name, title, limits, isUsed}) {
    const problem = el("span", {class: "problem", id: `problem-${name}`, role: "alert"});
    const input = el("input", {type: "number", ...limits, "aria-describedby": problem.id, oninput: () => {
      this.#check(field);
      if (field.input.validity.valid && input.value !== "") this.#changeSoon({[name]: Number(input.value)});
    }});
    const field = {name, isUsed, limits, input, problem, element: labelled(title, input, problem)};
    return field;
  }

  #updateNumber({name, isUsed, element, input, ...field}) {
    const {state, model} = this.#app;
    if (name === "beam") input.max = model?.max_beam ?? mostBeams;
    element.hidden = !isUsed(state);
    if (document.activeElement !== input) input.value = state[name];
    this.#check({input, ...field});
  }

  // Says what is wrong with the number that is being typed; it is not used.
  #check({input, limits, problem}) {
    const {min, max, validity: {valid}} = input;
    const rule = limits.step === 1 ? strings.wholeNumber : strings.number;
    const text = valid && input.value !== "" ? "" : rule(min, max);
    if (problem.textContent !== text) problem.textContent = text;
    input.setAttribute("aria-invalid", String(text !== ""));
  }

  #change(changes) { this.#app.set({...changes, show: "changed"}); }

  #changeSoon(changes) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#change(changes), typingDelay);
  }
}
