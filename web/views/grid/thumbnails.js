// The thumbnails of one attention site: a row for each layer, a picture for each head.

import {number} from "../../core/format.js";
import {headColour, isDark, weightColours} from "../../parts/colours.js";
import {el, moveFocusInGrid} from "../../parts/elements.js";
import {pooled, weightImage} from "../../parts/heat.js";
import {text} from "../../strings/grid.js";

export const thumbnailPixels = 160;  // at most, on a side

export class Thumbnails {
  #app;
  #enlarge;
  #tiles = [];  // {layer, head, picture, caption, button, toggle}
  #drawn = {};  // what the pictures were made from

  /** `enlarge(attention, layer, head)` is called when a picture is clicked. */
  constructor(app, site, enlarge) {
    this.#app = app;
    this.#enlarge = enlarge;
    this.site = site;
    const {title, layers, heads} = site;
    const table = el("div", {class: "thumbs", role: "group", "aria-label": title,
      onkeydown: (event) => moveFocusInGrid(event, this.#tiles.map(({button}) => button), heads)});
    for (let layer = 0; layer < layers; ++layer) {
      table.append(el("div", {class: "thumb-layer"}, text.layer(layer + 1)));
      for (let head = 0; head < heads; ++head) table.append(this.#tile(layer, head));
    }
    this.element = el("section", {class: "thumb-group", style: {"--heads": String(heads)}}, el("h3", {}, title), table);
  }

  update() {
    const {trace} = this.#app;
    const now = {trace, merged: trace.merged, dark: isDark(), layers: trace.shape(this.site.name).recorded.length};
    const same = Object.keys(now).every((name) => this.#drawn[name] === now[name]);
    this.#drawn = now;
    for (const tile of this.#tiles) {
      if (!same) this.#draw(tile);
      const off = this.#app.isOff(this.site.name, tile.layer, tile.head);
      tile.button.classList.toggle("off", off);
      tile.toggle.hidden = !this.#app.canSwitchHeads;
      tile.toggle.setAttribute("aria-checked", String(!off));
    }
  }

  #tile(layer, head) {
    const {name: attention} = this.site;
    const picture = el("span", {class: "thumb-picture", style: {"--head": headColour(head)}});
    const caption = el("span", {class: "thumb-caption"});
    const button = el(
      "button", {type: "button", class: "thumb", onclick: () => this.#onClick(layer, head)}, picture, caption);
    const toggle = el("button", {
      type: "button", class: "switch", role: "switch",
      "aria-label": text.takesPart(this.#app.headTitle(attention, layer, head)),
      onclick: () => this.#app.toggleHead(attention, layer, head),
    });
    this.#tiles.push({layer, head, picture, caption, button, toggle});
    return el("div", {class: "tile"}, button, toggle);
  }

  // A layer that has not been fetched is fetched first.
  #onClick(layer, head) {
    const {name: attention} = this.site;
    if (this.#app.trace?.has(attention, layer)) this.#enlarge(attention, layer, head);
    else this.#app.set({attention, layer});
  }

  #draw({layer, head, picture, caption, button}) {
    const {trace} = this.#app;
    const {name: attention} = this.site;
    const has = trace.has(attention, layer);
    picture.replaceChildren(...(has
      ? [weightImage(pooled(trace.weights(attention, layer, head), thumbnailPixels), weightColours(head))] : []));
    const entropy = has ? number(trace.entropy(attention, layer, head), 2) : "–";
    caption.replaceChildren(el("b", {}, String(head + 1)), ` ${entropy}`);
    button.setAttribute("aria-label", text.enlarge(this.#app.headTitle(attention, layer, head), entropy));
  }
}
