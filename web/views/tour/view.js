// The guided tour: step by step from the words to the translation, with the user's sentence. Its panel is beside what
// it explains, never over it. Each step names the paper's section and the source files.

import {el} from "../../parts/elements.js";
import {steps} from "./steps.js";

const noSentenceNote = "Type a sentence first; the tour then explains its translation.";
const [markTries, markDelay] = [40, 50];  // how often a missing element is looked for, and milliseconds in between

export class Tour {
  #app;
  #panel;
  #steps = [];    // those that apply to the model
  #at = -1;
  #marked = null; // the element that the step is about

  /** `panel` is the tour's dialog. It is opened and closed by this.button, which the caller puts into the page. */
  constructor(panel, app) {
    this.#app = app;
    this.#panel = panel;
    this.title = el("h2", {id: "tour-title", tabindex: "-1", "aria-describedby": "tour-text"});
    this.count = el("p", {class: "tour-count"});
    this.text = el("p", {class: "tour-text", id: "tour-text"});
    this.source = el("p", {class: "tour-source"});
    this.back = el("button", {type: "button", onclick: () => this.#go(this.#at - 1)}, "Back");
    this.next = el("button", {type: "button", class: "main", onclick: () => this.#go(this.#at + 1)}, "Next");
    const end = el("button", {type: "button", class: "quiet", onclick: () => this.#close()}, "End the tour");
    panel.append(this.count, this.title, this.text, this.source,
      el("div", {class: "tour-buttons"}, end, this.back, this.next));
    const toggle = () => (panel.open ? this.#close() : this.#open());
    this.button = el("button", {type: "button", class: "quiet", id: "tour-button", onclick: toggle}, "Tour");
    this.#listen();
  }

  #listen() {
    this.#panel.addEventListener("keydown", (event) => {
      const to = {ArrowRight: this.#at + 1, ArrowLeft: this.#at - 1}[event.key];
      if (to === undefined || to >= this.#steps.length) return;
      event.preventDefault();
      this.#go(to);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#panel.open && !event.defaultPrevented) this.#close();
    });
  }

  #open() {
    const {model, sites} = this.#app;
    this.#steps = steps.filter(({needs = () => true, site = () => true}) => needs(model, sites) && site(sites));
    this.#panel.show();
    document.body.classList.add("touring");
    this.#go(0);
  }

  #close() {
    this.#panel.close();
    document.body.classList.remove("touring");
    this.#mark(null);
    this.button.focus();
  }

  #go(to) {
    if (to < 0) return;
    if (to >= this.#steps.length) {
      this.#close();
      return;
    }
    this.#at = to;
    const step = this.#steps[to];
    const site = step.site?.(this.#app.sites);
    this.#app.set({...step.state, ...(site ? {attention: site.name} : {})});
    this.#explain(step, site);
    this.back.disabled = to === 0;
    this.next.textContent = to === this.#steps.length - 1 ? "Done" : "Next";
    this.title.focus({preventScroll: true});
    this.#mark(step.here);
  }

  #explain(step, site) {
    const {trace, model} = this.#app;
    const files = step.files.flatMap((file, i) => [i ? ", " : "", el("code", {}, file)]);
    this.count.textContent = `${this.#at + 1} of ${this.#steps.length}`;
    this.title.textContent = step.title;
    this.text.replaceChildren(...(trace ? step.text(trace, model, site) : [noSentenceNote]));
    this.source.replaceChildren(`${step.section} of the paper; source: `, ...files);
  }

  // Marks the element that the step is about, as soon as the view has it.
  #mark(selector, tries = markTries) {
    this.#marked?.classList.remove("tour-here");
    this.#marked = selector ? document.querySelector(selector) : null;
    if (this.#marked && this.#marked.getClientRects().length > 0) {
      this.#marked.classList.add("tour-here");
      this.#marked.scrollIntoView({block: "start"});
    } else if (selector && tries > 0) {
      const at = this.#at;
      setTimeout(() => at === this.#at && this.#panel.open && this.#mark(selector, tries - 1), markDelay);
    }
  }
}
