// The second half of the view "Why": from the weights of a query to the end of its layer, step by step.

import {number} from "../../core/format.js";
import {el} from "../../parts/elements.js";
import {FailureNote} from "../../parts/failure_note.js";
import {VectorRows} from "../../parts/vector_rows.js";
import {text} from "../../strings/layer.js";
import {batchNormalised, feedForwardSum, headsSum, headSum, normalised, residualSum, shareOf} from "./chain.js";
import {checkLine, contextEnd, endParts, normFacts, unitParts} from "./chain_parts.js";
import {headRows, normRows, residualRows, unitRows, valueRows} from "./chain_rows.js";
import {contextSum, equationTwo, multiHead, normFormula, oneHead, residualSumFormula} from "./formulas.js";
import {stepsOf} from "./layer_steps.js";

const always = {value: text.value, axis: text.dimension};  // titles of strips

export class Chain {
  #app;
  // What is to be shown: {trace, site, attention, layer, head, query, labels, before}. `before` is the number of steps
  // that the view has before these.
  #place = null;
  #found = null;  // the kernels' numbers for it
  #unit = 0;      // the chosen one of the listed units
  #status = el("p", {class: "empty"});
  #failure;
  #title = el("h2", {class: "why-title"}, text.title);
  #inFile = el("button", {type: "button", hidden: true, onclick: () => this.#showWhatTheFileHas()});
  #steps = el("div");

  constructor(app) {
    this.#app = app;
    this.#failure = new FailureNote(app);
    this.element = el("section", {class: "why-chain", "aria-label": text.title},
      this.#title, el("p", {class: "note"}, text.about), this.#status,
      this.#failure.element, this.#inFile, this.#steps);
  }

  /** The steps that are drawn, for export: [{title, rows}]. Empty while there are none. */
  blocks = [];

  async update(place) {
    const same = this.#place && ["trace", "attention", "layer", "query", "head"].every(
      (name) => this.#place[name] === place[name]);
    if (same && this.#found) return;
    this.#place = place;
    this.#found = null;
    this.#show(this.blocks.length ? null : text.fetching);
    let found;
    try {
      found = await stepsOf(this.#app, place.trace, place.attention, place.layer, place.query);
    } catch (error) {
      if (this.#place === place) this.#show("", error.message);
      return;
    }
    if (this.#place !== place) return;
    this.#found = found;
    this.#unit = 0;
    this.#show("");
    this.#draw();
  }

  // Shows a sentence or why there are no steps. With null, what is drawn stays, in grey, until new steps have arrived.
  #show(sentence, failure = "") {
    this.#steps.classList.toggle("stale", sentence === null);
    if (sentence === null) return;
    this.#status.textContent = sentence;
    this.#status.hidden = sentence === "";
    this.#failure.show(failure);
    const stored = this.#app.offline ? this.#place.trace.steps : null;
    this.#inFile.hidden = !failure || !stored;
    if (stored) this.#inFile.textContent = text.inFile(this.#titleOf(stored.attention), stored.layer);
    this.#steps.hidden = sentence !== "" || failure !== "";
    if (this.#steps.hidden) this.blocks = [];
  }

  #titleOf(attention) {
    return this.#app.sites.find(({name}) => name === attention)?.title ?? attention;
  }

  #showWhatTheFileHas() {
    const {attention, layer} = this.#place.trace.steps;
    this.#app.set({attention, layer: layer - 1});
  }

  #isOff(head) {
    const {attention, layer} = this.#place;
    return (this.#app.shownResult?.request.heads_off ?? []).some((off) => (
      off.attention === attention && off.layer === layer + 1 && off.head === head + 1));
  }

  #draw() {
    const {addNorm, feedForward, contributions} = this.#found;
    const {before} = this.#place;
    this.blocks = [];
    this.#title.textContent = contributions ? text.title : text.contextTitle;
    const attention = [this.#values(), ...(contributions ? [this.#heads()] : []),
      ...(addNorm ? this.#addNorm(addNorm, this.#found.output, text.attentionOutput, "MultiHead") : [])];
    const network = feedForward && !this.#crossFollows() ? [this.#network(), ...(feedForward.addNorm
      ? this.#addNorm(feedForward.addNorm, feedForward.output, text.networkOutput, "FFN") : [])] : [];
    const list = (kind, first, steps) => el("ol",
      {class: `why-steps ${kind}`, hidden: steps.length === 0, style: {"counter-reset": `step ${first}`}}, steps);
    this.#steps.replaceChildren(
      el("div", {class: "why-columns"}, list("of-attention", before, attention),
        el("div", {}, list("of-network", before + attention.length, network), contributions
          ? endParts(this.#app, this.#place, this.#crossFollows()) : contextEnd(this.#app))));
    this.#goToStep();
  }

  // Scrolls to the step that the user came for.
  #goToStep() {
    const {goal} = this.#app;
    if (!goal) return;
    this.#app.goal = null;
    const step = this.#steps.querySelector(`[data-step="${CSS.escape(goal)}"]`);
    step?.classList.add("goal");
    step?.scrollIntoView({block: "start"});
  }

  // Whether another attention stands between this one and the feed-forward network.
  #crossFollows() { return this.#place.site.causal && this.#app.sites.some(isCross); }

  // `name` is that of App.goTo(). `checked` says what the difference is about, if the step has several.
  #step(name, title, about, formula, {rows, titles, difference, checked}, ...content) {
    const vectors = new VectorRows(titles);
    vectors.show(rows);
    this.blocks.push({title, rows});
    return el("li", {"data-step": name}, el("h3", {}, title), el("p", {class: "note"}, about), formula, vectors.element,
      ...content, checkLine(difference, checked));
  }

  #values() {
    const {head, labels} = this.#place;
    const sum = headSum(this.#found, head, this.#isOff(head));
    const isContext = !this.#found.contributions;
    const rows = valueRows(sum, labels.keys, isContext ? text.contextOutput : text.headOutput(head + 1));
    const strongest = sum.terms.map((term) => shareOf(term, sum.kernel));
    const key = strongest.indexOf(Math.max(...strongest));
    const summary = this.#isOff(head) ? text.isOff
      : (isContext ? text.mostOfContext : text.mostOf)(labels.keys[key], `${number(100 * strongest[key], 1)}%`);
    const [about, formula] = isContext ? [text.contextAbout, contextSum()] : [text.valuesAbout, oneHead(head)];
    return this.#step("values", text.valuesTitle, about, formula,
      {rows, difference: sum.difference, titles: {label: text.word, second: text.weight, share: text.share, ...always}},
      el("p", {}, summary));
  }

  #heads() {
    const sum = headsSum(this.#found);
    const rows = headRows(sum, this.#place.head,
      {pick: (head) => this.#app.set({head}), isOff: (head) => this.#isOff(head)});
    return this.#step("heads", text.headsTitle, text.headsAbout, multiHead(sum.terms.length),
      {rows, difference: sum.difference, titles: {share: text.share, ...always}});
  }

  #addNorm(numbers, output, name, subLayer) {
    const sum = residualSum(numbers, output);
    const about = subLayer === "FFN" ? text.networkResidual : text.attentionResidual;
    const before = subLayer === "FFN" ? "network-" : "";
    return [
      this.#step(`${before}residual`, text.residualTitle, about, residualSumFormula(subLayer),
        {rows: residualRows(sum, name), difference: sum.difference, titles: {share: text.share, ...always}}),
      this.#norm(`${before}norm`, numbers),
    ];
  }

  #norm(id, numbers) {
    const isPre = this.#found.norm === "pre";
    const step = (title, [post, pre], kind, norm, ...facts) => this.#step(id, title, isPre ? pre : post, normFormula(kind),
      {rows: normRows(norm), difference: norm.difference, titles: always}, ...facts);
    if (typeof numbers.mean !== "number") {
      return step(text.batchNormTitle, [text.batchNormPost, text.batchNormPre], "BatchNorm", batchNormalised(numbers));
    }
    const norm = normalised(numbers);
    return step(text.normTitle, [text.normPost, text.normPre], "LayerNorm", norm, normFacts(norm, numbers));
  }

  #network() {
    const sum = feedForwardSum(this.#found.feedForward);
    const inner = new VectorRows({value: text.value, axis: text.unit});
    inner.show([{label: text.hidden, values: sum.inner}]);
    const pick = (at) => {
      this.#unit = at;
      this.#draw();
    };
    const titles = {label: text.unit, second: text.activation, share: text.share, ...always};
    return this.#step("network", text.networkTitle, text.networkAbout,
      el("div", {}, equationTwo(), el("p", {}, text.unitsOn(sum.on, sum.inner.length)), inner.element),
      {rows: unitRows(sum, this.#unit, pick), difference: sum.difference, titles, checked: text.outputCheck},
      ...unitParts(sum, this.#found.feedForward, this.#unit));
  }
}

const isCross = ({queries, keys}) => queries === "target" && keys === "source";
