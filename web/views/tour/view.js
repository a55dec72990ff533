// The guided tour: step by step from the words to the translation, with the user's sentence. Its panel is docked beside
// the page, or below it on a narrow screen, so that it covers nothing. Each step names the paper's section and the
// source files.

import {el} from "../../parts/elements.js";
import {text as strings} from "../../strings/tour.js";
import {steps} from "./steps.js";

const [markTries, markDelay] = [120, 50];  // how often a missing element is looked for, and milliseconds in between

const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Tour {
  onOpen = () => {};
  #app;
  #panel;
  #steps = [];    // those that apply to the model
  #at = -1;
  #marked = null; // the element that the step is about
  #trace = null;  // the trace that is explained
  #film = null;   // the training film, when it has been fetched

  /** `panel` is the tour's dialog. It is opened and closed by this.button, which the caller puts into the page. */
  constructor(panel, app) {
    this.#app = app;
    this.#panel = panel;
    this.title = el("h2", {id: "tour-title", tabindex: "-1", "aria-describedby": "tour-text"});
    this.count = el("p", {class: "tour-count"});
    this.text = el("p", {class: "tour-text", id: "tour-text"});
    this.source = el("p", {class: "tour-source"});
    this.back = el("button", {type: "button", onclick: () => this.#go(this.#at - 1)}, strings.back);
    this.next = el("button", {type: "button", class: "main", onclick: () => this.#go(this.#at + 1)}, strings.next);
    const end = el("button", {type: "button", class: "quiet", onclick: () => this.#close()}, strings.end);
    this.body = el("div", {class: "tour-body"}, this.count, this.title, this.text, this.source);
    panel.append(this.body, el("div", {class: "tour-buttons"}, end, this.back, this.next));
    const toggle = () => (panel.open ? this.#close() : this.open());
    this.button = el("button", {type: "button", class: "quiet", id: "tour-button", onclick: toggle}, strings.tour);
    this.#listen();
  }

  open() {
    const {model, sites} = this.#app;
    if (!model) return;
    this.onOpen();
    this.#steps = steps.filter(({needs = () => true, site = () => true}) => needs(model, sites) && site(sites));
    this.#panel.show();
    document.body.classList.add("touring");
    this.#go(0);
  }

  /** Speaks of the new translation if there is one. */
  update() {
    if (!this.#panel.open || this.#app.isStale || this.#app.trace === this.#trace) return;
    this.#show(this.#steps[this.#at]);
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

  #close() {
    this.#panel.close();
    document.body.classList.remove("touring");
    this.#mark(null);
    this.#app.set({query: null, key: null});
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
    this.#show(step);
    this.back.disabled = to === 0;
    this.next.textContent = to === this.#steps.length - 1 ? strings.done : strings.next;
    this.title.focus({preventScroll: true});
    this.body.scrollTop = 0;
    this.#mark(step);
  }

  // Brings the views to what the step is about, and explains it.
  #show(step) {
    const {trace, sites} = this.#app;
    const found = step.site?.(sites);
    const site = found?.name ? found : null;
    const pair = trace && site ? step.pair?.(trace, site) ?? null : null;
    this.#trace = trace;
    this.#app.set({...step.state, ...(site ? {attention: site.name} : {}), ...this.#pins(trace, site, pair)});
    this.#explain(step, {site, pair});
    if (step.ofModel && !this.#film) this.#fetchFilm(step, {site, pair});
  }

  // The pair's words as pins, in the layer and head of the pair.
  #pins(trace, site, pair) {
    if (!pair) return {query: null, key: null};
    const sides = trace.sides(site.name);
    const pin = (side, index) => (this.#app.state.merged ? trace.position(side, index, false) : index);
    const pins = {query: pin(sides.queries, pair.query), layer: pair.layer};
    return pair.head === undefined ? {...pins, key: null}
      : {...pins, key: pin(sides.keys, pair.key), head: pair.head};
  }

  #explain(step, {site, pair}) {
    const {model} = this.#app;
    const names = typeof step.files === "function" ? step.files(site) : step.files;
    const files = names.flatMap((file, i) => [i ? ", " : "", el("code", {}, file)]);
    const context = {trace: this.#trace, model, site, pair, film: this.#film};
    this.count.textContent = strings.count(this.#at + 1, this.#steps.length);
    this.title.textContent = step.title;
    this.text.replaceChildren(...(this.#trace || step.ofModel ? step.text(context) : [strings.noSentence]));
    this.source.replaceChildren(strings.source(step.section), ...files);
  }

  async #fetchFilm(step, chosen) {
    try {
      this.#film = await this.#app.film();
    } catch {
      return;  // the view says why
    }
    if (this.#panel.open && this.#steps[this.#at] === step) this.#explain(step, chosen);
  }

  // Marks the element that the step is about, as soon as the view has it, and presses the step's button.
  #mark(step, tries = markTries) {
    this.#marked?.classList.remove("tour-here");
    this.#marked = step ? document.querySelector(step.here) : null;
    if (this.#marked && this.#marked.getClientRects().length > 0) {
      this.#marked.classList.add("tour-here");
      this.#marked.scrollIntoView({block: step.block ?? "start"});
      if (step.press && !prefersReducedMotion()) document.querySelector(step.press)?.click();
    } else if (step && tries > 0) {
      const at = this.#at;
      setTimeout(() => at === this.#at && this.#panel.open && this.#mark(step, tries - 1), markDelay);
    }
  }
}
