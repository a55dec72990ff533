// The heads as dots: to the right those that look far away, at the top those that look at many words. Colour and shape
// tell the attention site; heads with a role have it beside them where there is room.

import {number} from "../../core/format.js";
import {mixed} from "../../core/survey.js";
import {headColour} from "../../parts/colours.js";
import {el, moveFocus, svg} from "../../parts/elements.js";
import {hideTooltip, showTooltip} from "../../parts/tooltip.js";
import {roleName} from "../../strings/roles.js";
import {text} from "../../strings/ranking.js";

const margin = {left: 44, right: 14, top: 14, bottom: 40};
const radius = 6;
const [letterWidth, lineHeight] = [6.2, 13];  // of a label, in pixels

const shapes = [
  (r) => svg("circle", {r}),
  (r) => svg("rect", {x: -r * 0.9, y: -r * 0.9, width: r * 1.8, height: r * 1.8}),
  (r) => svg("path", {d: `M0 ${-r * 1.2}L${r * 1.1} ${r * 0.8}H${-r * 1.1}Z`}),
  (r) => svg("path", {d: `M0 ${-r * 1.25}L${r * 1.25} 0L0 ${r * 1.25}L${-r * 1.25} 0Z`}),
];

/** The shape and the colour of the heads of a site, by its index. */
const mark = (site, r = radius) => {
  const shape = shapes[site % shapes.length](r);
  shape.setAttribute("fill", headColour(site));
  return shape;
};

/** What the shapes mean, for the sites of a model. */
export const legend = (sites) => el("ul", {class: "scatter-legend"}, sites.map(({title}, site) => el("li", {},
  svg("svg", {viewBox: "-9 -9 18 18", width: 18, height: 18, "aria-hidden": "true"}, mark(site)), title)));

// Round numbers from 0 to at least `most`: at most six steps.
function ticksTo(most) {
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200].find((size) => most / size <= 6) ?? most / 5;
  return Array.from({length: Math.max(1, Math.ceil(most / step - 1e-9)) + 1}, (_, i) => i * step);
}

export class Scatter {
  #app;
  #choose;
  #dots = [];

  /** `choose(entry)` is called when a head is clicked. */
  constructor(app, choose) {
    this.#app = app;
    this.#choose = choose;
    this.element = el("div", {class: "scatter"});
  }

  /**
   * Draws the entries; the axes reach as far as those of `all` need, so that filters do not move the dots. `inWords` says
   * whether distances are counted in words, and not in pieces.
   */
  show(entries, all, inWords) {
    const width = Math.max(280, Math.min(920, this.element.clientWidth || 640));
    const focused = this.#dots.findIndex(({dot}) => dot === document.activeElement);
    const picture = this.picture(entries, all, {width, inWords});
    this.element.replaceChildren(picture);
    if (focused >= 0) this.#dots[Math.min(focused, this.#dots.length - 1)]?.dot.focus({preventScroll: true});
  }

  /** The picture alone, for the page and for export. */
  picture(entries, all, {width, inWords}) {
    const height = Math.round(Math.min(460, Math.max(280, width * 0.55)));
    const [xTicks, yTicks] = ["distance", "entropy"].map(
      (name) => ticksTo(Math.max(0.1, ...all.map((one) => one[name]))));
    const x = (value) => margin.left + (value / xTicks.at(-1)) * (width - margin.left - margin.right);
    const y = (value) => height - margin.bottom - (value / yTicks.at(-1)) * (height - margin.top - margin.bottom);
    const places = entries.map((entry) => ({entry, x: x(entry.distance), y: y(entry.entropy)}));
    this.#dots = places.map((place) => ({...place, dot: this.#dot(place)}));
    const chosen = Math.max(0, this.#dots.findIndex(({entry}) => this.#isChosen(entry)));
    this.#dots[chosen]?.dot.setAttribute("tabindex", "0");
    const out = svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
      "aria-label": text.scatter(entries.length), onkeydown: (event) => this.#onKey(event)},
    ...axes({x, y, xTicks, yTicks, width, height, inWords}), ...this.#dots.map(({dot}) => dot), ...labels(places, width));
    if (!entries.length) {
      out.append(svg("text", {x: width / 2, y: height / 2, "text-anchor": "middle", class: "label"}, text.none));
    }
    return out;
  }

  #isChosen({attention, layer, head}) {
    const {state} = this.#app;
    return attention === state.attention && layer === state.layer && head === state.head;
  }

  #dot({entry, x, y}) {
    const site = this.#app.sites.indexOf(this.#app.site(entry.attention));
    const name = this.#app.headTitle(entry.attention, entry.layer, entry.head);
    const numbers = `${text.distance} ${number(entry.distance, 2)}, ${text.entropy} ${number(entry.entropy, 2)}`;
    const show = () => {
      const box = dot.getBoundingClientRect();
      showTooltip(box.x + box.width / 2, box.y + box.height / 2, el("strong", {}, name), el("br"), numbers);
    };
    const dot = svg("g", {
      class: "dot", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, role: "button", tabindex: "-1",
      "aria-label": `${name}: ${numbers}`, "aria-pressed": String(this.#isChosen(entry)),
      onclick: () => this.#choose(entry), onpointerenter: show, onpointerleave: hideTooltip,
      onfocus: show, onblur: hideTooltip,
    }, svg("circle", {r: radius + 4, class: "dot-ring"}), mark(Math.max(0, site)));
    return dot;
  }

  #onKey(event) {
    const dots = this.#dots.map(({dot}) => dot);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      const focused = this.#dots.find(({dot}) => dot === document.activeElement);
      if (focused) this.#choose(focused.entry);
      return;
    }
    moveFocus(event, dots, {back: "ArrowLeft", forward: "ArrowRight"});
  }
}

function axes({x, y, xTicks, yTicks, width, height, inWords}) {
  const [bottom, right] = [height - margin.bottom, width - margin.right];
  const digits = (ticks) => (ticks[1] < 1 ? 1 : 0);
  return [
    ...xTicks.flatMap((tick) => [
      svg("line", {x1: x(tick), x2: x(tick), y1: margin.top, y2: bottom, class: "curve-grid"}),
      svg("text", {x: x(tick), y: bottom + 15, "text-anchor": "middle", class: "curve-label"},
        tick.toFixed(digits(xTicks))),
    ]),
    ...yTicks.flatMap((tick) => [
      svg("line", {x1: margin.left, x2: right, y1: y(tick), y2: y(tick), class: "curve-grid"}),
      svg("text", {x: margin.left - 6, y: y(tick) + 4, "text-anchor": "end", class: "curve-label"},
        tick.toFixed(digits(yTicks))),
    ]),
    svg("text", {x: (margin.left + right) / 2, y: height - 6, "text-anchor": "middle", class: "curve-label"},
      inWords ? text.distanceInWords : text.distanceInPieces),
    svg("text", {transform: `translate(11 ${(margin.top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle",
      class: "curve-label"}, text.entropyAxis),
  ];
}

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

// The roles beside the dots. A label that would cover a dot or another label is left out; the tooltip has it.
function labels(places, width) {
  const taken = places.map(({x, y}) => ({left: x - radius, right: x + radius, top: y - radius, bottom: y + radius}));
  return places.flatMap(({entry, x, y}) => {
    if (!entry.role || entry.role === mixed) return [];
    const label = `${roleName(entry.role)} ${entry.layer + 1}.${entry.head + 1}`;
    const long = [...label].reduce((sum, letter) => sum + (letter > "\u2e80" ? 2 : 1), 0) * letterWidth;
    const sides = [{dx: radius + 4, dy: 4}, {dx: -radius - 4 - long, dy: 4}, {dx: -long / 2, dy: -radius - 5},
      {dx: -long / 2, dy: radius + lineHeight}];
    for (const {dx, dy} of sides) {
      const box = {left: x + dx, right: x + dx + long, top: y + dy - lineHeight + 3, bottom: y + dy + 3};
      if (box.left < margin.left || box.right > width - 2 || box.top < 2) continue;
      if (taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      return [svg("text", {x: box.left, y: y + dy, class: "curve-label dot-label"}, label)];
    }
    return [];
  });
}
