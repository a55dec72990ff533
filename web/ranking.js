// All heads of the model in one table, from local to global: how spread their weights are for this sentence, how far
// they look, and which places take the weight.

import {bar, mergedSwitch, segmented, showPicker} from "dragoman/controls.js";
import {el, headColour, number, svg} from "dragoman/draw.js";
import {characterOf, headStats} from "dragoman/headstats.js";
import {siteOptions} from "dragoman/sites.js";

const numbers = [
  {name: "distance", title: "Distance", hint: "mean distance in tokens between a query and what it looks at"},
  {name: "entropy", title: "Entropy", hint: "mean entropy of a query's weights, in bits; 0: one key has all"},
  {name: "peak", title: "Largest", hint: "mean of the largest weight of each query", share: true},
  {name: "own", title: "Own place", hint: "share of the weight on the query's own place", share: true},
  {name: "previous", title: "Previous", hint: "share on the place before", share: true},
  {name: "next", title: "Next", hint: "share on the place after", share: true},
  {name: "first", title: "First", hint: "share on the first key", share: true},
  {name: "last", title: "End", hint: "share on the last key, the end token of the source", share: true},
];
const columns = [
  {name: "head", title: "Head", hint: "attention, layer, head"}, ...numbers,
  {name: "does", title: "Mostly", hint: "what takes half of the weight or more"},
];

const shortName = ({attention, layer, head}) => `${attention} ${layer + 1}.${head + 1}`;
const shown = (value, share) => (value === null ? "–" : share ? `${Math.round(100 * value)} %` : number(value, 2));

export function rankingView(root, app) {
  let sort = {name: "distance", down: false};
  let which = "all";
  let heads = [];
  let known = null;
  const order = ({attention, layer, head}) => app.sites.indexOf(app.site(attention)) * 1e6 + layer * 1e3 + head;
  const longName = ({attention, layer, head}) => `${app.site(attention).title}, layer ${layer + 1}, head ${head + 1}`;
  const kinds = () => [{value: "all", text: "All"}, ...siteOptions(app.sites)];
  const filter = segmented("Attention", kinds, () => which, (value) => {
    which = value;
    draw();
  });
  const controls = bar(filter, mergedSwitch(app), showPicker(app));
  const status = el("p", {class: "empty"});
  const body = el("tbody");
  const titles = el("tr");
  const table = el("table", {class: "ranking"},
    el("caption", {}, el("span", {}, "Heads of this model and what they do with this sentence. Choose a column's " +
      "title to sort by it, a head to look at it.")),
    el("thead", {}, titles), body);
  const note = el("p", {class: "note"}, "Distance counts tokens; in cross-attention it is counted from the place " +
    "that is as far into the source as the query is into the translation, and “own place” is that place. The last " +
    "column names what takes half of the weight or more.");
  root.append(controls.element, status, el("div", {class: "scroll-x"}, table), note);

  function update() {
    controls.update();
    const {look, state} = app;
    status.hidden = look !== null;
    table.hidden = note.hidden = look === null;
    status.textContent = look ? "" : "Translate a sentence first: this view ranks the heads by what they do with it.";
    if (!look) return;
    if (known?.look !== look || known.merged !== state.merged) {
      known = {look, merged: state.merged};
      heads = app.sites.flatMap((site) => headsOf(look, site));
      if (!app.sites.includes(app.site(which))) which = "all";
    }
    draw();
  }

  function headsOf(look, site) {
    const attention = site.name;
    const {heads: count, which: layers} = look.shape(attention);
    return layers.flatMap((layer) => Array.from({length: count}, (_, head) => {
      const stats = headStats(look.weights(attention, layer, head), site);
      return {attention, layer, head, ...stats, does: characterOf(stats)};
    }));
  }

  function sorted() {
    const {name, down} = sort;
    const value = (entry) => (name === "head" ? order(entry) : entry[name]);
    return heads.filter(({attention}) => which === "all" || attention === which).sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null);  // what has no value comes last
      const less = x < y ? -1 : x > y ? 1 : 0;
      return (down ? -less : less) || order(a) - order(b);
    });
  }

  const largest = ({name, share}) => (share ? 1 : Math.max(...heads.map((entry) => entry[name] ?? 0), 1e-9));

  function draw() {
    controls.update();
    titles.replaceChildren(...columns.map(titleOf));
    const most = numbers.map(largest);
    body.replaceChildren(...sorted().map((entry) => rowOf(entry, most)));
  }

  function titleOf(column) {
    const mine = sort.name === column.name;
    const mark = el("span", {"aria-hidden": "true"}, mine ? (sort.down ? " ↓" : " ↑") : "");
    const act = {type: "button", class: "quiet", title: column.hint, onclick: () => sortBy(column)};
    return el("th", {scope: "col", "aria-sort": mine ? (sort.down ? "descending" : "ascending") : "none"},
      el("button", act, column.title, mark));
  }

  // Shares begin with the largest, the rest with the smallest; a second time turns it round.
  function sortBy({name, title, share}) {
    sort = {name, down: sort.name === name ? !sort.down : Boolean(share)};
    draw();
    app.say(`Sorted by ${title}, ${sort.down ? "largest" : "smallest"} first.`);
    titles.children[columns.findIndex((column) => column.name === name)].firstChild.focus({preventScroll: true});
  }

  function rowOf(entry, most) {
    const {attention, layer, head} = app.state;
    const chosen = entry.attention === attention && entry.layer === layer && entry.head === head;
    const swatch = el("span", {class: "swatch", style: {background: headColour(entry.head)}});
    const choice = el("button", {type: "button", "aria-pressed": String(chosen), "aria-label": longName(entry),
      onclick: () => choose(entry)}, swatch, shortName(entry));
    return el("tr", {class: chosen ? "row-chosen" : null}, el("th", {scope: "row"}, choice),
      numbers.map(({name, share}, i) => cellOf(entry[name], share, most[i])), el("td", {}, entry.does));
  }

  function cellOf(value, share, most) {
    if (value === null) return el("td", {class: "none"}, "–");
    return el("td", {}, el("span", {class: "number"}, shown(value, share)),
      el("span", {class: "meter", "aria-hidden": "true"}, el("span", {style: {width: `${(100 * value) / most}%`}})));
  }

  function choose(entry) {
    const {attention, layer, head} = entry;
    app.set({attention, layer, head, heads: new Set([head])});
    app.say(`${longName(entry)} is chosen in all views, and shown alone under Heads.`);
  }

  function picture() {
    if (!heads.length) return null;
    const list = sorted();
    const [width, line, left] = [860, 20, 120];
    const cell = (width - left - 10) / numbers.length;
    const height = 40 + list.length * line;
    const out = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height});
    const text = (x, y, content, kind = "label") => svg("text", {x, y, class: kind}, content);
    numbers.forEach(({title}, i) => out.append(text(left + i * cell, 24, title, "label strong")));
    const most = numbers.map(largest);
    list.forEach((entry, r) => {
      const y = 36 + r * line;
      out.append(svg("rect", {x: 8, y: y + 4, width: 10, height: 10, fill: headColour(entry.head)}),
        text(24, y + 13, shortName(entry)));
      numbers.forEach(({name, share}, i) => {
        if (entry[name] === null) return;
        const [x, long] = [left + i * cell, Math.max(0.5, ((cell - 12) * entry[name]) / most[i])];
        out.append(svg("rect", {x, y: y + 15, width: long, height: 3, class: "bar-plus"}),
          text(x, y + 12, shown(entry[name], share)));
      });
    });
    return out;
  }

  return {update, svg: picture};
}
