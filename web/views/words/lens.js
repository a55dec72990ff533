// The table of the logit lens: a row for each layer, the last on top, and a column for each position. A cell has the
// likeliest word; its shade is the probability.

import {number} from "../../core/format.js";
import {label} from "../../core/tokens.js";
import {el} from "../../parts/elements.js";
import {text} from "../../strings/words.js";

export class LensTable {
  #choose;

  /** `choose(layer, position)` is called for a chosen cell. */
  constructor(choose) {
    this.#choose = choose;
    this.table = el("table", {class: "lens"});
    this.element = el("div", {class: "lens-scroll", tabindex: "0", role: "region", "aria-label": text.lens},
      this.table);
  }

  /** `layers` has the positions of each layer, see core/next_words.js; `tgt` are the pieces of the translation. */
  show(layers, tgt, {position, layer}) {
    const head = el("tr", {}, el("th", {scope: "col"}, text.layer),
      ...tgt.map((piece, i) => el("th", {scope: "col", class: i === position ? "shown" : ""}, label(piece))));
    const rows = layers.map((positions, l) => el("tr", {},
      el("th", {scope: "row"}, String(l + 1)),
      ...positions.map((entry, i) => this.#cell(entry, l, i, i === position && l === layer))));
    this.table.replaceChildren(el("caption", {class: "unseen"}, text.lensCaption),
      el("thead", {}, head), el("tbody", {}, ...rows.reverse()));
    this.#scrollTo(head.children[position + 1]);
  }

  // Scrolls the table sideways, if it must, so that a column is visible.
  #scrollTo({offsetLeft: left, offsetWidth: width}) {
    const {element} = this;
    const seen = element.scrollLeft;
    if (left < seen) element.scrollLeft = left;
    else if (left + width > seen + element.clientWidth) element.scrollLeft = left + width - element.clientWidth;
  }

  #cell({words: [best], rank, p}, layer, position, isShown) {
    const title = text.lensCell(layer + 1, label(best.token), number(best.p), rank + 1, number(p));
    return el("td", {}, el("button", {
      type: "button", title, "aria-label": title, "aria-pressed": String(isShown), class: rank === 0 ? "right" : "",
      style: {"--share": `${Math.round(100 * best.p)}%`}, onclick: () => this.#choose(layer, position),
    }, label(best.token)));
  }
}
