// Next word: for each position of the translation the ten likeliest words with their probabilities, and what each layer
// would have said if it were the last ("logit lens"). A click on a word puts it into the translation; the rest follows.

import {number} from "../../core/format.js";
import {nextWordsOf} from "../../core/next_words.js";
import {label} from "../../core/tokens.js";
import {controlBar} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {translationPicker} from "../../parts/pickers.js";
import {text} from "../../strings/words.js";
import {wordBars} from "./bars.js";
import {LensTable} from "./lens.js";
import {picture} from "./picture.js";
import {temperatureSlider} from "./temperature.js";

export class View {
  #app;
  #temperature = 1;
  #layer = null;    // the layer that the bars show; null for the model's own output
  #words = null;    // {model, layers} of the shown trace
  #of = null;       // the trace and temperature that they were fetched for

  constructor(root, app) {
    this.#app = app;
    this.temperature = temperatureSlider(() => this.#temperature, (value) => {
      this.#temperature = value;
      this.update();
    });
    this.controls = controlBar(translationPicker(app), this.temperature);
    this.status = el("p", {class: "empty", role: "status"});
    this.positions = el("div", {class: "next-positions", role: "group", "aria-label": text.positions});
    this.heading = el("h3", {class: "next-heading"});
    this.bars = el("ol", {class: "next-bars"});
    this.note = el("p", {class: "note"});
    this.release = el("button", {type: "button", onclick: () => app.set({forced: ""})},
      text.release);
    this.lens = new LensTable((layer, position) => this.#choose(position, layer));
    this.body = el("div", {class: "next", hidden: true}, this.positions,
      el("div", {class: "next-parts"},
        el("section", {}, this.heading, scale(), this.bars, this.note, this.release),
        el("section", {class: "next-lens"}, el("p", {class: "note"}, text.lensNote), this.lens.element)));
    root.append(this.controls.element, this.status, this.body);
  }

  async update() {
    this.controls.update();
    const {trace} = this.#app;
    if (!trace) return this.#show(noTranslationText(this.#app, text.shows));
    const wanted = `${this.#temperature}`;
    if (this.#of?.trace !== trace || this.#of?.temperature !== wanted) {
      if (this.#of?.trace !== trace) {
        this.#words = null;
        this.#show(text.fetching);
      }
      const asked = this.#of = {trace, temperature: wanted};
      try {
        const words = await nextWordsOf(this.#app, trace, this.#temperature);
        if (this.#of !== asked) return;
        this.#words = words;
      } catch (error) {
        if (this.#of === asked) {
          this.#of = null;
          this.#show(error.message);
        }
        return;
      }
    }
    if (this.#words) this.#draw();
  }

  svg() {
    return this.#words && !this.body.hidden ? picture(this.#title(), this.#shown()) : null;
  }

  get #position() { return Math.min(this.#app.state.word ?? 0, this.#words.model.length - 1); }

  // The distribution that the bars show.
  #shown() { return (this.#words.layers[this.#layer] ?? this.#words.model)[this.#position]; }

  #show(sentence) {
    this.status.textContent = sentence;
    this.status.hidden = false;
    this.body.hidden = true;
  }

  #title() {
    const before = this.#app.trace.tgt.slice(0, this.#position).map(label).join(" ");
    const where = before ? text.after(before) : text.atBeginning;
    return this.#layer === null ? text.modelConsidered(where) : text.layerSays(where, this.#layer + 1);
  }

  #draw() {
    this.status.hidden = true;
    this.body.hidden = false;
    const {layers, model} = this.#words;
    if (this.#layer !== null && this.#layer >= layers.length) this.#layer = null;
    this.#drawPositions(model);
    this.heading.textContent = this.#title();
    this.bars.replaceChildren(...wordBars(this.#shown(), {
      onforce: this.#app.offline ? null : (id) => this.#force(id),
    }));
    const {rank, p} = this.#shown();
    this.release.hidden = this.#app.state.forced === "";
    const what = rank === 0 ? text.isLikeliest : text.isOther(rank + 1, number(p));
    this.note.textContent = this.#app.offline ? what : `${what} ${text.forceNote}`;
    this.lens.show(layers, this.#app.trace.tgt, {position: this.#position, layer: this.#layer});
    this.lens.element.parentElement.hidden = !layers.length;
  }

  #drawPositions(model) {
    const {tgt} = this.#app.trace;
    this.positions.replaceChildren(...model.map(({p}, i) => el("button", {
      type: "button", class: "next-position", "aria-pressed": String(i === this.#position),
      title: text.position(i + 1, number(p)), onclick: () => this.#choose(i, null),
    }, label(tgt[i]), el("span", {class: "next-p"}, number(p, 2)))));
  }

  #choose(position, layer) {
    this.#layer = layer;
    this.#app.set({word: position});
  }

  // Puts the word with this id at the shown position. The words before it stay, and the model writes the rest.
  #force(id) {
    const ids = this.#words.model.slice(0, this.#position).map((entry) => entry.id);
    this.#layer = null;
    this.#app.set({forced: [...ids, id].join(" "), show: "changed", word: this.#position});
  }
}

// The head of the bars: their scale, and what their numbers are.
const scale = () => el("p", {class: "next-scale", "aria-hidden": "true"}, el("span"),
  el("span", {class: "scale"}, el("span", {}, "0"), el("span", {}, "1")), el("span", {}, text.probability));
