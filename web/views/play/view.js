// Play: the model as the paper's Figure 1, and the translation as it happens in it. The encoder's blocks compute first,
// with all words at once; then the decoder writes word by word. The figure is drawn from the blocks that the model
// declares, and every block opens the view that explains it.

import {number} from "../../core/format.js";
import {nextWordsOf} from "../../core/next_words.js";
import {headColour} from "../../parts/colours.js";
import {controlBar} from "../../parts/controls.js";
import {el, preparedCanvas} from "../../parts/elements.js";
import {FailureNote} from "../../parts/failure_note.js";
import {HeadSquares} from "../../parts/head_squares.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {translationPicker, wordSwitch} from "../../parts/pickers.js";
import {Player} from "../../parts/player.js";
import {hideTooltip} from "../../parts/tooltip.js";
import {text} from "../../strings/play.js";
import {BlockList} from "./block_list.js";
import {momentText} from "./captions.js";
import {entranceOf} from "./entrances.js";
import {figureOf} from "./figure.js";
import {layoutOf} from "./layout.js";
import {activityOf, durationOf, momentsOf} from "./moments.js";
import {barRows, showsWords} from "./output.js";
import {paint, scenePicture} from "./painting.js";
import {sceneOf} from "./scene.js";

const narrowest = 280;  // pixels
let hasPlayed = false;  // whether the animation has run by itself since the page was opened

export class View {
  #app;
  #play = null;     // what is animated, see scene.js
  #layout = null;
  #words = null;    // the likeliest words at each position of the trace, when they have arrived
  #of = null;       // {trace, merged, heads, model} that `#play` was made from
  #drawn = null;    // {at, t}: the moment that is drawn
  #shownStep = null;  // the value of state.step that the player shows already

  constructor(root, app) {
    this.#app = app;
    this.heads = new HeadSquares(app);
    this.controls = controlBar(this.heads, wordSwitch(app), translationPicker(app));
    this.status = el("p", {class: "empty"});
    this.player = this.#createPlayer();
    this.caption = el("p", {class: "play-caption"});
    this.head = el("div", {class: "play-head"}, this.player.element, this.caption);
    this.failure = new FailureNote({offline: app.offline, retry: () => this.#fetchWords(this.#of.trace)});
    this.body = el("div", {class: "play"},
      this.head, this.failure.element, this.#createFigure(), el("p", {class: "note"}, text.note));
    root.append(el("div", {class: "play-view"}, this.controls.element, this.status, this.body));
    this.resized = new ResizeObserver(() => this.#play && this.#width !== this.#layout?.width && this.#layOut());
    this.resized.observe(this.figure);
  }

  update() {
    this.controls.update();
    this.heads.element.hidden = this.#app.withoutAttention;
    const {trace, state} = this.#app;
    this.status.hidden = trace !== null;
    this.body.hidden = trace === null;
    if (!trace) {
      this.status.textContent = noTranslationText(this.#app, text.shows);
      this.player.pause();
      return;
    }
    this.#prepare(trace, state.merged);
    if (state.step !== null && state.step !== this.#shownStep) this.player.go(state.step);
    else this.player.refresh();
    this.#playOnce();
  }

  svg() {
    if (!this.#play || !this.#drawn) return null;
    return scenePicture(this.#scene(this.#drawn.at, this.#drawn.t), this.#layout);
  }

  destroy() {
    this.player.pause();
    this.resized.disconnect();
    hideTooltip();
  }

  #createPlayer() {
    const textAt = (at) => (this.#play?.moments[at] ? momentText(this.#play, this.#play.moments[at]) : "");
    return new Player({
      name: text.moment, show: (at, t) => this.#draw(at, t), count: () => this.#play?.moments.length ?? 0,
      text: textAt, time: (at) => durationOf(this.#play.moments[at]), started: () => this.#reveal(),
      moved: (at) => {
        this.#shownStep = at;
        this.#app.set({step: at});
        this.#app.say(textAt(at));
      },
    });
  }

  #createFigure() {
    this.canvas = el("canvas", {role: "img"});
    this.blocks = new BlockList({
      entranceOf: (item) => this.#entrance(item), enter: (changes) => this.#enter(changes),
    });
    return this.figure = el("div", {
      class: "play-figure", tabindex: "0", role: "group", "aria-label": text.picture,
      onkeydown: (event) => this.#onKey(event),
    }, this.canvas, this.blocks.element);
  }

  // Opens another view. The step is kept for the way back.
  #enter({goal = "", ...changes}) {
    this.player.pause();
    this.#app.goTo({step: this.player.at, ...changes}, goal);
  }

  // The computation begins at the bottom of the figure, so all of it must be visible while it plays.
  #reveal() {
    if (this.figure.getBoundingClientRect().bottom > innerHeight) this.head.scrollIntoView({block: "start"});
  }

  #onKey(event) {
    if (event.key === "ArrowRight") this.player.go(this.player.at + 1);
    else if (event.key === "ArrowLeft") this.player.go(this.player.at - 1);
    else if (event.key === " " && event.target === this.figure) this.player.toggle();
    else return;
    event.preventDefault();
  }

  // The animation runs by itself once, unless the address has a step or the user prefers reduced motion.
  #playOnce() {
    if (hasPlayed || this.#app.isStale) return;
    hasPlayed = true;
    if (this.#app.state.step === null && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.play(0);
  }

  #prepare(trace, merged) {
    const {model, sites, state: {heads}} = this.#app;
    const of = {trace, merged, model, heads: [...heads].join()};
    const before = this.#of;
    if (before && Object.keys(of).every((name) => of[name] === before[name])) return;
    this.#of = of;
    const isOther = before?.trace !== trace || before.merged !== merged || before.model !== model;
    const figure = before?.model === model ? this.#play.figure : figureOf(model.stacks ?? [], sites);
    const [sources, inputs, outputs] = ["src", "read", "tgt"].map((side) => trace.labels(side));
    this.#play = {
      figure, sources, inputs, outputs, cache: new Map(), colour: headColour, headsOf: (site) => this.#headsOf(site),
      has: (name, layer) => trace.has(name, layer), weights: (name, layer, head) => trace.weights(name, layer, head),
      least: trace.src.length > 60 ? 0.15 : 0.07, moments: isOther ? momentsOf(figure, outputs.length)
        : this.#play.moments,
      wordsAt: (word) => this.#words?.[this.#pieceOf(word)] ?? null,
      hasSeveralPieces: (word) => merged && this.#pieceOf(word + 1) - this.#pieceOf(word) > 1,
    };
    if (!isOther) return;
    if (before?.trace !== trace) this.#fetchWords(trace);
    if (before && before.trace !== trace && this.player.running) this.player.play(0);
    this.#layOut();
  }

  // The first piece of a word of the translation.
  #pieceOf(word) {
    const {trace, merged} = this.#of;
    return merged ? trace.position("tgt", word, true) ?? trace.tgt.length : word;
  }

  async #fetchWords(trace) {
    this.#words = null;
    this.failure.show(null);
    try {
      const {model} = await nextWordsOf(this.#app, trace, 1);
      if (this.#of?.trace !== trace) return;
      this.#words = model;
      this.player.refresh();
      this.#showMoment();
    } catch (error) {
      if (this.#of?.trace === trace) this.failure.show(text.noProbabilities(error.message));
    }
  }

  // The heads of a site that are shown.
  #headsOf({heads: count}) {
    const {heads, headCount} = this.#app.state;
    if (heads.size === headCount) return Array.from({length: count}, (_, i) => i);
    return [...heads].filter((head) => head < count);
  }

  get #width() { return Math.max(narrowest, this.figure.clientWidth); }

  // The height that is visible below the controls when they are at the top of the window.
  get #room() { return innerHeight - (parseFloat(getComputedStyle(this.head).top) || 0) - this.head.offsetHeight; }

  #layOut() {
    const {figure, sources, outputs} = this.#play;
    this.#layout = layoutOf(figure, {source: sources.length, target: outputs.length}, this.#width, this.#room);
    this.figure.style.height = `${this.#layout.height}px`;
    this.player.refresh();
    this.blocks.show(this.#items());
  }

  // The blocks, and what comes out on top, with their rectangles.
  #items() {
    const {rects, output} = this.#layout;
    const items = this.#play.figure.blocks.map((block) => (
      {id: block.id, kind: block.kind, title: block.title, about: block.about, block, rect: rects.get(block)}));
    if (!output) return items;
    return [...items,
      {id: "probabilities", kind: "probabilities", title: text.probabilities, about: text.aboutSoftmax,
        details: () => this.#probabilities(), rect: output.bars},
      {id: "search", kind: "search", title: text.output, about: text.aboutSearch, rect: output.text}];
  }

  // The shown probabilities in words.
  #probabilities() {
    const moment = this.#moment;
    const found = moment && showsWords(moment) ? this.#play.wordsAt(moment.word) : null;
    if (!found) return `(${text.notYet}.)`;
    return `${barRows(found, this.#layout.output.bars.rows).map(
      (row) => text.probabilityOf(row.text, number(row.p))).join(", ")}.`;
  }

  get #moment() { return this.#drawn && this.#play.moments[this.#drawn.at]; }

  #entrance({kind, block}) {
    const moment = this.#moment;
    const word = moment?.word;
    const piece = word === undefined ? 0 : this.#pieceOf(word);
    if (kind === "probabilities") return {tab: "words", word: piece};
    if (kind === "search") return {tab: "beam"};
    const repeat = moment ? activityOf(block, moment, 1).repeat : 0;
    return entranceOf(block, {repeat, word: block.stack.tokens === "target" ? word : undefined, piece});
  }

  #scene(at, t) { return sceneOf(this.#play, this.#layout, this.#play.moments[at], t); }

  #draw(at, t) {
    if (!this.#play || !this.#layout || !this.#play.moments[at]) return;
    const isOther = this.#drawn?.at !== at;
    this.#drawn = {at, t};
    paint(preparedCanvas(this.canvas, this.#layout.width, this.#layout.height), this.#scene(at, t));
    if (isOther || t === 1) this.#showMoment();
  }

  // The caption, and what the blocks say at the drawn moment.
  #showMoment() {
    if (!this.#drawn || !this.#moment) return;
    const caption = momentText(this.#play, this.#moment);
    if (this.caption.textContent !== caption) {
      this.caption.textContent = caption;
      this.canvas.setAttribute("aria-label", caption);
    }
    this.blocks.update();
  }
}
