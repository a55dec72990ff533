// Heads: tokens in two columns joined by lines, one colour a head, opacity by weight; beside it numbers.
import {columns, sideNames} from "dragoman/columns.js";
import {
  attentionPicker, bar, headSquares, layerPicker, leastWeight, mergedSwitch, showPicker,
} from "dragoman/controls.js";
import {el, grouped, headColour, number} from "dragoman/draw.js";
import {mergedSentence} from "dragoman/look.js";
import {isSelf} from "dragoman/sites.js";

export function headsView(root, app) {
  const controls = bar(
    attentionPicker(app), layerPicker(app), headSquares(app), leastWeight(app), mergedSwitch(app), showPicker(app));
  const titles = el("div", {class: "column-titles"});
  const middle = el("div", {class: "two-columns"});
  const note = el("p", {class: "note"});
  const reading = el("aside", {class: "reading", "aria-label": "Weights of the word pointed at or pinned"});
  const empty = welcome(app);
  const body = el("div", {class: "heads-body"}, el("div", {class: "heads-picture"}, titles, middle, note), reading);
  root.append(controls.element, empty, body);

  let due = 0;
  const panel = columns(middle, {
    get: () => {
      const {attention, layer, heads, query, key, least} = app.state;
      return {look: ready() ? app.look : null, attention, layer, heads, query, key, least, off: offHeads()};
    },
    pin: (side, index) => app.set({[side]: index === null || app.state[side] === index ? null : index}),
    hover: () => { due ||= setTimeout(showReading, 60); },  // nobody reads faster than this
  });

  // Heads of what is shown that did not take part in it.
  function offHeads() {
    const {attention, layer, off} = app.state;
    if (app.look !== app.changed) return new Set();
    return new Set(off.filter((entry) => entry.attention === attention && entry.layer === layer).map(({head}) => head));
  }

  const ready = () => app.look?.has(app.state.attention, app.state.layer);

  function showReading() {
    clearTimeout(due);
    due = 0;
    const {attention, layer, heads, query, key} = app.state;
    const pinned = query !== null ? {side: "query", index: query} : key !== null ? {side: "key", index: key} : null;
    const focus = panel.focus ?? pinned;
    reading.replaceChildren(...(focus ? weightsOf(app, focus, panel.show) : summary(app, attention, layer, heads)));
  }

  return {
    update() {
      controls.update();
      empty.hidden = Boolean(app.look || app.error || app.flow.plain.busy);
      body.hidden = !ready();
      if (!ready()) return;
      const {attention} = app.state;
      const {queries, keys} = app.look.sides(attention);
      titles.replaceChildren(el("span", {}, "queries: ", el("b", {}, sideNames[queries])),
        el("span", {}, "keys: ", el("b", {}, sideNames[keys])));
      panel.update();
      const {least, drawn, all} = panel.links;
      const sentences = [
        `${grouped(drawn)} of ${grouped(all)} links are drawn: those of weight ${
          number(least, least < 0.01 ? 4 : 3)} or more.`,
        "The word pointed at or pinned shows all of its links.",
      ];
      if (app.state.merged) sentences.push(mergedSentence);
      if (offHeads().size) sentences.push("Dotted: heads that are switched off; what they look at is not used.");
      note.textContent = sentences.join(" ");
      showReading();
    },
    destroy() {
      clearTimeout(due);
      panel.destroy();
    },
    svg: () => (ready() ? panel.svg(`${app.site().title}, layer ${app.state.layer + 1}`) : null),
  };
}

// Before there is a sentence.
function welcome(app) {
  const examples = app.model?.examples ?? [];
  return el("div", {class: "welcome", hidden: true},
    el("p", {class: "prose"},
      "Type a sentence above. It is translated as you type, and this page shows what the model " +
        "looked at for each word: the weights that the decoder really used, of every layer and head."),
    app.settings.keyRequired ? el("p", {class: "note"}, "This server needs an API key.") : null,
    examples.length
      ? el("ul", {},
          ...examples.map(
            (sentence) => el("li", {},
              el("button", {type: "button", class: "quiet", lang: app.state.source, onclick: () => app.set({sentence})},
                sentence))))
      : null);
}

// What one token looks at, or is looked at by: the largest weights, head by head.
function weightsOf(app, {side, index}, show) {
  const {attention, layer} = app.state;
  const heads = [...app.state.heads].sort((a, b) => a - b);
  const {queries, keys} = app.look.tokens(attention);
  const [own, others] = side === "query" ? [queries, keys] : [keys, queries];
  if (!heads.length || index >= own.length) return [];
  const matrices = heads.map((head) => app.look.weights(attention, layer, head));
  const rows = others.map((text, i) => {
    const weights = matrices.map((matrix) => (side === "query" ? matrix.at(index, i) : matrix.at(i, index)));
    return {text, i, weights, mean: weights.reduce((sum, weight) => sum + weight, 0) / weights.length};
  }).sort((a, b) => b.mean - a.mean).slice(0, 12).filter(({mean}, place) => mean >= 0.0005 || (place < 3 && mean > 0));
  const most = rows[0]?.mean || 1;
  return [
    el("h3", {}, side === "query" ? "“" : "Who looks at “", el("b", {}, own[index]),
      side === "query" ? "” looks at" : "”"),
    el(
      "p", {class: "note"}, `mean of ${heads.length === 1 ? "one head" : `${heads.length} heads`}, layer ${layer + 1}`),
    others.length <= 120 ? running(others, matrices, side, index) : null,
    el("table", {class: "bars"},
      el("tbody", {},
        ...rows.map(
          ({text, i, weights, mean}) => el("tr",
            {title: heads.map((head, h) => `head ${head + 1}: ${number(weights[h], 4)}`).join("\n")},
            el("th", {scope: "row"},
              el("button", {type: "button", tabindex: -1, onclick: () => show(side === "query" ? "key" : "query", i)},
                text),
              others.length > 60 ? el("span", {class: "at"}, ` ${i + 1}`) : null),
            el("td", {class: "bar-cell"},
              el("div", {class: "stack", style: {width: `${100 * mean / most}%`}},
                ...heads.map(
                  (head, h) => el("i", {style: {"flex-grow": String(weights[h]), background: headColour(head)}})))),
            el("td", {class: "figure"}, number(mean)))))),
  ].filter(Boolean);
}

// The other sentence as running text, the words shaded by the root of their mean weight.
function running(tokens, matrices, side, index) {
  return el("p", {class: "running", "aria-hidden": "true"}, ...tokens.flatMap((text, i) => {
    const of = (matrix) => (side === "query" ? matrix.at(index, i) : matrix.at(i, index));
    const weight = matrices.reduce((sum, matrix) => sum + of(matrix), 0);
    const close = i === 0 || text.startsWith("·") || /^[.,;:!?%)\]]$/.test(text);
    const shade = {"--shade": Math.sqrt(weight / matrices.length).toFixed(3)};
    return [close ? "" : " ", el("span", {style: shade}, text.replace(/^·(?=.)/, ""))];
  }));
}

const distanceMeans = (site) => (
  `mean distance ${isSelf(site) ? "of what is looked at" : "from the diagonal"}, in tokens`);

// Without a token: what the shown heads do on the whole.
function summary(app, attention, layer, heads) {
  return [
    el("h3", {}, `${app.site(attention).title}, layer ${layer + 1}`),
    el("p", {class: "note"}, "Point at a word to keep its lines only, click to pin it. " +
      "With the keyboard: arrows move, Enter pins, Escape unpins."),
    el("table", {class: "stats"}, el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "Head"),
      el("th", {scope: "col", class: "figure", title: "mean over queries; 0 looks at one token"}, "Entropy, bits"),
      el("th", {scope: "col", class: "figure", title: distanceMeans(app.site(attention))}, "Distance"),
      el("th", {scope: "col", class: "figure", title: "mean over queries of the largest weight"}, "Peak"))),
    el("tbody", {}, ...[...heads].sort((a, b) => a - b).map((head) => {
      const {entropy, distance, peak} = app.look.statistics(attention, layer, head);
      return el("tr", {},
        el("th", {scope: "row"}, el("i", {class: "swatch", style: {background: headColour(head)}}), ` ${head + 1}`),
        el("td", {class: "figure"}, number(entropy, 2)), el("td", {class: "figure"}, number(distance, 1)),
        el("td", {class: "figure"}, number(peak, 2)));
    }))),
  ];
}
