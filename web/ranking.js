// All heads of the model in one table, from local to global: how spread their weights are for this sentence, how far they
// look, and which places take the weight.

import {bar, mergedSwitch, segmented, showPicker} from "dragoman/controls.js";
import {el, headColour, number, svg} from "dragoman/draw.js";
import {characterOf, headStats} from "dragoman/headstats.js";
import {attentionNames, attentions} from "dragoman/look.js";

const columns = [
  {name: "head", title: "Head", hint: "attention, layer, head"},
  {name: "distance", title: "Distance", hint: "mean distance in tokens between a query and what it looks at"},
  {name: "entropy", title: "Entropy", hint: "mean entropy of a query's weights, in bits; 0: one key has all"},
  {name: "peak", title: "Largest", hint: "mean of the largest weight of each query", share: true},
  {name: "own", title: "Own place", hint: "share of the weight on the query's own place", share: true},
  {name: "previous", title: "Previous", hint: "share on the place before", share: true},
  {name: "next", title: "Next", hint: "share on the place after", share: true},
  {name: "first", title: "First", hint: "share on the first key", share: true},
  {name: "last", title: "End", hint: "share on the last key, the end token of the source", share: true},
];

export function rankingView(root, app) {
  let sort = {name: "distance", down: false};
  let which = "all";
  let heads = [];
  let known = null;
  const filter = segmented("Attention", () => [{value: "all", text: "All"}, ...attentions.map((value) => (
    {value, text: value[0].toUpperCase() + value.slice(1), title: attentionNames[value]}))], () => which, (value) => {
    which = value;
    draw();
  });
  const controls = bar(filter, mergedSwitch(app), showPicker(app));
  const status = el("p", {class: "empty"});
  const body = el("tbody");
  const titles = el("tr");
  const table = el("table", {class: "ranking"}, el("caption", {}, el("span", {}, "Heads of this model and what they do with this sentence. " +
    "Choose a column's title to sort by it, a head to look at it.")), el("thead", {}, titles), body);
  const note = el("p", {class: "note"}, "Distance counts tokens; in cross-attention it is counted from the place that is as far into the " +
    "source as the query is into the translation, and “own place” is that place. The last column names what takes half of the weight or more.");
  root.append(controls.element, status, el("div", {class: "scroll-x"}, table), note);

  function update() {
    controls.update();
    const {look, state} = app;
    status.hidden = look !== null;
    table.hidden = note.hidden = look === null;
    if (!look) {
      status.textContent = "Translate a sentence first: this view ranks the heads by what they do with it.";
      return;
    }
    if (known?.look !== look || known.merged !== state.merged) {
      known = {look, merged: state.merged};
      heads = attentions.flatMap((attention) => {
        const {heads: count, which: layers} = look.shape(attention);
        return layers.flatMap((layer) => Array.from({length: count}, (_, head) => {
          const stats = headStats(look.weights(attention, layer, head), attention);
          return {attention, layer, head, ...stats, does: characterOf(stats)};
        }));
      });
    }
    draw();
  }

  const order = ({attention, layer, head}) => attentions.indexOf(attention) * 1e4 + layer * 100 + head;

  function sorted() {
    const {name, down} = sort;
    const value = (entry) => (name === "head" ? order(entry) : name === "does" ? entry.does : entry[name]);
    return heads.filter(({attention}) => which === "all" || attention === which).sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === null || y === null) return (x === null) - (y === null);  // what has no value comes last
      const less = x < y ? -1 : x > y ? 1 : 0;
      return (down ? -less : less) || order(a) - order(b);
    });
  }

  function draw() {
    controls.update();
    titles.replaceChildren(...[...columns, {name: "does", title: "Mostly", hint: "what takes half of the weight or more"}].map(titleOf));
    const largest = {};
    for (const {name, share} of columns) largest[name] = share ? 1 : Math.max(...heads.map((entry) => entry[name] ?? 0), 1e-9);
    body.replaceChildren(...sorted().map((entry) => rowOf(entry, largest)));
  }

  function titleOf({name, title, hint}) {
    const mine = sort.name === name;
    return el("th", {scope: "col", "aria-sort": mine ? (sort.down ? "descending" : "ascending") : "none"},
      el("button", {type: "button", class: "quiet", title: hint, onclick: (event) => {
        const down = mine ? !sort.down : columns.find((column) => column.name === name)?.share ?? false;
        sort = {name, down};
        draw();
        app.say(`Sorted by ${title}, ${down ? "largest" : "smallest"} first.`);
        titles.children[[...columns.map((column) => column.name), "does"].indexOf(name)].firstChild.focus({preventScroll: event.detail > 0});
      }}, title, el("span", {class: "sort-mark", "aria-hidden": "true"}, mine ? (sort.down ? " ↓" : " ↑") : "")));
  }

  function rowOf(entry, largest) {
    const {attention, layer, head} = entry;
    const {state} = app;
    const chosen = state.attention === attention && state.layer === layer && state.head === head;
    return el("tr", {class: chosen ? "row-chosen" : null},
      el("th", {scope: "row"}, el("button", {type: "button", "aria-pressed": String(chosen), onclick: () => choose(entry),
        "aria-label": `${attentionNames[attention]}, layer ${layer + 1}, head ${head + 1}`},
      el("span", {class: "swatch", style: {background: headColour(head)}}), `${attention} ${layer + 1}.${head + 1}`)),
      columns.slice(1).map(({name, title, share}) => (entry[name] === null ? el("td", {class: "none"}, "–") : el("td", {"data-title": title},
        el("span", {class: "number"}, share ? `${Math.round(100 * entry[name])} %` : number(entry[name], 2)),
        el("span", {class: "meter", "aria-hidden": "true"}, el("span", {style: {width: `${(100 * entry[name]) / largest[name]}%`}}))))),
      el("td", {class: "does"}, entry.does));
  }

  function choose({attention, layer, head}) {
    app.set({attention, layer, head, heads: new Set([head])});
    app.say(`${attentionNames[attention]}, layer ${layer + 1}, head ${head + 1} is chosen in all views.`);
  }

  // Distance against entropy, one dot a head, and the table's order beneath.
  function picture() {
    if (!heads.length) return null;
    const list = sorted();
    const [width, line, left] = [860, 20, 120];
    const shown = columns.slice(1);
    const cell = (width - left - 10) / shown.length;
    const out = svg("svg", {viewBox: `0 0 ${width} ${40 + list.length * line}`, width, height: 40 + list.length * line});
    shown.forEach(({title}, i) => out.append(svg("text", {x: left + i * cell, y: 24, class: "label strong"}, title)));
    list.forEach((entry, r) => {
      const y = 36 + r * line;
      out.append(svg("rect", {x: 8, y: y + 4, width: 10, height: 10, fill: headColour(entry.head)}),
        svg("text", {x: 24, y: y + 13, class: "label"}, `${entry.attention} ${entry.layer + 1}.${entry.head + 1}`));
      shown.forEach(({name, share}, i) => {
        if (entry[name] === null) return;
        const most = share ? 1 : Math.max(...heads.map((other) => other[name] ?? 0), 1e-9);
        out.append(svg("rect", {x: left + i * cell, y: y + 15, width: Math.max(0.5, ((cell - 12) * entry[name]) / most), height: 3, class: "bar-plus"}),
          svg("text", {x: left + i * cell, y: y + 12, class: "label"}, share ? `${Math.round(100 * entry[name])} %` : number(entry[name], 2)));
      });
    });
    return out;
  }

  return {update, svg: picture};
}
