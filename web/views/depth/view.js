// Steps: how many steps each token took in a model whose tokens decide this themselves.

import {meanCount} from "../../core/format.js";
import {label} from "../../core/tokens.js";
import {controlBar} from "../../parts/controls.js";
import {el} from "../../parts/elements.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {translationPicker} from "../../parts/pickers.js";
import {text} from "../../strings/depth.js";

export class View {
  #app;
  #shown = null;  // the trace that is shown

  constructor(root, app) {
    this.#app = app;
    this.controls = controlBar(translationPicker(app));
    this.status = el("p", {class: "empty", role: "status"});
    this.note = el("p", {class: "note"}, text.note);
    this.sides = el("div", {class: "depth-sides"});
    root.append(this.controls.element, this.status, this.note, this.sides);
  }

  update() {
    this.controls.update();
    const {trace} = this.#app;
    if (trace && trace === this.#shown) return;
    this.#shown = trace;
    const pondering = trace?.pondering;
    this.status.hidden = Boolean(pondering);
    this.note.hidden = this.sides.hidden = !pondering;
    this.status.textContent = trace ? text.none : noTranslationText(this.#app, text.shows);
    if (!pondering) return this.sides.replaceChildren();
    const most = Math.max(...pondering.source.steps, ...pondering.target.steps);
    this.sides.replaceChildren(
      table(text.source, trace.src, pondering.source, most),
      table(text.target, trace.tgt, pondering.target, most));
  }
}

// A row for each token: its label, its number of steps, and a bar. `most` steps are a whole bar.
function table(title, tokens, {steps, rest}, most) {
  const mean = steps.reduce((sum, n) => sum + n, 0) / steps.length;
  const percent = (share) => `${(100 * share / most).toFixed(2)}%`;
  const rows = steps.map((n, i) => el("tr", {},
    el("th", {scope: "row"}, label(tokens[i])),
    el("td", {}, String(n)),
    el("td", {class: "depth-track", "aria-hidden": "true"},
      el("span", {class: "depth-bar", style: {width: percent(n - rest[i])}}),
      el("span", {class: "depth-bar depth-rest", style: {width: percent(rest[i])}}))));
  return el("section", {},
    el("h3", {}, title),
    el("p", {class: "note"}, text.mean(meanCount(mean))),
    el("table", {class: "depth-table"},
      el("thead", {}, el("tr", {}, el("th", {scope: "col"}, text.token), el("th", {scope: "col"}, text.steps), el("td"))),
      el("tbody", {}, ...rows)));
}
