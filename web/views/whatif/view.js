// What if: heads switched off, a forced beginning, another search. The plain and the changed translation are shown side
// by side, with their scores and the difference of their attention.

import {offlineNote} from "../../core/api.js";
import {el} from "../../parts/elements.js";
import {AttentionDifference} from "./attention_difference.js";
import {HeadBoard} from "./head_board.js";
import {SearchSettings} from "./search_settings.js";
import {Translations} from "./translations.js";

export class View {
  #parts = [];

  constructor(root, app) {
    if (app.offline) {
      root.append(el("p", {class: "empty"}, offlineNote));
      return;
    }
    const [settings, heads, translations] = [new SearchSettings(app), new HeadBoard(app), new Translations(app)];
    this.difference = new AttentionDifference(app);
    this.#parts = [settings, heads, translations, this.difference];
    root.append(el("div", {class: "lab"}, el("div", {class: "lab-controls"}, settings.element),
      el("div", {}, translations.element, heads.element)), this.difference.element);
  }

  update() { for (const part of this.#parts) part.update(); }
  svg() { return this.difference?.svg() ?? null; }
  destroy() { for (const part of this.#parts) part.destroy?.(); }
}
