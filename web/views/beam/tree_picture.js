// Draws the tree of a search: a column for each step, a box for each candidate, and lines to their parents.

import {number} from "../../core/format.js";
import {label} from "../../core/tokens.js";
import {svg} from "../../parts/elements.js";
import {text as strings} from "../../strings/beam.js";

/** Pixels: the left margin, from step to step, from candidate to candidate, above the first candidate, and of a box. */
export const layout = {left: 10, column: 132, line: 40, top: 32, box: {width: 96, height: 32}};

const mostLetters = 10;
const mostSteps = 80;      // of longer searches only `exportedSteps` are exported
const exportedSteps = 40;

export class TreePicture {
  /** `drawsDead` says whether candidates that were never part of the beam are drawn. */
  constructor(tree, drawsDead) {
    this.tree = tree;
    this.drawsDead = drawsDead;
  }

  isDrawn(node) { return this.drawsDead || node.rank >= 0 || node.fate === "finished"; }

  /** The drawn nodes of a step; the root is step -1. */
  nodesAt(step) {
    return step < 0 ? [this.tree.root] : this.tree.steps[step].filter((node) => this.isDrawn(node));
  }

  get size() {
    const most = Math.max(...this.tree.steps.map((_, step) => this.nodesAt(step).length));
    return {
      width: layout.left + (this.tree.steps.length + 1) * layout.column, height: layout.top + 4 + most * layout.line,
    };
  }

  placeOf(node) {
    const row = node.step < 0 ? 0 : this.nodesAt(node.step).indexOf(node);
    return {x: layout.left + (node.step + 1) * layout.column, y: layout.top + row * layout.line};
  }

  /** Adds a step to a picture. `attributes(node)` gives more attributes of a node's group. Returns {lines, boxes}. */
  drawStep(step, {edges, nodes}, attributes) {
    const lines = svg("g", {});
    const middle = layout.left + (step + 1) * layout.column + layout.box.width / 2;
    const boxes = svg("g", {},
      svg("text", {x: middle, y: 16, "text-anchor": "middle", class: "step-name", "aria-hidden": "true"},
        step < 0 ? strings.start : strings.step(step + 1)));
    for (const node of this.nodesAt(step)) {
      if (node.parent) lines.append(this.#edge(node));
      boxes.append(this.#box(node, attributes(node)));
    }
    edges.append(lines);
    nodes.append(boxes);
    return {lines, boxes};
  }

  /** The whole tree for export; of a long search the steps from `firstVisible`. */
  exported(firstVisible, attributes) {
    const {width, height} = this.size;
    const count = this.tree.steps.length;
    const isWhole = count <= mostSteps;
    const begin = isWhole ? -1 : firstVisible;
    const end = isWhole ? count - 1 : Math.min(count - 1, begin + exportedSteps);
    const left = isWhole ? 0 : (begin + 1) * layout.column;
    const shownWidth = isWhole ? width : (end - begin + 1) * layout.column + layout.left;
    const [edges, nodes] = [svg("g", {class: "edges"}), svg("g", {})];
    for (let step = begin; step <= end; ++step) this.drawStep(step, {edges, nodes}, attributes);
    return svg("svg",
      {viewBox: `${left} 0 ${shownWidth} ${height}`, width: shownWidth, height, class: "tree"}, edges, nodes);
  }

  #edge(node) {
    const {width, height} = layout.box;
    const [from, to] = [this.placeOf(node.parent), this.placeOf(node)];
    const [x1, y1, x2, y2] = [from.x + width, from.y + height / 2, to.x, to.y + height / 2];
    const bend = (x1 + x2) / 2;
    return svg("path", {d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`, class: `edge ${kindOf(node)}`});
  }

  #box(node, attributes) {
    const {width, height} = layout.box;
    const {x, y} = this.placeOf(node);
    const text = label(node.token);
    const shortened = text.length > mostLetters ? `${text.slice(0, mostLetters - 1)}…` : text;
    const group = svg("g", {class: `node ${kindOf(node)}`, transform: `translate(${x} ${y})`, ...attributes},
      svg("rect", {width, height, rx: 4}),
      svg("text", {x: 8, y: 14, class: "node-token"}, shortened),
      svg("text", {x: 8, y: 27, class: "node-score"}, node.parent ? number(node.score) : ""),
      node.fate === "finished"
        ? svg("rect", {x: 2.5, y: 2.5, width: width - 5, height: height - 5, rx: 2.5, class: "double"}) : null);
    group.node = node;
    return group;
  }
}

const kindOf = (node) => (node.winner ? "winner" : node.fate.replace(" ", "-"));
