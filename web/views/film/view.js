// Film: the attention of one head at each checkpoint of the training, for sentences that were chosen before it began,
// and their translations at that time.

import {grouped, number} from "../../core/format.js";
import {Trace} from "../../core/trace.js";
import {headColour, risingScale} from "../../parts/colours.js";
import {controlBar, LabelledSelect} from "../../parts/controls.js";
import {curve} from "../../parts/curve.js";
import {el, preparedCanvas} from "../../parts/elements.js";
import {FailureNote} from "../../parts/failure_note.js";
import {scaledImage} from "../../parts/heat.js";
import {attentionPicker, headPicker, layerPicker} from "../../parts/pickers.js";
import {Player} from "../../parts/player.js";
import {text as strings} from "../../strings/film.js";
import {cellSize, framePicture, labelHeight} from "./frame_picture.js";

const thumbnailSize = 72;   // pixels
const frameDuration = 700;  // milliseconds

export class View {
  #app;
  #film = null;
  #sentence = 0;      // its index in the film
  #frames = [];       // {step, trace, text}
  #drawn = "";        // what the thumbnails were made from, as text
  #shownFrame = null; // the value of state.frame that the player shows already

  constructor(root, app) {
    this.#app = app;
    this.status = el("p", {class: "empty"}, strings.fetching);
    this.failure = new FailureNote(app);
    this.sentences = new LabelledSelect(strings.sentence, (value) => this.#choose(Number(value)));
    this.pickers = [attentionPicker(app), layerPicker(app), headPicker(app)];
    this.controls = controlBar({element: this.sentences.element, update() {}}, ...this.pickers);
    this.player = this.#createPlayer();
    this.facts = el("div", {class: "film-now"});
    this.holder = el("div", {class: "film-matrix scroll-x"});
    this.entropy = el("div");
    this.strip = el("div", {class: "film-strip", role: "group", "aria-label": strings.checkpoints});
    this.parts = el("div", {class: "film-parts"}, this.holder, el("div", {}, this.entropy, this.strip));
    this.note = el(
      "p", {class: "note"}, strings.colours);
    this.body = el("div", {class: "film", hidden: true},
      this.controls.element, this.player.element,
      el("div", {class: "film-picture"}, this.facts, this.parts), this.note);
    root.append(this.status, this.failure.element, this.body);
  }

  async update() {
    if (!this.#film && !await this.#fetch()) return;
    this.controls.update();
    this.#redraw();
  }

  svg() {
    const {at} = this.player;
    return this.#frames.length && this.#hasWeights ? this.#picture(at) : null;
  }

  destroy() { this.player.pause(); }

  #createPlayer() {
    const textAt = (at) => (this.#frames[at] ? strings.frame(this.#frames[at].step, this.#frames[at].text) : "");
    return new Player({
      name: strings.checkpoint, count: () => this.#frames.length, text: textAt, show: (at) => this.#draw(at),
      time: () => frameDuration,
      moved: (at) => {
        this.#shownFrame = at;
        this.#app.set({frame: at});
        this.#app.say(textAt(at));
      },
    });
  }

  // Returns whether there is a film.
  async #fetch() {
    try {
      const film = this.#app.model?.film === false ? null : await this.#app.film();
      if (film?.sentences?.length) {
        this.#film = film;
        this.#choose(0);
        return true;
      }
      this.status.textContent = strings.noFilm;
    } catch (error) {
      this.status.hidden = true;
      this.failure.show(error.message);
    }
    return false;
  }

  #choose(index) {
    const {sentences} = this.#film;
    this.#sentence = index;
    this.#frames = sentences[index].frames.map(
      ({step, look}) => ({step, trace: new Trace(look, this.#app.sites), text: look.text}));
    this.sentences.show(sentences.map(({source}, i) => [String(i), source]), String(index));
    this.sentences.element.hidden = sentences.length < 2;
    this.status.hidden = true;
    this.failure.show(null);
    this.body.hidden = false;
    this.#drawn = "";
    this.#redraw();
  }

  #redraw() {
    const {attention, layer, head, frame} = this.#app.state;
    this.parts.hidden = this.note.hidden = !this.#hasWeights;
    for (const picker of this.pickers) picker.element.hidden = this.#app.withoutAttention;
    const now = [this.#sentence, attention, layer, head, document.documentElement.dataset.theme].join(" ");
    if (now !== this.#drawn && this.#hasWeights) {
      this.#drawn = now;
      this.#drawThumbnails();
    }
    if (Number.isInteger(frame) && frame !== this.#shownFrame) this.player.go(frame);
    else this.player.refresh();
  }

  // Whether the frames have the attention that is chosen.
  get #hasWeights() {
    const {attention, layer} = this.#app.state;
    return this.#frames.every(({trace}) => trace.has(attention, layer));
  }

  #weightsOf({trace}) {
    const {attention, layer, head} = this.#app.state;
    return trace.exact(attention, layer, head);
  }

  // Colours show the square root, so that the small weights of an untrained model can be seen.
  #imageOf(weights) {
    const scale = risingScale(1, headColour(this.#app.state.head));
    return scaledImage(weights.rows, weights.columns, (i, j) => Math.sqrt(weights.at(i, j)), scale);
  }

  #drawThumbnails() {
    this.strip.replaceChildren(...this.#frames.map((frame, at) => this.#thumbnail(frame, at)));
    const heights = this.#frames.map((frame) => {
      const weights = this.#weightsOf(frame);
      return weights.rows * cellSize(weights, this.holder.clientWidth).high;
    });
    // The room of the tallest frame, so that nothing jumps while the film plays.
    this.holder.style.minHeight = `${labelHeight + 4 + Math.max(...heights)}px`;
  }

  #thumbnail(frame, at) {
    const canvas = el("canvas", {"aria-hidden": "true"});
    const context = preparedCanvas(canvas, thumbnailSize, thumbnailSize);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.#imageOf(this.#weightsOf(frame)), 0, 0, thumbnailSize, thumbnailSize);
    return el("button", {
      type: "button", class: "film-frame", "aria-label": strings.step(frame.step), onclick: () => this.player.go(at),
    }, canvas, el("span", {}, grouped(frame.step)));
  }

  #draw(at) {
    if (!this.#frames[at]) return;
    const {step, text} = this.#frames[at];
    this.facts.replaceChildren(el("p", {class: "film-step"}, strings.step(grouped(step))),
      el("p", {class: "film-source"}, this.#film.sentences[this.#sentence].source),
      el("p", {class: "film-text", lang: this.#app.state.target}, text || strings.nothing));
    if (!this.#hasWeights) return;
    this.holder.replaceChildren(this.#picture(at));
    this.#drawEntropy(at);
    [...this.strip.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === at)));
  }

  #picture(at) {
    const {attention, head} = this.#app.state;
    const weights = this.#weightsOf(this.#frames[at]);
    return framePicture({
      weights, ...this.#frames[at].trace.tokens(attention), image: this.#imageOf(weights), head,
      width: this.holder.clientWidth,
    });
  }

  #drawEntropy(marked) {
    const {attention, layer, head} = this.#app.state;
    const values = this.#frames.map(({trace}) => trace.entropy(attention, layer, head));
    const places = this.#frames.map(({step}) => step);
    this.entropy.replaceChildren(el("h3", {}, strings.entropy(number(values[marked], 2))),
      // The axis reaches from 0 to at least 0.1 bits.
      curve({places, values, marked, low: 0, high: 0.1, unit: strings.unit}));
  }
}
