// The coloured squares of the heads. A click shows or hides a head; a double click, or a click with Shift, shows it
// alone, or all heads again. Below them are switches that take a head out of the model.

import {text} from "../strings/parts.js";
import {headColour} from "./colours.js";
import {el, moveFocus} from "./elements.js";
import {showRole} from "./role_title.js";

export class HeadSquares {
  #app;
  #switchable;
  #squares = el("div",
    {class: "squares", role: "group", "aria-label": text.headsShown, onkeydown: (event) => this.#onKey(event)});
  #switches = el("div", {class: "squares switches", role: "group", "aria-label": text.headsUsed});
  #switchRow = el("div", {class: "switch-row"}, this.#switches, el("span", {class: "note"}, text.switchOff));

  constructor(app, {switchable = true} = {}) {
    this.#app = app;
    this.#switchable = switchable;
    this.element = el("fieldset", {class: "choice heads"}, el("legend", {}, text.heads),
      el("div", {class: "switch-row"}, this.#squares, el("span", {class: "note"}, text.showOrHide)), this.#switchRow);
  }

  update() {
    const {headCount} = this.#app.state;
    if (this.#squares.children.length !== headCount) this.#build(headCount);
    this.#switchRow.hidden = !this.#switchable || !this.#app.canSwitchHeads;
    for (let head = 0; head < headCount; ++head) this.#updateHead(head);
  }

  #build(count) {
    const heads = Array.from({length: count}, (_, head) => head);
    this.#squares.replaceChildren(...heads.map((head) => this.#square(head)));
    this.#switches.replaceChildren(...heads.map((head) => this.#switch(head)));
  }

  #square(head) {
    return el("button", {
      type: "button", class: "square", title: text.squareTitle(head + 1),
      "aria-label": text.headNumber(head + 1), ondblclick: () => this.#showAlone(head),
      onclick: (event) => (event.shiftKey ? this.#showAlone(head) : this.#toggle(head)),
    }, String(head + 1));
  }

  #switch(head) {
    const {state} = this.#app;
    const toggle = () => this.#app.toggleHead(state.attention, state.layer, head);
    return el("button", {type: "button", class: "switch", role: "switch", onclick: toggle});
  }

  #updateHead(head) {
    const {heads, attention, layer} = this.#app.state;
    const off = this.#app.isOff(attention, layer, head);
    const [square, toggle] = [this.#squares.children[head], this.#switches.children[head]];
    square.style.setProperty("--head", headColour(head));
    square.setAttribute("aria-pressed", String(heads.has(head)));
    square.classList.toggle("off", off);
    showRole(square, this.#app.roleOf(attention, layer, head));
    toggle.setAttribute("aria-checked", String(!off));
    toggle.setAttribute("aria-label", text.takesPart(head + 1, layer + 1));
    toggle.title = (off ? text.switchedOff : text.switchedOn)(head + 1);
  }

  #showAlone(head) {
    const {heads, headCount} = this.#app.state;
    const alone = heads.size === 1 && heads.has(head);
    this.#app.set({heads: new Set(alone ? Array.from({length: headCount}, (_, i) => i) : [head])});
  }

  #toggle(head) {
    const heads = new Set(this.#app.state.heads);
    if (!heads.delete(head)) heads.add(head);
    this.#app.set({heads: new Set([...heads].sort((a, b) => a - b))});  // sorted, whatever the order of clicks
  }

  #onKey(event) {
    const squares = [...this.#squares.children];
    const at = squares.indexOf(document.activeElement);
    if (event.key === "Enter" && event.shiftKey && at >= 0) {
      event.preventDefault();
      this.#showAlone(at);
    } else {
      moveFocus(event, squares, {back: "ArrowLeft", forward: "ArrowRight"});
    }
  }
}
