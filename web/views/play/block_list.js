// The blocks of the drawing as a list of buttons above the picture: each can be pointed at, reached by keyboard, read
// by a screen reader, and entered.

import {joinedSentences} from "../../core/language.js";
import {el, moveFocus} from "../../parts/elements.js";
import {hideTooltip, showTooltip} from "../../parts/tooltip.js";
import {text} from "../../strings/play.js";
import {title} from "../../strings/views.js";

export class BlockList {
  #buttons = new Map();  // item -> button
  #enter;
  #entranceOf;

  /** `entranceOf(item)` gives the changes of the state that enter an item, or null; enter(changes) makes them. */
  constructor({entranceOf, enter}) {
    this.#enter = enter;
    this.#entranceOf = entranceOf;
    this.element = el("ol", {class: "play-blocks", "aria-label": text.blocks,
      onkeydown: (event) => this.#onKey(event)});
  }

  /** `items` are {id, kind, title, about, details?(), rect} in the order of the computation. */
  show(items) {
    const focused = document.activeElement?.dataset.block;
    this.#buttons = new Map(items.map((item, i) => [item, this.#button(item, i)]));
    this.element.replaceChildren(...[...this.#buttons.values()].map((button) => el("li", {}, button)));
    if (focused) this.element.querySelector(`[data-block="${CSS.escape(focused)}"]`)?.focus();
    this.update();
  }

  /** Says what is known at another moment. */
  update() {
    for (const [item, button] of this.#buttons) {
      const label = joinedSentences(this.#sentences(item));
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
      button.toggleAttribute("data-closed", this.#entranceOf(item) === null);
    }
  }

  #button(item, i) {
    const {x, y, w, h} = item.rect;
    const pixels = (value) => `${value.toFixed(1)}px`;
    const show = (event) => this.#showTooltip(event, item);
    return el("button", {
      type: "button", class: "play-block", "data-block": item.id, "data-kind": item.kind, tabindex: i ? "-1" : "0",
      style: {left: pixels(x), top: pixels(y), width: pixels(w), height: pixels(h)},
      onclick: () => this.#open(item), onpointermove: show, onpointerleave: hideTooltip, onfocus: show,
      onblur: hideTooltip,
    });
  }

  #sentences(item) {
    const tab = this.#entranceOf(item)?.tab;
    return [text.named(item.title), item.about, item.details?.() ?? "", tab ? text.opens(title[tab]) : text.noView]
      .filter(Boolean);
  }

  #showTooltip(event, item) {
    if (event.type === "focus" && !event.target.matches(":focus-visible")) return;
    const box = event.target.getBoundingClientRect();
    const [x, y] = event.type === "focus" ? [box.left, box.bottom] : [event.clientX, event.clientY];
    const [title, ...others] = this.#sentences(item);
    showTooltip(x, y, el("strong", {}, title), " ", joinedSentences(others));
  }

  #open(item) {
    const changes = this.#entranceOf(item);
    if (!changes) return;
    hideTooltip();
    this.#enter(changes);
  }

  // The computation goes up, so the arrow up goes to the next block.
  #onKey(event) {
    const buttons = [...this.#buttons.values()];
    const button = moveFocus(event, buttons, {back: "ArrowDown", forward: "ArrowUp"});
    if (!button) return;
    for (const other of buttons) other.tabIndex = other === button ? 0 : -1;
  }
}
