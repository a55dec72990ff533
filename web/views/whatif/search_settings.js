// The settings of the search. Settings that the chosen kind of search does not use are hidden.

import {isChanged} from "../../core/requests.js";
import {Segmented} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";

const typingDelay = 120;  // milliseconds

const kinds = [{value: "beam", text: "Beam"}, {value: "greedy", text: "Greedy"}, {value: "sample", text: "Sample"}];
const norms = [["gnmt", "GNMT"], ["pow", "n to the α"], ["none", "none"]];

const isSampling = ({search}) => search === "sample";
const numberFields = [
  {name: "beam", title: "Beam", limits: {min: 1, max: 64, step: 1}, isUsed: ({search}) => search === "beam"},
  {name: "alpha", title: "α (length)", limits: {min: 0, max: 5, step: 0.1},
    isUsed: (state) => !isSampling(state) && state.length_norm !== "none"},
  {name: "temperature", title: "Temperature", limits: {min: 0.01, max: 10, step: "any"}, isUsed: isSampling},
  {name: "top_k", title: "Top k (0: all)", limits: {min: 0, max: 1000000, step: 1}, isUsed: isSampling},
  {name: "top_p", title: "Top p", limits: {min: 0.01, max: 1, step: "any"}, isUsed: isSampling},
  {name: "seed", title: "Seed", limits: {min: 0, max: 4294967295, step: 1}, isUsed: isSampling},
];

const labelled = (title, input) => el("label", {class: "field"}, el("span", {}, title), input);

export class SearchSettings {
  #app;
  #timer = 0;

  constructor(app) {
    this.#app = app;
    this.kind = new Segmented("Search", () => kinds, () => app.state.search, (search) => this.#change({search}));
    this.numbers = numberFields.map((field) => this.#numberField(field));
    this.norm = el("select", {onchange: () => this.#change({length_norm: this.norm.value})},
      ...norms.map(([value, text]) => el("option", {value}, text)));
    this.normField = labelled("Length norm", this.norm);
    this.prefix = el("input", {type: "text", spellcheck: "false", lang: app.state.target,
      oninput: () => this.#changeSoon({prefix: this.prefix.value})});
    this.undo = el("button", {type: "button", onclick: () => app.reset()}, "Undo all changes");
    const [beam, alpha, ...sampling] = this.numbers.map(({element}) => element);
    this.element = el("section", {}, el("h3", {}, "Change the search"),
      el("div", {class: "lab-controls"}, this.kind.element,
        el("div", {class: "fields"}, beam, alpha, this.normField, ...sampling),
        labelled("The translation begins with", this.prefix),
        el("p", {class: "note"}, "Changes take effect as you make them, here and in all other views."), this.undo));
  }

  // A field that the user is typing into keeps its text.
  update() {
    const {state} = this.#app;
    this.kind.update();
    for (const {name, isUsed, element, input} of this.numbers) {
      element.hidden = !isUsed(state);
      if (document.activeElement !== input) input.value = state[name];
    }
    this.normField.hidden = isSampling(state);
    this.norm.value = state.length_norm;
    if (document.activeElement !== this.prefix) this.prefix.value = state.prefix;
    this.undo.disabled = !isChanged(state);
  }

  destroy() { clearTimeout(this.#timer); }

  #numberField({name, title, limits, isUsed}) {
    const input = el("input", {type: "number", ...limits, oninput: () => {
      if (input.validity.valid && input.value !== "") this.#changeSoon({[name]: Number(input.value)});
    }});
    return {name, isUsed, input, element: labelled(title, input)};
  }

  #change(changes) { this.#app.set({...changes, show: "changed"}); }

  #changeSoon(changes) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#change(changes), typingDelay);
  }
}
