// Ranking: all heads of the model in one table, sorted from local to global or by another column.

import {number} from "../../core/format.js";
import {siteOptions} from "../../core/sites.js";
import {headColour} from "../../parts/colours.js";
import {controlBar, Segmented} from "../../parts/controls.js";
import {el, svg} from "../../parts/elements.js";
import {noTranslationText} from "../../parts/no_translation.js";
import {translationPicker, wordSwitch} from "../../parts/pickers.js";
import {characterOf, headStatistics} from "./statistics.js";

const numberColumns = [
  {name: "distance", title: "Distance, tokens", hint: "mean distance in tokens between a query and what it looks at"},
  {name: "entropy", title: "Entropy, bits", hint: "mean entropy of a query's weights, in bits; 0 if one key has all"},
  {name: "peak", title: "Largest weight", hint: "mean of the largest weight of each query", share: true},
  {name: "own", title: "Same position", hint: "share of the weight on the query's own position", share: true},
  {name: "previous", title: "Previous token", hint: "share on the token before the query", share: true},
  {name: "next", title: "Next token", hint: "share on the token after the query", share: true},
  {name: "first", title: "First token", hint: "share on the first key", share: true},
  {name: "last", title: "Last token, </s>", hint: "share on the last key, the end token of the source", share: true},
];
const columns = [
  {name: "head", title: "Head", hint: "attention, layer, head"}, ...numberColumns,
  {name: "does", title: "Looks mostly at", hint: "where at least half of the weight goes, or else how spread it is"},
];

const shortName = ({attention, layer, head}) => `${attention} ${layer + 1}.${head + 1}`;
const valueText = (value, share) => (value === null ? "–" : share ? `${Math.round(100 * value)} %` : number(value, 2));

export class View {
  #app;
  #sort = {name: "distance", down: false};
  #attention = "all";  // the site whose heads are listed
  #heads = [];         // {attention, layer, head, the statistics, does}
  #longest = 2;        // the largest number of keys
  #of = null;          // {trace, merged} that the heads were computed from

  constructor(root, app) {
    this.#app = app;
    this.controls = controlBar(this.#siteFilter(), wordSwitch(app), translationPicker(app));
    this.status = el("p", {class: "empty"});
    this.titles = el("tr");
    this.body = el("tbody");
    this.table = el("table", {class: "ranking"},
      el("caption", {}, el("span", {}, "Heads of this model and what they do with this sentence. Click a column's " +
        "title to sort by it, or a head to show it in the other views.")),
      el("thead", {}, this.titles), this.body);
    this.note = el("p", {class: "note"}, "A full bar is 100 % or, for distance and entropy, the largest value that " +
      "this sentence allows. In cross-attention the “same position” is as far into the source as the query is into " +
      "the translation, and distance is measured from there. The last column names the token that gets at least half of " +
      "the weight, or else says how spread the weight is.");
    root.append(this.controls.element, this.status, el("div", {class: "scroll-x"}, this.table), this.note);
  }

  update() {
    const {trace, state: {merged}, sites} = this.#app;
    this.controls.update();
    this.status.hidden = trace !== null;
    this.table.hidden = this.note.hidden = trace === null;
    this.status.textContent = trace ? "" : noTranslationText(this.#app, "what each head does with a sentence");
    if (!trace) return;
    if (this.#of?.trace !== trace || this.#of.merged !== merged) {
      this.#of = {trace, merged};
      this.#heads = sites.flatMap((site) => headsOf(trace, site));
      this.#longest = Math.max(2, ...sites.map(({name}) => trace.tokens(name).keys.length));
      if (!sites.includes(this.#app.site(this.#attention))) this.#attention = "all";
    }
    this.#draw();
  }

  svg() {
    const list = this.#sorted();
    return this.#heads.length ? picture(list, this.#largestValues()) : null;
  }

  #siteFilter() {
    return new Segmented("Attention", () => [{value: "all", text: "All"}, ...siteOptions(this.#app.sites)],
      () => this.#attention, (value) => {
        this.#attention = value;
        this.#draw();
      });
  }

  #draw() {
    this.controls.update();
    this.titles.replaceChildren(...columns.map((column) => this.#title(column)));
    const largest = this.#largestValues();
    this.body.replaceChildren(...this.#sorted().map((entry) => this.#row(entry, largest)));
  }

  // The order of the model: by site, layer and head.
  #modelOrder({attention, layer, head}) {
    return this.#app.sites.indexOf(this.#app.site(attention)) * 1e6 + layer * 1e3 + head;
  }

  #sorted() {
    const {name, down} = this.#sort;
    const valueOf = (entry) => (name === "head" ? this.#modelOrder(entry) : entry[name]);
    const listed = this.#heads.filter(({attention}) => this.#attention === "all" || attention === this.#attention);
    return listed.sort((a, b) => {
      const [x, y] = [valueOf(a), valueOf(b)];
      if (x === null || y === null) return (x === null) - (y === null);  // heads without a value come last
      const order = x < y ? -1 : x > y ? 1 : 0;
      return (down ? -order : order) || this.#modelOrder(a) - this.#modelOrder(b);
    });
  }

  // The values whose bars are full, for each column of numbers: the largest that are possible.
  #largestValues() {
    const possible = {distance: this.#longest - 1, entropy: Math.log2(this.#longest)};
    return numberColumns.map(({name}) => possible[name] ?? 1);
  }

  #title(column) {
    const isSorted = this.#sort.name === column.name;
    const {down} = this.#sort;
    const mark = el("span", {"aria-hidden": "true"}, isSorted ? (down ? " ↓" : " ↑") : "");
    const act = {type: "button", class: "quiet", title: column.hint, onclick: () => this.#sortBy(column)};
    return el("th", {scope: "col", "aria-sort": isSorted ? (down ? "descending" : "ascending") : "none"},
      el("button", act, column.title, mark));
  }

  // Shares are sorted with the largest first, other columns with the smallest first. A second click reverses the order.
  #sortBy({name, title, share}) {
    this.#sort = {name, down: this.#sort.name === name ? !this.#sort.down : Boolean(share)};
    this.#draw();
    this.#app.say(`Sorted by ${title}, ${this.#sort.down ? "largest" : "smallest"} first.`);
    const index = columns.findIndex((column) => column.name === name);
    this.titles.children[index].firstChild.focus({preventScroll: true});
  }

  #row(entry, largest) {
    const {attention, layer, head} = this.#app.state;
    const chosen = entry.attention === attention && entry.layer === layer && entry.head === head;
    const swatch = el("span", {class: "swatch", style: {background: headColour(entry.head)}});
    const button = el("button", {type: "button", class: "in-table", "aria-pressed": String(chosen),
      "aria-label": this.#longName(entry), onclick: () => this.#choose(entry)}, swatch, shortName(entry));
    return el("tr", {class: chosen ? "row-chosen" : null}, el("th", {scope: "row"}, button),
      numberColumns.map(({name, share}, i) => numberCell(entry[name], share, largest[i])), el("td", {}, entry.does));
  }

  #longName({attention, layer, head}) { return this.#app.headTitle(attention, layer, head); }

  #choose(entry) {
    const {attention, layer, head} = entry;
    this.#app.set({attention, layer, head, heads: new Set([head])});
    this.#app.say(`${this.#longName(entry)} is chosen in all views, and shown alone under Heads.`);
  }
}

function headsOf(trace, site) {
  const attention = site.name;
  const {heads: count, recorded: layers} = trace.shape(attention);
  return layers.flatMap((layer) => Array.from({length: count}, (_, head) => {
    const stats = headStatistics(trace.weights(attention, layer, head), site);
    return {attention, layer, head, ...stats, does: characterOf(stats)};
  }));
}

function numberCell(value, share, largest) {
  if (value === null) return el("td", {class: "none"}, "–");
  return el("td", {}, el("span", {class: "number"}, valueText(value, share)),
    el("span", {class: "meter", "aria-hidden": "true"}, el("span", {style: {width: `${(100 * value) / largest}%`}})));
}

const [pictureWidth, lineHeight, firstColumn] = [860, 20, 120];

// The table for export.
function picture(list, largest) {
  const cell = (pictureWidth - firstColumn - 10) / numberColumns.length;
  const height = 40 + list.length * lineHeight;
  const out = svg("svg", {viewBox: `0 0 ${pictureWidth} ${height}`, width: pictureWidth, height});
  numberColumns.forEach(({title}, i) => (
    out.append(svg("text", {x: firstColumn + i * cell, y: 24, class: "label strong"}, title))));
  list.forEach((entry, line) => out.append(...pictureLine(entry, 36 + line * lineHeight, cell, largest)));
  return out;
}

function pictureLine(entry, y, cell, largest) {
  const text = (x, top, content) => svg("text", {x, y: top, class: "label"}, content);
  const bars = numberColumns.flatMap(({name, share}, i) => {
    if (entry[name] === null) return [];
    const [x, width] = [firstColumn + i * cell, Math.max(0.5, ((cell - 12) * entry[name]) / largest[i])];
    return [
      svg("rect", {x, y: y + 15, width, height: 3, class: "bar-plus"}), text(x, y + 12, valueText(entry[name], share)),
    ];
  });
  return [
    svg("rect", {x: 8, y: y + 4, width: 10, height: 10, fill: headColour(entry.head)}),
    text(24, y + 13, shortName(entry)), ...bars,
  ];
}
