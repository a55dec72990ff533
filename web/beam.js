// The tree of the beam search: every candidate of every step with its score and its fate, and the path that won. Only
// the steps in sight are in the page, so that long searches scroll as smoothly as short ones.

import {bar, check, segmented, showPicker} from "dragoman/controls.js";
import {el, number, svg} from "dragoman/draw.js";
import {shownResult} from "dragoman/picks.js";
import {
  fateOf, joined, lengthPenalty, ownLogp, pathOf, penaltyFormula, searchTree, shown, stopOf,
} from "dragoman/searchtree.js";

const column = 132;  // pixels from step to step
const line = 40;     // from candidate to candidate
const head = 32;     // above the first
const node = {width: 96, height: 32};
const sizes = [[0.6, "60 %"], [0.8, "80 %"], [1, "100 %"], [1.3, "130 %"]];

export function beamView(root, app) {
  let dead = true;         // whether those that were crowded out are drawn
  let scale = 1;
  let tree = null;
  let of = null;           // the look that the tree is of
  let limit = {};
  let focused = null;      // the candidate that the Tab key comes to
  let path = new Set();    // the candidate that is looked at, and those that it came from
  let groups = new Map();  // step -> its group in the picture

  const deaths = check("Candidates that died", () => dead, (value) => {
    dead = value;
    redraw();
  }, "Also those that were never part of the beam, because better ones filled it");
  const zoom = segmented("Size", () => sizes.map(([value, text]) => ({value, text})), () => scale, (value) => {
    scale = value;
    redraw();
  });
  const controls = bar(showPicker(app), deaths, zoom);
  const status = el("p", {class: "empty"});
  const name = "Search tree; arrow keys move from hypothesis to hypothesis";
  const picture = svg("svg", {class: "tree", role: "tree", "aria-label": name, onkeydown: move});
  const edges = svg("g", {class: "edges", "aria-hidden": "true"});
  const nodes = svg("g", {});
  picture.append(edges, nodes);
  const scroller = el("div", {class: "tree-scroll", onscroll: () => requestAnimationFrame(fill)}, picture);
  const details = el("div", {class: "tree-details", "aria-hidden": "true"});
  const results = el("div", {class: "tree-results"});
  const body = el("div", {class: "beam"}, el("div", {class: "tree-box"}, scroller, details), results);
  root.append(controls.element, status, body);
  const watch = new ResizeObserver(() => fill());
  watch.observe(scroller);

  const drawn = (at) => dead || at.rank >= 0 || at.fate === "finished";
  const listed = (step) => tree.steps[step].filter(drawn);
  const place = (at) => (
    {x: 10 + (at.step + 1) * column, y: head + (at.step < 0 ? 0 : listed(at.step).indexOf(at)) * line});

  function update() {
    controls.update();
    const {look} = app;
    if (!look) return show("Translate a sentence first: this view shows how its translation was searched for.");
    if (!look.beam.length) {
      return show("There is no tree: a greedy search and sampling follow one hypothesis. Choose beam search under " +
        "“What if”.");
    }
    if (of === look) return undefined;
    of = look;
    const {request} = shownResult(app);
    const search = {...app.model?.search, ...request};
    tree = searchTree(look.beam, {places: search.beam, norm: look.trace.norm});
    limit = {most: look.src.length - 1 + (search.max_extra ?? 50), asked: search.n_best ?? 1, stop: search.stop};
    const {positions, "max-positions": most} = app.model?.config ?? {};
    if (positions === "learned" && most) limit.most = Math.min(limit.most, most);
    focused = tree.root;
    path = new Set();
    show("");
    redraw();
    scroller.scrollLeft = 0;
    drawResults();
    details.replaceChildren(...candidateParts(tree.best));
    return undefined;
  }

  function show(text) {
    if (text) of = null;
    status.textContent = text;
    status.hidden = text === "";
    body.hidden = text !== "";
  }

  function size() {
    const most = Math.max(...tree.steps.map((_, step) => listed(step).length));
    return {width: 10 + (tree.steps.length + 1) * column, height: head + 4 + most * line};
  }

  function redraw() {
    controls.update();
    if (!tree) return;
    const {width, height} = size();
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.setAttribute("width", width * scale);
    picture.setAttribute("height", height * scale);
    for (const group of groups.values()) group.remove();
    groups = new Map();
    edges.replaceChildren();
    fill();
  }

  // Puts the steps that are in sight into the picture and takes the others out.
  function fill() {
    if (!tree || body.hidden) return;
    const begin = Math.floor(scroller.scrollLeft / scale / column) - 3;
    const end = Math.ceil((scroller.scrollLeft + scroller.clientWidth) / scale / column) + 2;
    for (const [step, group] of groups) {
      if (step >= begin && step <= end) continue;
      if (group.contains(document.activeElement)) continue;
      group.lines.remove();
      group.remove();
      groups.delete(step);
    }
    for (let step = Math.max(-1, begin); step <= Math.min(end, tree.steps.length - 1); ++step) {
      if (!groups.has(step)) groups.set(step, draw(step, edges, nodes));
    }
    if (!nodes.querySelector('[tabindex="0"]')) nodes.querySelector("g.winner, g.node")?.setAttribute("tabindex", "0");
  }

  function draw(step, lines, boxes) {
    const list = step < 0 ? [tree.root] : listed(step);
    const group = svg("g", {});
    group.lines = svg("g", {});
    const label = step < 0 ? "start" : `step ${step + 1}`;
    const middle = 10 + (step + 1) * column + node.width / 2;
    const place = {x: middle, y: 16, "text-anchor": "middle"};
    group.append(svg("text", {...place, class: "step-name", "aria-hidden": "true"}, label));
    for (const at of list) {
      if (at.parent) group.lines.append(edge(at));
      group.append(box(at));
    }
    lines.append(group.lines);
    boxes.append(group);
    return group;
  }

  function edge(at) {
    const [from, to] = [place(at.parent), place(at)];
    const [x1, y1, x2, y2] = [from.x + node.width, from.y + node.height / 2, to.x, to.y + node.height / 2];
    const bend = (x1 + x2) / 2;
    return svg("path", {d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`, class: `edge ${kind(at)}`});
  }

  function box(at) {
    const {x, y} = place(at);
    const group = svg("g", {
      class: `node ${kind(at)}${path.has(at) ? " on-path" : ""}`, transform: `translate(${x} ${y})`,
      role: "treeitem", "aria-level": at.step + 2, "aria-label": spoken(at), tabindex: at === focused ? "0" : "-1",
      onfocus: () => tell(at), onclick: () => group.focus(), onpointerenter: () => tell(at, true),
    });
    group.node = at;
    const text = shown(at.token);
    const most = 10;
    group.append(svg("rect", {width: node.width, height: node.height, rx: 4}),
      svg("text", {x: 8, y: 14, class: "node-token"}, text.length > most ? `${text.slice(0, most - 1)}…` : text),
      svg("text", {x: 8, y: 27, class: "node-score"}, at.parent ? number(at.score) : ""));
    if (at.fate === "finished") {
      const inner = {width: node.width - 5, height: node.height - 5};
      group.append(svg("rect", {x: 2.5, y: 2.5, ...inner, rx: 2.5, class: "double"}));
    }
    return group;
  }

  const kind = (at) => (at.winner ? "winner" : at.fate.replace(" ", "-"));
  const spoken = (at) => {
    if (!at.parent) return "Start of the search";
    const text = `${joined(pathOf(at)) || "nothing"}${at.token === "</s>" ? ", end" : ""}`;
    return `Step ${at.step + 1}: ${text}; score ${number(at.score)}. ${fate(at)}`;
  };
  const fate = (at) => {
    const forced = app.state.prefix !== "" && at.fate === "alive" && tree.steps[at.step].length === 1;
    return forced ? "Forced: the translation is to begin so." : fateOf(tree, at, limit, number);
  };

  // Arrow keys: left to where it came from, right to its best continuation, up and down within the step.
  function move(event) {
    const at = event.target.closest?.("g.node")?.node;
    if (!at) return;
    const mates = at.step < 0 ? [at] : listed(at.step);
    const index = mates.indexOf(at);
    const onward = at.children.filter(drawn);
    const moves = {
      ArrowLeft: at.parent, ArrowRight: onward.find((child) => child.winner) ?? onward[0],
      ArrowUp: mates[index - 1], ArrowDown: mates[index + 1], Home: tree.root, End: tree.best,
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    if (moves[event.key]) focusOn(moves[event.key]);
  }

  function focusOn(at) {
    const {x, y} = place(at);
    const [left, right] = [x * scale - 60, (x + node.width) * scale + 60];
    if (left < scroller.scrollLeft) scroller.scrollLeft = left;
    if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
    if (y * scale < scroller.scrollTop) scroller.scrollTop = y * scale - 20;
    fill();
    const group = [...(groups.get(at.step)?.children ?? [])].find((child) => child.node === at);
    group?.focus({preventScroll: true});
  }

  // The details of a candidate, and its path in the picture.
  function tell(at, passing = false) {
    if (!passing) {
      nodes.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
      focused = at;
    }
    path = new Set();
    for (let walk = at; walk; walk = walk.parent) path.add(walk);
    for (const group of nodes.querySelectorAll("g.node")) {
      group.classList.toggle("on-path", path.has(group.node));
      if (!passing && group.node === at) group.setAttribute("tabindex", "0");
    }
    details.replaceChildren(...candidateParts(at));
  }

  function candidateParts(at) {
    if (!at.parent) return [el("p", {}, "The search begins with the start token alone.")];
    const length = at.step + 1;
    const divisor = lengthPenalty(tree.norm, length);
    const text = joined(pathOf(at));
    const own = ownLogp(at);
    const fact = (title, value) => [el("dt", {}, title), el("dd", {class: "number"}, value)];
    return [
      el("h3", {}, text || "(nothing yet)", at.token === "</s>" ? el("span", {class: "end"}, " end") : null),
      el("p", {}, fate(at)),
      el("dl", {class: "sums"},
        fact(`log P(“${shown(at.token)}”) after what came before`,
          `${number(own, 4)}  (P = ${number(Math.exp(own), 4)})`),
        fact(`sum over ${length} ${length === 1 ? "token" : "tokens"}`, number(at.logp, 4)),
        fact(`length norm ${penaltyFormula(tree.norm, length)}`, number(divisor, 4)),
        fact("score = sum / norm", number(at.score, 4))),
    ];
  }

  function drawResults() {
    const why = el("p", {class: "note"}, stopOf(tree, limit, number));
    if (!tree.ended.length) {
      results.replaceChildren(why);
      return;
    }
    const titles = ["", "Translation", "log P", "tokens", "norm", "score"];
    const norm = tree.norm.replace(":", ", α = ");
    results.replaceChildren(why, el("div", {class: "scroll-x"}, el("table", {},
      el("caption", {}, el("span", {}, `Hypotheses that ended, the best ${tree.ended.length}; length norm ${norm}`)),
      el("thead", {}, el("tr", {}, titles.map((title) => el("th", {scope: "col"}, title)))),
      el("tbody", {}, tree.ended.map(resultRow)))));
  }

  function resultRow(end, at) {
    const length = end.step + 1;
    const go = el("button", {type: "button", onclick: () => focusOn(end)}, joined(pathOf(end)) || "(empty)");
    const numbers = [number(end.logp), String(length), number(lengthPenalty(tree.norm, length)), number(end.score)];
    return el("tr", {class: at === 0 ? "row-chosen" : null}, el("td", {}, String(at + 1)), el("th", {scope: "row"}, go),
      numbers.map((text) => el("td", {}, text)));
  }

  // The whole tree, or of a long search the steps in sight.
  function whole() {
    if (!tree) return null;
    const {width, height} = size();
    const few = tree.steps.length <= 80;
    const begin = few ? -1 : Math.max(-1, Math.floor(scroller.scrollLeft / scale / column) - 1);
    const end = few ? tree.steps.length - 1 : Math.min(tree.steps.length - 1, begin + 40);
    const left = few ? 0 : (begin + 1) * column;
    const shownWidth = few ? width : (end - begin + 1) * column + 10;
    const out = svg("svg", {viewBox: `${left} 0 ${shownWidth} ${height}`, width: shownWidth, height, class: "tree"});
    const [lines, boxes] = [svg("g", {class: "edges"}), svg("g", {})];
    out.append(lines, boxes);
    for (let step = begin; step <= end; ++step) draw(step, lines, boxes);
    return out;
  }

  return {update, svg: whole, destroy: () => watch.disconnect()};
}
