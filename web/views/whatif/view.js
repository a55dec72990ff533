// What if: heads switched off, a forced beginning, another search. The original and the changed translation are shown
// side by side, with their scores and the difference of their attention. An offline file shows the changes that it
// holds.

import {el} from "../../parts/elements.js";
import {AttentionDifference} from "./attention_difference.js";
import {HeadBoard} from "./head_board.js";
import {RecordedChanges} from "./recorded_changes.js";
import {SearchSettings} from "./search_settings.js";
import {Translations} from "./translations.js";

export class View {
  #parts = [];

  constructor(root, app) {
    const translations = new Translations(app);
    this.difference = new AttentionDifference(app);
    if (app.offline) {
      const recorded = new RecordedChanges(app);
      this.#parts = [recorded, translations, this.difference];
      root.append(recorded.element, translations.element, this.difference.element);
      return;
    }
    const [settings, heads] = [new SearchSettings(app), new HeadBoard(app)];
    this.#parts = [settings, heads, translations, this.difference];
    root.append(el("div", {class: "lab"}, el("div", {class: "lab-controls"}, settings.element),
      el("div", {}, translations.element, heads.element)), this.difference.element);
  }

  update() { for (const part of this.#parts) part.update(); }
  svg() { return this.difference.svg(); }
  destroy() { for (const part of this.#parts) part.destroy?.(); }
}
