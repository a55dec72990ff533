// Tokens in two columns joined by lines, for one look: the heart of "heads" and of "compare". Tokens are elements, so
// that keys and readers reach them; lines are drawn on a canvas that covers what is in sight and a little more.
import {el, prepared} from "dragoman/draw.js";
import {drawCells, drawLinks, linksOf, linksSvg, strongest} from "dragoman/links.js";

/**
 * `get()` gives what is shown: {look, attention, layer, heads, query, key, least, off: heads that are switched off};
 * `pin(side, index)` is called by a click or Enter, `hover(side, index)` (index null: nothing) when a token is pointed
 * at or has the focus.
 */
export function columns(root, {get, pin, hover = () => {}, widest = 960}) {
  const canvas = el("canvas", {"aria-hidden": "true"});
  const queries = el("div", {class: "tokens queries", role: "listbox"});
  const keys = el("div", {class: "tokens keys", role: "listbox"});
  const picture = el("div", {class: "picture"}, canvas, queries, keys);
  const scroller = el("div", {class: "scroller", onscroll: scrolled}, picture);
  root.append(scroller);

  let given = {};
  let labels = {queries: [], keys: []};
  let place = {row: 24, column: 120, gap: 200, left: 128, right: 320, height: 0};
  let links = {lists: [], least: 0, drawn: 0, all: 0};
  let focus = null;  // {side, index}: what is pointed at
  let span = {top: 0, bottom: 0};  // what the canvas covers
  let laidOut = "";
  let frame = 0;

  for (const [list, side] of [[queries, "query"], [keys, "key"]]) {
    list.addEventListener("pointerover", (event) => point(side, event));
    list.addEventListener("pointerleave", () => point(side, null));
    list.addEventListener("focusin", (event) => point(side, event));
    list.addEventListener("focusout", () => point(side, null));
    list.addEventListener("click", (event) => {
      const index = indexOf(event.target);
      if (index !== null) pin(side, index);
    });
    list.addEventListener("keydown", (event) => move(event, side));
  }
  const sized = new ResizeObserver(() => layOut(true));
  sized.observe(root);

  function indexOf(target) {
    const token = target.closest?.("[data-i]");
    return token ? Number(token.dataset.i) : null;
  }

  function point(side, event) {
    const index = event ? indexOf(event.target) : null;
    if (event && index === null) return;
    if (focus?.side === side && focus.index === index) return;
    if (index === null && focus?.side !== side) return;
    focus = index === null ? null : {side, index};
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      hover(focus?.side ?? side, focus?.index ?? null);
      draw();
    });
  }

  function move(event, side) {
    const list = side === "query" ? queries : keys;
    const at = indexOf(document.activeElement);
    if (at === null) return;
    const last = list.children.length - 1;
    const to = {ArrowDown: Math.min(last, at + 1), ArrowUp: Math.max(0, at - 1), Home: 0, End: last,
      PageDown: Math.min(last, at + 10), PageUp: Math.max(0, at - 10)}[event.key];
    if (to !== undefined) focusOn(list, to);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const other = event.key === "ArrowLeft" ? queries : keys;
      focusOn(other, Math.min(at, other.children.length - 1));
    } else if (event.key === "Enter" || event.key === " ") pin(side, at);
    else if (event.key === "Escape") pin(side, null);
    else return;
    event.preventDefault();
  }

  function focusOn(list, index) {
    for (const token of list.querySelectorAll("[tabindex='0']")) token.tabIndex = -1;
    list.children[index].tabIndex = 0;
    list.children[index].focus();
  }

  function layOut(force) {
    const width = Math.min(root.clientWidth, widest);
    if (!width || !given.look) return;
    const count = Math.max(labels.queries.length, labels.keys.length);
    const row = count <= 22 ? 28 : count <= 60 ? 23 : 18;
    const name = JSON.stringify([width, row, labels]);
    if (name === laidOut && !force) return;
    laidOut = name;
    const font = Math.min(15.5, row * 0.62);
    const measure = canvas.getContext("2d");
    measure.setTransform(1, 0, 0, 1, 0, 0);
    measure.font = `${font}px ${getComputedStyle(root).fontFamily}`;
    const longest = Math.max(
      ...[...labels.queries, ...labels.keys].slice(0, 400).map((text) => measure.measureText(text).width));
    const column = Math.min(Math.ceil(longest) + 18, Math.floor(width * 0.36));
    place = {row, column, gap: width - 2 * column, left: column, right: width - column, height: count * row, width};
    picture.style.setProperty("--row", `${row}px`);
    picture.style.setProperty("--font", `${font}px`);
    picture.style.setProperty("--column", `${column}px`);
    picture.style.width = `${width}px`;
    picture.style.height = `${place.height}px`;
    fill(queries, labels.queries);
    fill(keys, labels.keys);
    span = {top: 0, bottom: 0};
    cover();
  }

  function fill(list, texts) {
    if (list.children.length === texts.length && texts.every((text, i) => list.children[i].textContent === text))
      return;
    const token = (text, i) => el("div", {role: "option", class: text.startsWith("·") ? "token inner" : "token",
      "data-i": i, tabindex: i === 0 ? 0 : -1}, text);
    list.replaceChildren(...texts.map(token));
  }

  // Moves the canvas to what is in sight, with half as much again above and below, if it does not cover it.
  function cover() {
    const sight = scroller.clientHeight || 600;
    const [top, bottom] = [scroller.scrollTop, Math.min(place.height, scroller.scrollTop + sight)];
    if (top >= span.top && bottom <= span.bottom && span.bottom > span.top) return false;
    const more = Math.ceil(sight / 2);
    span = {top: Math.max(0, Math.floor(top - more)), bottom: Math.min(place.height, Math.ceil(bottom + more))};
    canvas.style.top = `${span.top}px`;
    draw();
    return true;
  }

  function scrolled() {
    if (!cover() && focus) draw();
  }

  function draw() {
    const {look, attention, layer, heads, query, key, off} = given;
    if (!look || !place.width) return;
    const context = prepared(canvas, place.width, Math.max(1, span.bottom - span.top));
    context.translate(0, -span.top);
    const pinned = [];
    if (query !== null && query < labels.queries.length) pinned.push({side: "query", index: query});
    if (key !== null && key < labels.keys.length) pinned.push({side: "key", index: key});
    const kept = focus ? [focus] : pinned;
    let {top, bottom} = span;
    if (focus) {  // changes at once with the pointer: only what is in sight
      top = scroller.scrollTop;
      bottom = Math.min(bottom, top + scroller.clientHeight);
      context.beginPath();
      context.rect(0, top, place.width, bottom - top);
      context.clip();
    }
    if (!kept.length) drawLinks(context, links.lists, place, top, bottom, off);
    for (const {side, index} of kept) {
      drawLinks(context, linksOf(look, attention, layer, heads, side, index).lists, place, top, bottom, off);
    }
    const strip = Math.min(place.gap * 0.2, Math.max(10, heads.size * 7));
    for (const one of kept.slice(0, 1)) {
      const x = one.side === "query" ? place.right - strip : place.left;
      drawCells(context, look, given, one, place, x, strip, top, bottom);
    }
    mark(queries, query, focus?.side === "query" ? focus.index : null);
    mark(keys, key, focus?.side === "key" ? focus.index : null);
  }

  function mark(list, pinned, pointed) {
    for (const token of list.querySelectorAll(".pinned, .pointed")) {
      token.classList.remove("pinned", "pointed");
      token.setAttribute("aria-selected", "false");
    }
    list.children[pinned]?.classList.add("pinned");
    list.children[pinned]?.setAttribute("aria-selected", "true");
    list.children[pointed]?.classList.add("pointed");
  }

  return {
    update() {
      const before = given;
      given = get();
      if (!given.look) return;
      labels = given.look.tokens(given.attention);
      queries.setAttribute("aria-label", `Queries: ${sideNames[given.look.sides(given.attention).queries]}`);
      keys.setAttribute("aria-label", `Keys: ${sideNames[given.look.sides(given.attention).keys]}`);
      const same = before.look === given.look && before.attention === given.attention && before.layer === given.layer &&
        before.heads === given.heads && before.merged === given.look.merged && before.least === given.least;
      given.merged = given.look.merged;
      if (!same) links = strongest(given.look, given.attention, given.layer, given.heads, given.least);
      if (before.look !== given.look || before.attention !== given.attention || before.merged !== given.merged)
        focus = null;
      layOut(false);
      draw();
    },
    get links() { return links; },
    get focus() { return focus; },
    /** Brings a token into sight and gives it the focus. */
    show(side, index) {
      focusOn(side === "query" ? queries : keys, index);
    },
    destroy() {
      cancelAnimationFrame(frame);
      sized.disconnect();
    },
    svg(heading) {
      const {look, attention, layer, heads, query, key} = given;
      const lists = query !== null ? linksOf(look, attention, layer, heads, "query", query).lists
        : key !== null ? linksOf(look, attention, layer, heads, "key", key).lists : links.lists;
      return linksSvg(labels, lists, place, heading);
    },
  };
}

export const sideNames = {src: "source", tgt: "translation", read: "translation read so far"};
