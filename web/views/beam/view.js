// Beam: the tree of the beam search, with every candidate of every step, its score and its fate, and the path that won.
// Only the visible steps are in the page, so that long searches scroll smoothly.

import {number} from "../../core/format.js";
import {joinedText, pathOf, searchTree} from "../../core/search_tree.js";
import {checkBox, controlBar, Segmented} from "../../parts/controls.js";
import {el, svg} from "../../parts/elements.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {translationPicker} from "../../parts/pickers.js";
import {text as strings} from "../../strings/beam.js";
import {candidateDetails, resultTable} from "./details.js";
import {fateOf, stopText} from "./fates.js";
import {layout, TreePicture} from "./tree_picture.js";

const sizes = [[0.6, "60 %"], [0.8, "80 %"], [1, "100 %"], [1.3, "130 %"]].map(([value, text]) => ({value, text}));
const defaultExtraTokens = 50;  // that a search may write beyond the length of the source

export class View {
  #app;
  #drawsDead = true;    // whether candidates that were never part of the beam are drawn
  #scale = 1;
  #trace = null;        // the trace that the tree was made from
  #picture = null;      // a TreePicture
  #limit = {};          // see fates.js
  #focused = null;      // the node that the Tab key goes to
  #path = new Set();    // the chosen node and its ancestors
  #steps = new Map();   // step -> its {lines, boxes} in the page

  constructor(root, app) {
    this.#app = app;
    this.controls = this.#createControls();
    this.status = el("p", {class: "empty"});
    this.useBeam = el("button", {type: "button", hidden: true, onclick: () => this.#showBeamSearch()},
      strings.showBeam);
    this.edges = svg("g", {class: "edges", "aria-hidden": "true"});
    this.nodes = svg("g", {});
    this.canvas = svg("svg", {class: "tree", role: "tree", "aria-label": strings.tree,
      onkeydown: (event) => this.#onKey(event)}, this.edges, this.nodes);
    this.scroller = el("div",
      {class: "tree-scroll", onscroll: () => requestAnimationFrame(() => this.#fill())}, this.canvas);
    this.details = el("div", {class: "tree-details", "aria-hidden": "true"});
    this.results = el("div", {class: "tree-results"});
    this.body = el("div", {class: "beam"},
      el("div", {class: "tree-box"}, this.scroller, this.details), el("p", {class: "note tree-note"}, strings.boxes), this.results);
    root.append(this.controls.element, this.status, this.useBeam, this.body);
    this.resized = new ResizeObserver(() => this.#fill());
    this.resized.observe(this.scroller);
  }

  update() {
    this.controls.update();
    const {trace, offline} = this.#app;
    this.useBeam.hidden = offline || !trace || trace.beam.length > 0;
    if (!trace) {
      this.#show(noTranslationText(this.#app, strings.shows));
    } else if (!trace.beam.length) {
      this.#show(strings.noTree);
    } else if (this.#trace !== trace) {
      this.#showTree(trace);
    }
  }

  svg() {
    if (!this.#picture) return null;
    const firstVisible = Math.max(-1, Math.floor(this.scroller.scrollLeft / this.#scale / layout.column) - 1);
    const picture = this.#picture.exported(firstVisible, (node) => this.#attributesOf(node));
    this.#markPath(picture);
    return picture;
  }

  destroy() { this.resized.disconnect(); }

  // The original translation if it was found by a beam search, or else one with this change.
  #showBeamSearch() {
    const original = this.#app.plain?.beam.length;
    this.#app.set(original ? {show: "plain"} : {search: "beam", show: "changed"});
  }

  #createControls() {
    const dead = checkBox(strings.dropped, () => this.#drawsDead, (value) => {
      this.#drawsDead = value;
      if (this.#picture) this.#picture.drawsDead = value;
      this.#redraw();
    }, strings.droppedTitle);
    const size = new Segmented(strings.size, () => sizes, () => this.#scale, (value) => {
      this.#scale = value;
      this.#redraw();
    });
    return controlBar(translationPicker(this.#app), dead, size);
  }

  // Shows a sentence instead of the tree, or the tree if it is empty.
  #show(text) {
    if (text) this.#trace = null;
    this.status.textContent = text;
    this.status.hidden = text === "";
    this.body.hidden = text !== "";
  }

  #showTree(trace) {
    this.#trace = trace;
    const search = {...this.#app.model?.search, ...this.#app.shownResult.request};
    const tree = searchTree(trace.beam, {places: search.beam, norm: trace.norm});
    this.#picture = new TreePicture(tree, this.#drawsDead);
    this.#limit = this.#limitOf(trace, search);
    this.#focused = tree.root;
    this.#path = new Set();
    this.#show("");
    this.#redraw();
    this.scroller.scrollLeft = 0;
    const why = el("p", {class: "note"}, stopText(tree, this.#limit));
    this.results.replaceChildren(
      why, ...(tree.ended.length ? [resultTable(tree, (node) => this.#focusOn(node))] : []));
    this.#showDetails(tree.best);
  }

  #limitOf(trace, search) {
    const limit = {most: trace.src.length - 1 + (search.max_extra ?? defaultExtraTokens), asked: search.n_best ?? 1,
      stop: search.stop, rules: search.rules ?? "paper"};
    const {positions, "max-positions": rows, "first-position": first = 0} = this.#app.model?.config ?? {};
    if (positions === "learned" && rows) limit.most = Math.min(limit.most, rows - first);
    return limit;
  }

  #redraw() {
    this.controls.update();
    if (!this.#picture) return;
    const {width, height} = this.#picture.size;
    this.canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.canvas.setAttribute("width", width * this.#scale);
    this.canvas.setAttribute("height", height * this.#scale);
    for (const {boxes} of this.#steps.values()) boxes.remove();
    this.#steps = new Map();
    this.edges.replaceChildren();
    this.#fill();
  }

  // Adds the visible steps to the picture and removes the others, except one that has the focus.
  #fill() {
    if (!this.#picture || this.body.hidden) return;
    const {scrollLeft, clientWidth} = this.scroller;
    const begin = Math.floor(scrollLeft / this.#scale / layout.column) - 3;
    const end = Math.ceil((scrollLeft + clientWidth) / this.#scale / layout.column) + 2;
    for (const [step, {lines, boxes}] of this.#steps) {
      if ((step >= begin && step <= end) || boxes.contains(document.activeElement)) continue;
      lines.remove();
      boxes.remove();
      this.#steps.delete(step);
    }
    const last = Math.min(end, this.#picture.tree.steps.length - 1);
    for (let step = Math.max(-1, begin); step <= last; ++step) {
      if (!this.#steps.has(step)) {
        this.#steps.set(step, this.#picture.drawStep(step, this, (node) => this.#attributesOf(node)));
        this.#markPath(this.#steps.get(step).boxes);
      }
    }
    if (!this.nodes.querySelector('[tabindex="0"]')) {
      this.nodes.querySelector("g.winner, g.node")?.setAttribute("tabindex", "0");
    }
  }

  // The attributes that make a box part of the page.
  #attributesOf(node) {
    return {
      role: "treeitem", "aria-level": node.step + 2, "aria-label": this.#labelOf(node),
      tabindex: node === this.#focused ? "0" : "-1",
      onfocus: () => this.#choose(node), onclick: (event) => event.currentTarget.focus(),
      onpointerenter: () => this.#pointAt(node),
    };
  }

  #labelOf(node) {
    if (!node.parent) return strings.startLabel;
    const words = joinedText(pathOf(node)) || strings.nothing;
    const path = node.token === "</s>" ? strings.ended(words) : words;
    return strings.nodeLabel(node.step + 1, path, number(node.score), this.#fate(node));
  }

  #fate(node) {
    const {tree} = this.#picture;
    const isForced = this.#app.state.prefix !== "" && node.fate === "alive" && tree.steps[node.step].length === 1;
    return isForced ? strings.forced : fateOf(tree, node, this.#limit);
  }

  // Arrow keys: left to the parent, right to the best continuation, up and down within the step.
  #onKey(event) {
    const node = event.target.closest?.("g.node")?.node;
    if (!node) return;
    const {tree} = this.#picture;
    const step = this.#picture.nodesAt(node.step);
    const index = step.indexOf(node);
    const children = node.children.filter((child) => this.#picture.isDrawn(child));
    const moves = {
      ArrowLeft: node.parent, ArrowRight: children.find((child) => child.winner) ?? children[0],
      ArrowUp: step[index - 1], ArrowDown: step[index + 1], Home: tree.root, End: tree.best,
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    if (moves[event.key]) this.#focusOn(moves[event.key]);
  }

  #focusOn(node) {
    const {scroller} = this;
    const {x, y} = this.#picture.placeOf(node);
    const [left, right] = [x * this.#scale - 60, (x + layout.box.width) * this.#scale + 60];
    if (left < scroller.scrollLeft) scroller.scrollLeft = left;
    if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
    if (y * this.#scale < scroller.scrollTop) scroller.scrollTop = y * this.#scale - 20;
    this.#fill();
    const boxes = [...(this.#steps.get(node.step)?.boxes.children ?? [])];
    boxes.find((box) => box.node === node)?.focus({preventScroll: true});
  }

  // A node that has got the focus.
  #choose(node) {
    this.nodes.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    this.#focused = node;
    for (const box of this.nodes.querySelectorAll("g.node")) {
      if (box.node === node) box.setAttribute("tabindex", "0");
    }
    this.#pointAt(node);
  }

  // Shows the path and the details of a node.
  #pointAt(node) {
    this.#path = new Set();
    for (let at = node; at; at = at.parent) this.#path.add(at);
    this.#markPath(this.nodes);
    this.#showDetails(node);
  }

  #markPath(group) {
    for (const box of group.querySelectorAll("g.node")) box.classList.toggle("on-path", this.#path.has(box.node));
  }

  #showDetails(node) {
    const fate = node.parent ? this.#fate(node) : "";
    this.details.replaceChildren(...candidateDetails(this.#picture.tree, node, fate));
  }
}
