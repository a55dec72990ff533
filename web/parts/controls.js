// Small controls that views share. A control is {element, update()}; update() shows the current value.

import {el} from "./elements.js";

let groups = 0;

/**
 * Radio buttons that look like one bar. `options()` gives [{value, text, title?, disabled?}]; `get()` gives the chosen
 * value, `set(value)` is called with a new one.
 */
export class Segmented {
  #name = `choice-${++groups}`;
  #row = el("div", {class: "segments"});
  #shown = "";  // the options that are drawn, as text

  constructor(title, options, get, set) {
    Object.assign(this, {options, get, set});
    this.element = el("fieldset", {class: "choice"}, el("legend", {}, title), this.#row);
  }

  update() {
    const options = this.options();
    const text = JSON.stringify(options);
    if (text !== this.#shown) {
      this.#shown = text;
      this.#row.replaceChildren(...options.map((option) => this.#button(option)));
    }
    for (const input of this.#row.querySelectorAll("input")) input.checked = input.dataset.value === String(this.get());
  }

  #button({value, text, title, disabled}) {
    const attributes = {type: "radio", name: this.#name, disabled, "data-value": value};
    return el("label", {title}, el("input", {...attributes, onchange: () => this.set(value)}), el("span", {}, text));
  }
}

/** A check box with a text beside it. */
export function checkBox(text, get, set, title) {
  const input = el("input", {type: "checkbox", onchange: () => set(input.checked)});
  return {
    element: el("label", {class: "check", title}, input, el("span", {}, text)),
    update() { input.checked = get(); },
  };
}

/** A list to choose from, with a label. `choose` is called with the chosen value as text. */
export class LabelledSelect {
  #shown = "";  // the options that are drawn, as text

  constructor(name, choose) {
    this.select = el("select", {onchange: () => choose(this.select.value)});
    this.element = el("label", {class: "pick"}, el("span", {}, name), this.select);
  }

  /** `options` is a list of [value, text]. */
  show(options, chosen) {
    const text = JSON.stringify(options);
    if (text !== this.#shown) {
      this.select.replaceChildren(...options.map(([value, label]) => el("option", {value}, label)));
    }
    this.#shown = text;
    this.select.value = chosen;
  }
}

/** Several controls in a row; update() updates all of them. */
export function controlBar(...controls) {
  const element = el("div", {class: "bar"}, ...controls.map((control) => control.element));
  return {element, update() { for (const control of controls) control.update(); }};
}
