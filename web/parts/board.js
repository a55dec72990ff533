// Boards: a table of buttons for each attention site, with a row for each layer and a column for each head.

import {text as strings} from "../strings/parts.js";
import {el, moveFocusInGrid} from "./elements.js";

export class Boards {
  #app;
  #options;
  #buttons = [];  // {attention, layer, head, button, title}
  #built = "";    // the sites that are drawn, as text
  element = el("div", {class: "boards"});

  /**
   * `describe(attention, layer, head)` gives what a button shows: {text, shade (0 to 1), off, chosen, otherText, label,
   * title}. `otherText` says that the translation changes without this head, `label` is for screen readers, and `title`
   * is the tooltip. `press(attention, layer, head)` is called when the button is pressed.
   */
  constructor(app, {describe, press, wide = false}) {
    this.#app = app;
    this.#options = {describe, press, wide};
  }

  update() {
    const sites = JSON.stringify(this.#app.sites);
    if (sites !== this.#built) {
      this.#built = sites;
      this.#buttons = [];
      this.element.replaceChildren(...this.#app.sites.map((site) => this.#board(site)));
    }
    for (const entry of this.#buttons) this.#updateButton(entry);
  }

  #board({name: attention, title, layers, heads}) {
    const board = el("div", {
      class: this.#options.wide ? "board wide" : "board", role: "group", "aria-label": title,
      style: {"--heads": String(heads)}, onkeydown: (event) => this.#onKey(event, attention, heads),
    }, el("h4", {}, title));
    for (let layer = 0; layer < layers; ++layer) {
      board.append(el("span", {class: "layer", "aria-hidden": "true"}, String(layer + 1)));
      for (let head = 0; head < heads; ++head) board.append(this.#button(attention, layer, head));
    }
    return board;
  }

  #button(attention, layer, head) {
    const press = () => this.#options.press(attention, layer, head);
    const button = el("button", {type: "button", onclick: press});
    this.#buttons.push({attention, layer, head, button, title: this.#app.headTitle(attention, layer, head)});
    return button;
  }

  #updateButton({attention, layer, head, button, title: name}) {
    const {text, shade = 0, off = false, chosen = false, otherText = false, label, title} =
      this.#options.describe(attention, layer, head);
    button.textContent = text;
    button.className = [off ? "out" : "lit", chosen ? "chosen" : "", otherText ? "other-text" : ""].join(" ").trim();
    button.style.setProperty("--shade", Math.min(1, shade).toFixed(3));
    button.setAttribute("aria-pressed", String(chosen));
    button.setAttribute("aria-label", strings.ofHead(name, label ?? text));
    button.title = title ?? "";
  }

  #onKey(event, attention, heads) {
    const buttons = this.#buttons.filter((entry) => entry.attention === attention).map(({button}) => button);
    moveFocusInGrid(event, buttons, heads);
  }
}
