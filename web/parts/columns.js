// Tokens in two columns that are joined by lines, for one trace. Tokens are elements, so that the keyboard and screen
// readers reach them. Lines are drawn on a canvas that covers the visible part and some of its surroundings.

import {text} from "../strings/parts.js";
import {el, preparedCanvas} from "./elements.js";
import {drawLinks, drawTokenCells, linksOfToken, linksPicture, strongestLinks} from "./links.js";

export const sideNames = {src: text.src, tgt: text.tgt, read: text.read};

const measuredTokens = 400;  // the first tokens decide the width of a column

export class Columns {
  #root;
  #options;
  #shown = {};                        // what `get` gave
  #merged = false;                    // whether its tokens are words
  #labels = {queries: [], keys: []};
  // Pixels: the height of a row, the width of a column of tokens, the width between the columns, where lines begin and
  // end, and the height of the picture.
  #place = {row: 24, column: 120, gap: 200, left: 128, right: 320, height: 0};
  #links = {lists: [], least: 0, drawn: 0, all: 0};
  #focus = null;                      // {side, index} of the token that is pointed at or has the focus
  #covered = {top: 0, bottom: 0};     // the part of the picture that the canvas covers
  #laidOut = "";                      // what the layout was made for, as text
  #frame = 0;

  /**
   * `get()` gives {trace, attention, layer, heads, query, key, least?, off?}; `least` is the smallest weight to draw,
   * `off` is the set of heads that are switched off, and nothing is drawn if `trace` is null. `pin(side, index)` is
   * called by a click or Enter, with null by Escape; `hover(side, index)` when a token is pointed at or gets the focus,
   * with null when none is. `widest` is the largest width of the picture in pixels.
   */
  constructor(root, {get, pin, hover = () => {}, widest = 960}) {
    this.#root = root;
    this.#options = {get, pin, hover, widest};
    this.canvas = el("canvas", {"aria-hidden": "true"});
    this.lists = {
      query: el("div", {class: "tokens queries", role: "listbox"}),
      key: el("div", {class: "tokens keys", role: "listbox"}),
    };
    this.picture = el("div", {class: "picture"}, this.canvas, this.lists.query, this.lists.key);
    this.scroller = el("div", {class: "scroller", onscroll: () => this.#onScroll()}, this.picture);
    root.append(this.scroller);
    for (const side of ["query", "key"]) this.#listen(this.lists[side], side);
    this.resized = new ResizeObserver(() => this.#layOut(true));
    this.resized.observe(root);
  }

  update() {
    const before = {...this.#shown, merged: this.#merged};
    const now = this.#shown = this.#options.get();
    if (!now.trace) return;
    this.#merged = now.trace.merged;
    this.#labels = now.trace.tokens(now.attention);
    const sides = now.trace.sides(now.attention);
    this.lists.query.setAttribute("aria-label", text.queries(sideNames[sides.queries]));
    this.lists.key.setAttribute("aria-label", text.keys(sideNames[sides.keys]));
    const sameTokens = before.trace === now.trace && before.attention === now.attention &&
      before.merged === this.#merged;
    const sameLinks = sameTokens && before.layer === now.layer && before.heads === now.heads &&
      before.least === now.least;
    if (!sameLinks) this.#links = strongestLinks(now.trace, now);
    if (!sameTokens) this.#focus = null;
    this.#layOut(false);
    this.#draw();
  }

  /** The strongest links: see links.js. */
  get links() { return this.#links; }

  /** {side, index} of the token that is pointed at or has the focus, or null. */
  get focus() { return this.#focus; }

  /** Scrolls to a token and gives it the focus. */
  focusToken(side, index) {
    const list = this.lists[side];
    for (const token of list.querySelectorAll("[tabindex='0']")) token.tabIndex = -1;
    list.children[index].tabIndex = 0;
    list.children[index].focus();
  }

  svg(heading) {
    const {trace, query, key} = this.#shown;
    const lists = query !== null ? linksOfToken(trace, this.#shown, "query", query)
      : key !== null ? linksOfToken(trace, this.#shown, "key", key) : this.#links.lists;
    return linksPicture(this.#labels, lists, this.#place, heading);
  }

  destroy() {
    cancelAnimationFrame(this.#frame);
    this.resized.disconnect();
  }

  #listen(list, side) {
    list.addEventListener("pointerover", (event) => this.#onPointer(side, event));
    list.addEventListener("pointerleave", () => this.#onPointer(side, null));
    list.addEventListener("focusin", (event) => this.#onPointer(side, event));
    list.addEventListener("focusout", () => this.#onPointer(side, null));
    list.addEventListener("click", (event) => {
      const index = indexOf(event.target);
      if (index !== null) this.#options.pin(side, index);
    });
    list.addEventListener("keydown", (event) => this.#onKey(event, side));
  }

  #onPointer(side, event) {
    const index = event ? indexOf(event.target) : null;
    if (event && index === null) return;
    if (this.#focus?.side === side && this.#focus.index === index) return;
    if (index === null && this.#focus?.side !== side) return;
    this.#focus = index === null ? null : {side, index};
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#options.hover(this.#focus?.side ?? side, this.#focus?.index ?? null);
      this.#draw();
    });
  }

  #onKey(event, side) {
    const at = indexOf(document.activeElement);
    if (at === null) return;
    const last = this.lists[side].children.length - 1;
    const to = {ArrowDown: Math.min(last, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: last,
      PageDown: Math.min(last, at + 10), PageUp: Math.max(0, at - 10)}[event.key];
    const otherSide = {ArrowLeft: "query", ArrowRight: "key"}[event.key];
    if (to !== undefined) this.focusToken(side, to);
    else if (otherSide) this.focusToken(otherSide, Math.min(at, this.lists[otherSide].children.length - 1));
    else if (event.key === "Enter" || event.key === " ") this.#options.pin(side, at);
    else if (event.key === "Escape") this.#options.pin(side, null);
    else return;
    event.preventDefault();
  }

  #onScroll() {
    if (!this.#cover() && this.#focus) this.#draw();
  }

  #layOut(force) {
    const width = Math.min(this.#root.clientWidth, this.#options.widest);
    if (!width || !this.#shown.trace) return;
    const labels = this.#labels;
    const count = Math.max(labels.queries.length, labels.keys.length);
    const row = count <= 22 ? 28 : count <= 60 ? 23 : 18;
    const now = JSON.stringify([width, row, labels]);
    if (now === this.#laidOut && !force) return;
    this.#laidOut = now;
    const font = Math.min(15.5, row * 0.62);
    const column = Math.min(Math.ceil(this.#longestToken(font)) + 18, Math.floor(width * 0.36));
    this.#place = {row, column, gap: width - 2 * column, left: column, right: width - column, height: count * row,
      width};
    const sizes = {"--row": row, "--font": font, "--column": column, width, height: this.#place.height};
    for (const [name, size] of Object.entries(sizes)) this.picture.style.setProperty(name, `${size}px`);
    fillTokens(this.lists.query, labels.queries);
    fillTokens(this.lists.key, labels.keys);
    this.#covered = {top: 0, bottom: 0};
    this.#cover();
  }

  #longestToken(font) {
    const measure = this.canvas.getContext("2d");
    measure.setTransform(1, 0, 0, 1, 0, 0);
    measure.font = `${font}px ${getComputedStyle(this.#root).fontFamily}`;
    const texts = [...this.#labels.queries, ...this.#labels.keys].slice(0, measuredTokens);
    return Math.max(...texts.map((text) => measure.measureText(text).width));
  }

  // Moves the canvas to the visible part and half as much above and below, unless it covers the visible part already.
  // Returns whether it was moved.
  #cover() {
    const visible = this.scroller.clientHeight || 600;
    const {height} = this.#place;
    const [top, bottom] = [this.scroller.scrollTop, Math.min(height, this.scroller.scrollTop + visible)];
    const covered = this.#covered;
    if (top >= covered.top && bottom <= covered.bottom && covered.bottom > covered.top) return false;
    const more = Math.ceil(visible / 2);
    this.#covered = {top: Math.max(0, Math.floor(top - more)), bottom: Math.min(height, Math.ceil(bottom + more))};
    this.canvas.style.top = `${this.#covered.top}px`;
    this.#draw();
    return true;
  }

  #draw() {
    const {trace, query, key, off} = this.#shown;
    if (!trace || !this.#place.width) return;
    const {top, bottom} = this.#covered;
    const context = preparedCanvas(this.canvas, this.#place.width, Math.max(1, bottom - top));
    context.translate(0, -top);
    const range = this.#focus ? this.#clipToVisible(context) : {top, bottom};
    const alone = this.#focus ? [this.#focus] : this.#pinned();  // tokens whose links are drawn instead of all
    if (!alone.length) drawLinks(context, this.#links.lists, this.#place, range, off);
    for (const {side, index} of alone) {
      drawLinks(context, linksOfToken(trace, this.#shown, side, index), this.#place, range, off);
    }
    if (alone.length) this.#drawCells(context, alone[0], range);
    markTokens(this.lists.query, query, this.#focus?.side === "query" ? this.#focus.index : null);
    markTokens(this.lists.key, key, this.#focus?.side === "key" ? this.#focus.index : null);
  }

  #pinned() {
    const {query, key} = this.#shown;
    const pinned = [];
    if (query !== null && query < this.#labels.queries.length) pinned.push({side: "query", index: query});
    if (key !== null && key < this.#labels.keys.length) pinned.push({side: "key", index: key});
    return pinned;
  }

  // The picture is drawn again whenever the pointer moves to another token, so only the visible part is drawn.
  #clipToVisible(context) {
    const top = this.scroller.scrollTop;
    const bottom = Math.min(this.#covered.bottom, top + this.scroller.clientHeight);
    context.beginPath();
    context.rect(0, top, this.#place.width, bottom - top);
    context.clip();
    return {top, bottom};
  }

  #drawCells(context, token, range) {
    const {gap, left, right, row} = this.#place;
    const width = Math.min(gap * 0.2, Math.max(10, this.#shown.heads.size * 7));
    const strip = {x: token.side === "query" ? right - width : left, width};
    drawTokenCells(context, this.#shown.trace, this.#shown, token, strip, row, range);
  }
}

function indexOf(target) {
  const token = target.closest?.("[data-i]");
  return token ? Number(token.dataset.i) : null;
}

// A text that begins with "·" continues a word (core/tokens.js).
function fillTokens(list, texts) {
  const same = list.children.length === texts.length &&
    texts.every((text, i) => list.children[i].textContent === text);
  if (same) return;
  const token = (text, i) => el("div", {role: "option", class: text.startsWith("·") ? "token inner" : "token",
    "data-i": i, tabindex: i === 0 ? 0 : -1}, text);
  list.replaceChildren(...texts.map(token));
}

function markTokens(list, pinned, pointed) {
  for (const token of list.querySelectorAll(".pinned, .pointed")) {
    token.classList.remove("pinned", "pointed");
    token.setAttribute("aria-selected", "false");
  }
  list.children[pinned]?.classList.add("pinned");
  list.children[pinned]?.setAttribute("aria-selected", "true");
  list.children[pointed]?.classList.add("pointed");
}
