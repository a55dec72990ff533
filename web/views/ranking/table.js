// All numbers of the heads as a table that can be sorted.

import {number} from "../../core/format.js";
import {headColour} from "../../parts/colours.js";
import {el} from "../../parts/elements.js";
import {roleName} from "../../strings/roles.js";
import {text} from "../../strings/ranking.js";
import {shortName} from "./entries.js";

const column = (name, rest = {}) => ({name, title: text[name], hint: text[`${name}Hint`], ...rest});
const share = {share: true};

const numberColumns = [column("distance"), column("entropy"), column("peak", share), column("own", share),
  column("previous", share), column("next", share), column("first", share), column("last", share)];
const agreement = column("agreement", share);
const [head, role, does] = [column("head"), column("role"), column("does")];

const valueText = (value, isShare) => (
  value === null ? "–" : isShare ? `${Math.round(100 * value)} %` : number(value, 2));

export class HeadTable {
  #app;
  #choose;
  #sort = {name: "distance", down: false};
  #shown = null;  // {entries, longest, isSurvey} as show() got them

  constructor(app, choose) {
    this.#app = app;
    this.#choose = choose;
    this.titles = el("tr");
    this.body = el("tbody");
    this.element = el("table", {class: "ranking"}, el("caption", {}, el("span", {}, text.caption)),
      el("thead", {}, this.titles), this.body);
  }

  /** `longest` is the largest number of keys; `isSurvey` says whether the numbers are those of many sentences. */
  show(shown) {
    this.#shown = shown;
    this.#draw();
  }

  get #columns() {
    const {isSurvey, entries} = this.#shown;
    const known = entries.some((entry) => entry.role) ? [role] : [];
    return [head, ...known, ...numberColumns, isSurvey ? agreement : does];
  }

  #draw() {
    const columns = this.#columns;
    this.titles.replaceChildren(...columns.map((one) => this.#title(one)));
    this.body.replaceChildren(...this.#sorted().map((entry) => this.#row(entry, columns)));
  }

  // The order of the model: by site, layer and head.
  #modelOrder({attention, layer, head: number_}) {
    return this.#app.sites.indexOf(this.#app.site(attention)) * 1e6 + layer * 1e3 + number_;
  }

  #sorted() {
    const {name, down} = this.#sort;
    const valueOf = (entry) => (name === "head" ? this.#modelOrder(entry) : entry[name] ?? null);
    return [...this.#shown.entries].sort((a, b) => {
      const [x, y] = [valueOf(a), valueOf(b)];
      if (x === null || y === null) return (x === null) - (y === null);  // heads without a value come last
      const order = x < y ? -1 : x > y ? 1 : 0;
      return (down ? -order : order) || this.#modelOrder(a) - this.#modelOrder(b);
    });
  }

  #title({name, title, hint, ...rest}) {
    const isSorted = this.#sort.name === name;
    const {down} = this.#sort;
    const mark = el("span", {"aria-hidden": "true"}, isSorted ? (down ? " ↓" : " ↑") : "");
    const act = {type: "button", class: "quiet", title: hint, onclick: () => this.#sortBy({name, title, ...rest})};
    return el("th", {scope: "col", "aria-sort": isSorted ? (down ? "descending" : "ascending") : "none"},
      el("button", act, title, mark));
  }

  // Shares are sorted with the largest first, other columns with the smallest first. A second click reverses the order.
  #sortBy({name, title, share: isShare}) {
    this.#sort = {name, down: this.#sort.name === name ? !this.#sort.down : Boolean(isShare)};
    this.#draw();
    this.#app.say(text.sorted(title, this.#sort.down));
    const index = this.#columns.findIndex((one) => one.name === name);
    this.titles.children[index].firstChild.focus({preventScroll: true});
  }

  #row(entry, columns) {
    const {attention, layer, head: chosenHead} = this.#app.state;
    const chosen = entry.attention === attention && entry.layer === layer && entry.head === chosenHead;
    const swatch = el("span", {class: "swatch", style: {background: headColour(entry.head)}});
    const button = el("button", {type: "button", class: "in-table", "aria-pressed": String(chosen),
      "aria-label": this.#app.headTitle(entry.attention, entry.layer, entry.head), onclick: () => this.#choose(entry)},
    swatch, shortName(entry));
    return el("tr", {class: chosen ? "row-chosen" : null}, el("th", {scope: "row"}, button),
      columns.slice(1).map((one) => this.#cell(entry, one)));
  }

  #cell(entry, {name, share: isShare}) {
    if (name === "role") return el("td", {}, entry.role ? roleName(entry.role) : "–");
    if (name === "does") return el("td", {}, entry.does);
    const value = entry[name] ?? null;
    if (value === null) return el("td", {class: "none"}, "–");
    // The value whose bar is full: the largest that is possible.
    const largest = {distance: this.#shown.longest - 1, entropy: Math.log2(this.#shown.longest)}[name] ?? 1;
    return el("td", {}, el("span", {class: "number"}, valueText(value, isShare)), el("span", {class: "meter",
      "aria-hidden": "true"}, el("span", {style: {width: `${Math.min(100, (100 * value) / largest)}%`}})));
  }
}
