// A text field with marks behind parts of its text. The marks are on a copy of the text that lies under the field and
// is itself invisible; the field is transparent.

import {el} from "./elements.js";

export class MarkedInput {
  #input;
  #copy = el("div", {class: "marked-copy", dir: "auto", "aria-hidden": "true"});
  #shown = "";  // the text and its marks, as text

  constructor(input) {
    this.#input = input;
    this.element = el("div", {class: "marked-input"}, this.#copy, input);
    input.addEventListener("scroll", () => { this.#copy.scrollTop = input.scrollTop; });
    new ResizeObserver(() => this.#fit()).observe(input);
  }

  /** Marks ranges [begin, end) of the text, in ascending order. */
  show(ranges) {
    const {value} = this.#input;
    const now = JSON.stringify([value, ranges]);
    if (now === this.#shown) return;
    this.#shown = now;
    let at = 0;
    const parts = ranges.flatMap(([begin, end]) => {
      const before = value.slice(at, begin);
      at = end;
      return [before, el("mark", {}, el("span", {}, value.slice(begin, end)))];
    });
    this.#copy.replaceChildren(...(ranges.length ? [...parts, `${value.slice(at)}\n`] : []));
    this.#fit();
  }

  // A scroll bar makes the lines of the field shorter.
  #fit() {
    const {clientWidth, clientHeight, clientTop, clientLeft, scrollTop} = this.#input;
    this.#copy.style.cssText =
      `left: ${clientLeft}px; top: ${clientTop}px; width: ${clientWidth}px; height: ${clientHeight}px`;
    this.#copy.scrollTop = scrollTop;
  }
}
