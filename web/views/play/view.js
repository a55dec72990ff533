// Play: the translation as it happens. The encoder's layers come first, with all words at once; then the decoder writes
// word by word. The attention of the shown heads is drawn as lines.

import {hasPositions} from "../../core/sites.js";
import {headColour} from "../../parts/colours.js";
import {controlBar} from "../../parts/controls.js";
import {el, preparedCanvas} from "../../parts/elements.js";
import {HeadSquares} from "../../parts/head_squares.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {translationPicker, wordSwitch} from "../../parts/pickers.js";
import {Player} from "../../parts/player.js";
import {momentText} from "./captions.js";
import {layoutOf} from "./layout.js";
import {paint, scenePicture} from "./painting.js";
import {momentsOf, sceneOf} from "./scene.js";

const durations = {embed: 700, encoder: 1500, read: 350, decoder: 750, write: 450};  // milliseconds
const narrowest = 280;  // pixels

export class View {
  #app;
  #play = null;     // what is animated, see scene.js
  #layout = null;
  #moments = [];
  #of = null;       // {trace, merged, heads} that `#play` was made from
  #drawn = null;    // {at, t}: the moment that is drawn
  #shownStep = null;  // the value of state.step that the player shows already

  constructor(root, app) {
    this.#app = app;
    this.controls = controlBar(new HeadSquares(app), wordSwitch(app), translationPicker(app));
    this.status = el("p", {class: "empty"});
    this.player = this.#createPlayer();
    this.caption = el("p", {class: "play-caption"});
    const note = "The first layer is at the bottom. Lines are attention weights of the shown heads, in their " +
      "colours: the thicker a line, the larger its weight. The smallest weights are left out.";
    this.body = el("div", {class: "play"},
      this.player.element, this.caption, this.#createScroller(), el("p", {class: "note"}, note));
    root.append(this.controls.element, this.status, this.body);
    this.resized = new ResizeObserver(() => this.#play && this.#layOut());
    this.resized.observe(this.scroller);
  }

  update() {
    this.controls.update();
    const {trace, state} = this.#app;
    this.status.hidden = trace !== null;
    this.body.hidden = trace === null;
    if (!trace) {
      this.status.textContent = noTranslationText(this.#app, "a translation as an animation");
      this.player.pause();
      return;
    }
    this.#prepare(trace, state.merged);
    if (state.step !== null && state.step !== this.#shownStep) this.player.go(state.step);
    else this.player.refresh();
  }

  svg() {
    if (!this.#play || !this.#drawn) return null;
    return scenePicture(this.#scene(this.#drawn.at, this.#drawn.t), this.#layout);
  }

  destroy() {
    this.player.pause();
    this.resized.disconnect();
  }

  #createPlayer() {
    const textAt = (at) => (this.#moments[at] ? momentText(this.#play, this.#moments[at]) : "");
    return new Player({
      name: "Moment of the translation", show: (at, t) => this.#draw(at, t), count: () => this.#moments.length,
      text: textAt, time: (at) => durations[this.#moments[at].kind],
      moved: (at) => {
        this.#shownStep = at;
        this.#app.set({step: at});
        this.#app.say(textAt(at));
      },
    });
  }

  // The canvas stays in place; the spacer is as wide as the picture and gives it something to scroll.
  #createScroller() {
    this.canvas = el("canvas", {role: "img"});
    this.spacer = el("div", {class: "play-spacer"});
    return this.scroller = el("div", {
      class: "play-scroll", tabindex: "0", role: "group", "aria-label": "Picture of the translation",
      onscroll: () => this.#drawn && this.#draw(this.#drawn.at, this.#drawn.t),
    }, el("div", {class: "play-sticky"}, this.canvas), this.spacer);
  }

  #prepare(trace, merged) {
    const [encoder, decoder] = [this.#sitesOf("source"), this.#sitesOf("target")];
    const layers = (sites) => Math.max(0, ...sites.map(({name}) => trace.shape(name).layers));
    const heads = JSON.stringify([encoder, decoder]);
    const isOther = this.#of?.trace !== trace || this.#of.merged !== merged;
    this.#play = {
      encoder, decoder, encoderLayers: layers(encoder), decoderLayers: layers(decoder),
      has: (name, layer) => trace.has(name, layer), weights: (name, layer, head) => trace.weights(name, layer, head),
      colour: headColour, sources: trace.labels("src"), inputs: trace.labels("read"), outputs: trace.labels("tgt"),
      positions: hasPositions(this.#app.model), least: trace.src.length > 60 ? 0.15 : 0.07,
      cache: isOther || this.#of.heads !== heads ? new Map() : this.#play.cache,
    };
    this.#of = {trace, merged, heads};
    if (!isOther) return;
    this.#moments = momentsOf(this.#play.encoderLayers, this.#play.decoderLayers, this.#play.outputs.length);
    this.#layOut();
  }

  // The sites whose queries are in a stack, each with the heads that are shown.
  #sitesOf(stack) {
    const {heads, headCount} = this.#app.state;
    const shown = (count) => (
      heads.size === headCount ? Array.from({length: count}, (_, i) => i) : [...heads].filter((head) => head < count));
    return this.#app.sites.filter(({queries}) => queries === stack)
      .map(({name, keys, layers, heads: count}) => ({name, keys, layers, heads: shown(count)}));
  }

  #layOut() {
    const {sources, outputs, encoderLayers, decoderLayers} = this.#play;
    const size = {sources: sources.length, targets: outputs.length, encoderLayers, decoderLayers};
    this.#layout = layoutOf(size, Math.max(narrowest, this.scroller.clientWidth));
    this.spacer.style.width = `${this.#layout.width}px`;
    this.player.refresh();
  }

  #scene(at, t) { return sceneOf(this.#play, this.#layout, this.#moments, at, t); }

  #draw(at, t) {
    if (!this.#play || !this.#layout) return;
    this.#drawn = {at, t};
    const width = Math.min(this.#layout.width, Math.max(narrowest, this.scroller.clientWidth));
    this.#follow(this.#moments[at], width);
    const context = preparedCanvas(this.canvas, width, this.#layout.height);
    paint(context, this.#scene(at, t), this.scroller.scrollLeft, width);
    const text = momentText(this.#play, this.#moments[at]);
    if (this.caption.textContent === text) return;
    this.caption.textContent = text;
    this.canvas.setAttribute("aria-label", text);
  }

  // Scrolls to the word that is being written.
  #follow(moment, width) {
    if (!this.player.running || this.#layout.width <= width) return;
    const x = moment.word === undefined ? 0 : this.#layout.decoder(0, moment.word).x;
    const left = this.scroller.scrollLeft;
    if (x < left + 40 || x > left + width - 60) this.scroller.scrollLeft = Math.max(0, x - width * 0.6);
  }
}
