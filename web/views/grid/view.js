// Grid: all layers and heads as thumbnails. A head can be enlarged, shown alone, or switched off in the model.

import {siteOptions} from "../../core/sites.js";
import {colour, weightColours} from "../../parts/colours.js";
import {controlBar, Segmented} from "../../parts/controls.js";
import {el, svg, svgSheet} from "../../parts/elements.js";
import {pooled, weightImage} from "../../parts/heat.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {translationPicker, wordSwitch} from "../../parts/pickers.js";
import {text} from "../../strings/grid.js";
import {text as shared} from "../../strings/parts.js";
import {Enlargement} from "./enlargement.js";
import {Thumbnails, thumbnailPixels} from "./thumbnails.js";

export class View {
  #app;
  #showsAll = innerWidth >= 1000;  // all attention sites at once
  #groups = [];                    // the Thumbnails of each site that is shown

  constructor(root, app) {
    this.#app = app;
    this.controls = controlBar(this.#sitePicker(), wordSwitch(app), translationPicker(app));
    this.list = el("div", {class: "thumb-groups"});
    this.note = el("p", {class: "note"}, text.note);
    this.partialNote = el("p", {class: "note"}, text.partial);
    this.empty = el("p", {class: "empty"});
    this.enlargement = new Enlargement(app);
    root.append(this.controls.element, this.empty, this.partialNote, this.list, this.note, this.enlargement.element);
  }

  update() {
    const {trace, sites} = this.#app;
    this.controls.update();
    this.empty.hidden = Boolean(trace);
    this.empty.textContent = trace ? "" : noTranslationText(this.#app, text.shows);
    this.list.hidden = this.note.hidden = this.partialNote.hidden = !trace;
    if (!trace) return;
    this.#updateGroups();
    this.partialNote.hidden = sites.every(({name, layers}) => trace.shape(name).recorded.length === layers);
    this.enlargement.update();
  }

  svg() { return this.#app.trace ? picture(this.#app) : null; }
  destroy() { this.enlargement.destroy(); }

  #sitePicker() {
    const app = this.#app;
    return new Segmented(shared.attention, () => [{value: "all", text: shared.all}, ...siteOptions(app.sites)],
      () => (this.#showsAll ? "all" : app.state.attention), (value) => {
        this.#showsAll = value === "all";
        app.set(this.#showsAll ? {} : {attention: value});
      });
  }

  #updateGroups() {
    const app = this.#app;
    const wanted = this.#showsAll ? app.sites : [app.site()];
    if (wanted.length !== this.#groups.length || wanted.some((site, i) => site !== this.#groups[i].site)) {
      const enlarge = (attention, layer, head) => this.enlargement.open(attention, layer, head);
      this.#groups = wanted.map((site) => new Thumbnails(app, site, enlarge));
      this.list.replaceChildren(...this.#groups.map(({element}) => element));
    }
    for (const group of this.#groups) group.update();
  }
}

// The thumbnails of the chosen attention, for export.
function picture(app) {
  const {name: attention, title, layers, heads} = app.site();
  const [size, gap] = [120, 24];
  const [width, height] = [40 + heads * (size + gap), 40 + layers * (size + gap + 10)];
  const tiles = [];
  for (let layer = 0; layer < layers; ++layer) {
    for (let head = 0; head < heads; ++head) {
      const [x, y] = [40 + head * (size + gap), 40 + layer * (size + gap + 10)];
      tiles.push(...tile(app.trace, {attention, layer, head}, {x, y, width: size, height: size}));
    }
  }
  return svgSheet(width, height, svg("text", {x: 8, y: 20, "font-size": 13, fill: colour("--soft")}, title), ...tiles);
}

function tile(trace, {attention, layer, head}, box) {
  const parts = [];
  if (trace.has(attention, layer)) {
    const image = weightImage(pooled(trace.weights(attention, layer, head), thumbnailPixels), weightColours(head));
    parts.push(svg("image",
      {...box, preserveAspectRatio: "none", style: "image-rendering:pixelated", href: image.toDataURL()}));
  }
  const label = {x: box.x, y: box.y + box.height + 14, "font-size": 12, fill: colour("--soft")};
  parts.push(svg("rect", {...box, fill: "none", stroke: colour("--line")}),
    svg("text", label, `${layer + 1}.${head + 1}`));
  return parts;
}
