// A sentence on what failed, and a button that tries again.

import {text as strings} from "../strings/sentence.js";
import {el} from "./elements.js";

export class FailureNote {
  #text = el("span");
  #retry;

  /** `element` is a paragraph to use; without it, one is made. */
  constructor(app, element = el("p")) {
    this.element = element;
    element.classList.add("failure");
    element.setAttribute("role", "alert");
    this.#retry = el("button", {type: "button", class: "small", onclick: () => app.retry()}, strings.retry);
    element.replaceChildren(this.#text, ...(app.offline ? [] : [this.#retry]));
    this.show(null);
  }

  /** Shows why a LatestRequest failed, if it did. */
  showRequest({failure, result}) {
    this.show(failure);
    this.#retry.hidden = Boolean(result?.isFinal);
  }

  /** Shows a sentence; hides itself for null or an empty text. */
  show(text) {
    this.element.hidden = !text;
    if (this.#text.textContent !== (text ?? "")) this.#text.textContent = text ?? "";
  }
}
