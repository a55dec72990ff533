// The sentence and its translation, side by side.

import {SourceBox} from "./source_box.js";
import {TranslationBox} from "./translation_box.js";

export class SentenceBox {
  #sides;

  constructor(root, app) {
    this.#sides = [new SourceBox(app), new TranslationBox(app)];
    root.append(...this.#sides.map(({element}) => element));
  }

  update() { for (const side of this.#sides) side.update(); }
}
