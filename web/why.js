// Why one weight is what it is: query, key, their products, scaling, mask and softmax, with this sentence's numbers,
// beside the weight that the decoder recorded.

import {attentionPicker, bar, headPicker, layerPicker, showPicker} from "dragoman/controls.js";
import {el, number, svg} from "dragoman/draw.js";
import {lastPlace, shortest32, strongest, traceWeight} from "dragoman/equation.js";
import {digits, equationOne, formula, mi, mn, mo, name, oneWeight, over, row, sqrt, sub} from "dragoman/formula.js";
import {label, unpacked} from "dragoman/look.js";
import {picker, shownResult} from "dragoman/picks.js";
import {stripElement, stripPicture} from "dragoman/strip.js";

const shortRow = 24;  // keys that are listed before the rest is folded

export function whyView(root, app) {
  const controls = bar(attentionPicker(app), layerPicker(app), headPicker(app), showPicker(app));
  const queries = picker("Query", (value) => pick({query: Number(value)}));
  const keys = picker("Key", (value) => pick({key: Number(value)}));
  const strip = stripElement();
  const parts = Object.fromEntries(["question", "dot", "scale", "mask", "softmax", "result"].map((part) => [part, el("div")]));
  const status = el("p", {class: "empty"});
  const steps = el("ol", {class: "why-steps"},
    step("Query and key", ["This head's projections of the two tokens, ", width(), " numbers each. Where both have the same sign, " +
      "the product speaks for looking here."], strip.element, parts.dot),
    step("Scaling", ["Long vectors give large sums, and a softmax of large numbers sees only the largest; so the sum is divided by the " +
      "root of ", width(), "."], parts.scale),
    step("Mask", [], parts.mask),
    step("Softmax over all keys", ["The exponentials of the row, each divided by their sum: weights that add up to one."], parts.softmax),
    step("What the decoder recorded", [], parts.result));
  const body = el("div", {class: "why-body"}, parts.question, steps);
  root.append(controls.element, el("div", {class: "why"}, el("div", {class: "picks"}, queries.element, keys.element), status, body));

  let own = null;  // {look, attention, query, key}: pieces picked here
  let all = false;
  let known = "";
  let trace = null;

  function pick(change) {
    const {look, state} = app;
    const sides = look.sides(state.attention);
    const at = {...chosen(), ...change};
    own = {look, attention: state.attention, ...at};
    const word = (side, index) => (state.merged ? look.position(side, index, false) : index);
    app.set({query: word(sides.queries, at.query), key: word(sides.keys, at.key)});
  }

  // The pieces that are looked at: picked here, pinned elsewhere, or else a word in the middle and its strongest key.
  function chosen() {
    const {look, state} = app;
    const sides = look.sides(state.attention);
    const weights = look.exact(state.attention, state.layer, state.head);
    const pinned = (side, index, picked) => {
      if (index === null) return null;
      if (!state.merged) return index;
      const same = own?.look === look && own.attention === state.attention && look.position(side, picked, false) === index;
      return same ? picked : look.position(side, index, true);
    };
    const query = Math.min(pinned(sides.queries, state.query, own?.query) ?? Math.floor(weights.rows / 2), weights.rows - 1);
    let key = pinned(sides.keys, state.key, own?.key);
    if (key === null || key >= weights.columns) {
      key = 0;
      for (let j = 1; j < weights.columns; ++j) if (weights.at(query, j) > weights.at(query, key)) key = j;
    }
    return {query, key};
  }

  function show(text) {
    status.textContent = text;
    status.hidden = text === "";
    body.hidden = text !== "";
  }

  async function update() {
    controls.update();
    const {look, state} = app;
    if (!look) return show("Translate a sentence first: this view traces one of its weights.");
    const {attention, layer, head} = state;
    if (!look.has(attention, layer)) return show("This layer is being fetched.");
    const at = chosen();
    const {queries: asking, keys: asked} = look.sides(attention);
    const labels = {queries: look[asking].map(label), keys: look[asked].map(label)};
    queries.show(labels.queries.map((token, i) => [String(i), `${i + 1}  ${token}`]), String(at.query));
    keys.show(labels.keys.map((token, i) => [String(i), `${i + 1}  ${token}`]), String(at.key));
    const now = [attention, layer, head, at.query, at.key, all].join(" ");
    if (known === now && trace?.look === look) return undefined;
    let found;
    try {
      found = await projectionsOf(app, look, attention, layer, head);
    } catch (error) {
      return show(error.message);
    }
    if (app.look !== look || app.state.attention !== attention || app.state.layer !== layer || app.state.head !== head) return undefined;
    known = now;
    const recorded = look.exact(attention, layer, head);
    trace = {...traceWeight(found.q, found.k, at.query, at.key, attention, app.model?.config.window), look, attention, layer, head,
      ...at, recorded: recorded.at(at.query, at.key), kept: recorded, labels};
    show("");
    draw();
    return undefined;
  }

  function draw() {
    const token = (index, list) => el("strong", {class: "why-token"}, list[index]);
    parts.question.replaceChildren(
      el("p", {class: "why-question"}, "How much does ", token(trace.query, trace.labels.queries), " look at ",
        token(trace.key, trace.labels.keys), "? ", el("strong", {class: "number"}, number(trace.recorded, 4))),
      el("div", {class: "why-formulas"}, equationOne(), oneWeight(trace.attention === "decoder")));
    const loudest = strongest(trace.products, 3);
    strip.show(trace, loudest[0].at);
    parts.dot.replaceChildren(
      formula(row(sub(mi("q"), mn(trace.query + 1)), mo("·"), sub(mi("k"), mn(trace.key + 1))), mo("="), ...sumOf(trace.products),
        mo("="), digits(trace.chosen.dot)),
      el("p", {class: "note"}, "Loudest dimensions: ", loudest.map(({at, value}) => `${at + 1} (${number(value)})`).join(", "), "."));
    parts.scale.replaceChildren(formula(over(digits(trace.chosen.dot), sqrt(mn(trace.d))), mo("="),
      over(digits(trace.chosen.dot), digits(trace.root)), mo("="), digits(trace.chosen.scaled)));
    parts.mask.replaceChildren(...maskWords());
    parts.softmax.replaceChildren(...softmaxParts());
    parts.result.replaceChildren(...comparison());
  }

  function maskWords() {
    const hidden = trace.keys.filter(({seen}) => !seen).length;
    const of = `${hidden} of ${trace.keys.length} keys`;
    if (trace.attention === "cross") return [el("p", {}, "None: every word of the source may be looked at.")];
    if (!trace.chosen.seen) {
      return [el("p", {}, "This key is hidden: its score is set to −∞, so its weight is 0. ", of, " are hidden from this query.")];
    }
    if (hidden === 0) return [el("p", {}, "Nothing is hidden from this query.")];
    const why = trace.attention === "decoder" ? "come later than what has been written" : "lie outside the window";
    return [el("p", {}, `${of} ${why}; their scores are set to −∞. This key is not one of them.`)];
  }

  function softmaxParts() {
    const order = trace.keys.map((_, j) => j);
    let listed = order;
    if (!all && order.length > shortRow) {
      listed = [...order].sort((a, b) => trace.keys[b].weight - trace.keys[a].weight).slice(0, shortRow);
      if (!listed.includes(trace.key)) listed.push(trace.key);
      listed.sort((a, b) => a - b);
    }
    const most = Math.max(...trace.keys.map(({weight}) => weight));
    const rest = order.length - listed.length;
    const table = el("table", {class: "why-row"},
      el("caption", {}, el("span", {}, "One row of the softmax, key by key; choose a key to trace it.")),
      el("thead", {}, el("tr", {}, ["Key", "q · k", "÷ √d", "exp", "weight"].map((head, at) => (
        el("th", {scope: "col", class: at === 1 ? "dots" : null}, head))), el("th", {"aria-hidden": "true"}))),
      el("tbody", {}, listed.map((j) => keyRow(j, most))),
      el("tfoot", {}, el("tr", {}, el("th", {scope: "row"}, "Sum"), el("td", {class: "dots"}), el("td"),
        el("td", {}, number(trace.sum, 4)), el("td", {}, number(trace.keys.reduce((sum, {weight}) => sum + weight, 0), 4)), el("td"))));
    const folded = rest > 0 || all ? el("button", {type: "button", onclick: () => {
      all = !all;
      update();
    }}, all ? "List the heaviest only" : `List ${rest} lighter keys too`) : null;
    const {chosen} = trace;
    return [el("p", {class: "note"}, `exp is of the score less the row's largest, ${number(trace.most)}, as the decoder computes ` +
      "it: nothing can overflow, and the weights are the same."), el("div", {class: "scroll-x"}, table), folded,
    formula(sub(mi("α"), row(mn(trace.query + 1), mo(","), mn(trace.key + 1))), mo("="), over(chosen.seen ?
      row(name("exp"), mo("("), digits(chosen.scaled), mo("−"), row(mo("("), digits(trace.most), mo(")")), mo(")")) : mn(0), digits(trace.sum)),
    mo("="), over(digits(chosen.exp), digits(trace.sum)), mo("="), digits(chosen.weight, 6))].filter(Boolean);
  }

  function keyRow(j, most) {
    const {dot, scaled, seen, exp, weight} = trace.keys[j];
    const chosen = j === trace.key;
    const cells = seen ? [number(dot), number(scaled), number(exp, 4), number(weight, 4)] : [number(dot), "−∞", "0", "0"];
    return el("tr", {class: `${chosen ? "row-chosen" : ""} ${seen ? "" : "hidden-key"}`},
      el("th", {scope: "row"}, el("button", {type: "button", "aria-pressed": String(chosen), onclick: () => pick({key: j})},
        trace.labels.keys[j])),
      cells.map((text, at) => el("td", {class: at === 0 ? "dots" : null}, text)),
      el("td", {class: "why-bar", "aria-hidden": "true"}, el("span", {style: {width: `${(100 * weight) / most}%`}})));
  }

  function comparison() {
    const here = trace.chosen.weight;
    const there = trace.recorded;
    const unit = lastPlace(there);
    const off = Math.abs(here - there) / unit;
    const words = there === here ? "They are the same." : off <= 0.5 ?
      "The recorded number is the float32 nearest to what was computed here." : off < 256 ?
        "The decoder adds up in float32, in another order; the difference is rounding." :
        "That is more than the rounding of float32: the model computes with fewer digits, or a head before this one was changed.";
    return [el("dl", {class: "sums"},
      el("dt", {}, "computed here, in double precision"), el("dd", {class: "number"}, here.toPrecision(12)),
      el("dt", {}, "recorded by the attention kernel, float32"), el("dd", {class: "number"}, shortest32(there)),
      el("dt", {}, "difference"), el("dd", {class: "number"}, `${(there - here).toExponential(2).replaceAll("-", "−")}` +
        ` = ${number(off, 2)} units in the last place`)), el("p", {class: "note"}, words, " The weight then says how much of this " +
        "key's value vector goes into the result: that is the V of the equation.")];
  }

  // The view as one picture: the strips, and the row of weights.
  function picture() {
    if (!trace) return null;
    const width = 760;
    const lines = [`${trace.attention}, layer ${trace.layer + 1}, head ${trace.head + 1}: how much “${trace.labels.queries[trace.query]}” ` +
      `looks at “${trace.labels.keys[trace.key]}”`,
    `q · k = ${number(trace.chosen.dot, 4)};  ÷ √${trace.d} = ${number(trace.chosen.scaled, 4)};  softmax: ` +
      `${number(trace.chosen.exp, 4)} / ${number(trace.sum, 4)} = ${number(trace.chosen.weight, 6)};  recorded: ${shortest32(trace.recorded)}`];
    const listed = trace.keys.map((key, j) => ({...key, j})).sort((a, b) => b.weight - a.weight).slice(0, shortRow).sort((a, b) => a.j - b.j);
    const top = 240;
    const out = svg("svg", {viewBox: `0 0 ${width} ${top + listed.length * 20 + 12}`, width, height: top + listed.length * 20 + 12});
    lines.forEach((line, at) => out.append(svg("text", {x: 8, y: 20 + 20 * at, class: "label"}, line)));
    const inner = stripPicture(trace, width - 16, null);
    inner.setAttribute("x", 8);
    inner.setAttribute("y", 52);
    out.append(inner);
    listed.forEach(({j, weight}, at) => {
      const y = top + at * 20;
      out.append(svg("text", {x: 120, y: y + 14, "text-anchor": "end", class: "label"}, trace.labels.keys[j]),
        svg("rect", {x: 130, y: y + 4, width: Math.max(0.5, 500 * weight), height: 12, class: j === trace.key ? "bar-plus" : "bar-plain"}),
        svg("text", {x: 138 + 500 * weight, y: y + 14, class: "label"}, number(weight, 4)));
    });
    return out;
  }

  return {update, svg: picture, destroy: strip.destroy};
}

function step(title, about, ...content) {
  return el("li", {}, el("h3", {}, title), about.length ? el("p", {class: "note"}, about) : null, content);
}

const width = () => el("i", {}, "d", el("sub", {}, "k"));

// "a × b" would be long: the first two products, and the last.
function sumOf(products) {
  const term = (value, first) => [first && value >= 0 ? null : mo(value < 0 ? "−" : "+"), digits(Math.abs(value), 3)].filter(Boolean);
  if (products.length <= 4) return [...products].flatMap((value, at) => term(value, at === 0));
  return [...term(products[0], true), ...term(products[1]), mo("+"), mo("⋯"), ...term(products.at(-1))];
}

// Queries and keys of one head: from the answer that is there, or asked for once.
async function projectionsOf(app, look, attention, layer, head) {
  const matches = (entry) => entry.attention === attention && entry.layer === layer + 1 && entry.head === head + 1;
  let entry = look.projections.find(matches);
  if (!entry) {
    if (app.offline) throw new Error("This offline file carries no queries and keys of this head; on the server they are there.");
    const {request} = shownResult(app);
    const wanted = {...request, layers: [layer + 1], projections: [{attention, layer: layer + 1, head: head + 1}]};
    const answer = await app.api.translate(wanted);
    const trace = answer.translations.flatMap(({sentences}) => sentences)[app.part]?.trace;
    entry = trace?.projections?.find(matches);
    if (!entry) throw new Error("The server sent no queries and keys of this head.");
    look.projections.push(entry);
  }
  const matrix = ({rows, columns, packed, data}) => ({rows, columns, data: data ?? unpacked(packed)});
  entry.q = matrix(entry.q);
  entry.k = matrix(entry.k);
  return entry;
}
