// The training film: the attention of one head at each checkpoint of the training, for sentences that were chosen before
// it began, and what the model made of them then.

import {attentionPicker, bar, headPicker, layerPicker} from "dragoman/controls.js";
import {el, grouped, headColour, number, prepared, svg} from "dragoman/draw.js";
import {pixels, rising} from "dragoman/tiles.js";
import {Look} from "dragoman/look.js";
import {picker} from "dragoman/picks.js";
import {player} from "dragoman/player.js";

export function filmView(root, app) {
  let film = null;
  let sentence = 0;
  let frames = [];  // {step, look, text}
  let known = "";
  let asked = null;  // the frame of the state that was gone to
  const status = el("p", {class: "empty"}, "The film is being fetched.");
  const which = picker("Sentence", (value) => choose(Number(value)));
  const controls = bar({element: which.element, update() {}}, attentionPicker(app), layerPicker(app), headPicker(app));
  const steps = player({
    name: "Checkpoint", count: () => frames.length, text: (at) => (frames[at] ? `step ${frames[at].step}: ${frames[at].text}` : ""),
    show: draw, time: () => 700, moved: (at) => {
      asked = at;
      app.set({frame: at});
      app.say(`Step ${frames[at].step}: ${frames[at].text}`);
    },
  });
  const facts = el("div", {class: "film-now"});
  const holder = el("div", {class: "film-matrix scroll-x"});
  const curve = el("div", {class: "film-curve"});
  const strip = el("div", {class: "film-strip", role: "group", "aria-label": "Checkpoints"});
  const body = el("div", {class: "film", hidden: true}, controls.element, steps.element, facts,
    el("div", {class: "film-parts"}, holder, el("div", {}, curve, strip)));
  root.append(status, body);

  async function update() {
    if (!film) {
      if (app.model && app.model.film === false) return none();
      try {
        film = await app.film();
      } catch (error) {
        status.textContent = error.message;
        return undefined;
      }
      if (!film?.sentences?.length) return none();
      choose(0);
    }
    controls.update();
    redraw();
    return undefined;
  }

  function none() {
    film = null;
    status.textContent = "This model has no training film. “dragoman train --probe FILE” keeps the attention of the sentences of a file at " +
      "every checkpoint; this view then scrubs through them.";
    body.hidden = true;
  }

  function choose(index) {
    sentence = index;
    frames = film.sentences[index].frames.map(({step, look}) => ({step, look: new Look(look), text: look.text}));
    which.show(film.sentences.map(({source}, i) => [String(i), source]), String(index));
    which.element.hidden = film.sentences.length < 2;
    status.hidden = true;
    body.hidden = false;
    known = "";
    redraw();
  }

  function redraw() {
    const {state} = app;
    const {attention, layer, head} = state;
    const now = [sentence, attention, layer, head, document.documentElement.dataset.theme].join(" ");
    if (now !== known) {
      known = now;
      strip.replaceChildren(...frames.map((_, at) => thumbnail(at)));
      const tallest = Math.max(...frames.map((_, at) => weightsOf(at).rows));
      holder.style.minHeight = `${88 + tallest * cellSize(weightsOf(0))}px`;
    }
    if (state.frame !== null && state.frame !== undefined && state.frame !== asked) steps.go(state.frame);
    else steps.refresh();
  }

  const weightsOf = (at) => {
    const {attention, layer, head} = app.state;
    return frames[at].look.exact(attention, layer, head);
  };

  const entropyOf = (at) => frames[at].look.entropy(app.state.attention, app.state.layer, app.state.head);

  function thumbnail(at) {
    const weights = weightsOf(at);
    const image = pixels(weights.rows, weights.columns, (i, j) => weights.at(i, j), rising(1, headColour(app.state.head)));
    const canvas = el("canvas", {"aria-hidden": "true"});
    const context = prepared(canvas, 72, 72);
    context.imageSmoothingEnabled = false;
    context.drawImage(image, 0, 0, 72, 72);
    return el("button", {type: "button", class: "film-frame", "aria-label": `Step ${frames[at].step}`, onclick: () => steps.go(at)}, canvas,
      el("span", {}, grouped(frames[at].step)));
  }

  function draw(at) {
    if (!frames[at]) return;
    const {step, look, text} = frames[at];
    facts.replaceChildren(el("p", {class: "film-step"}, `Step ${grouped(step)}`), el("p", {class: "film-source"}, film.sentences[sentence].source),
      el("p", {class: "film-text", lang: app.state.target}, text || "(nothing)"));
    holder.replaceChildren(matrix(look, weightsOf(at)));
    curve.replaceChildren(...entropyCurve(at));
    [...strip.children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === at)));
  }

  const margin = () => (holder.clientWidth < 480 ? 76 : 110);
  const cellSize = ({columns}) => Math.max(8, Math.min(22, Math.floor((Math.max(300, holder.clientWidth) - margin() - 30) / columns)));

  // Cells with the tokens beside them.
  function matrix(look, weights) {
    const {queries, keys} = look.tokens(app.state.attention);
    const cell = cellSize(weights);
    const [left, top] = [margin(), 84];
    const [width, height] = [left + weights.columns * cell + 30, top + weights.rows * cell + 4];
    const tint = rising(1, headColour(app.state.head));
    const image = pixels(weights.rows, weights.columns, (i, j) => weights.at(i, j), tint);
    const out = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
      "aria-label": `Attention of head ${app.state.head + 1}: ${strongestText(weights, queries, keys)}`});
    out.append(svg("image", {x: left, y: top, width: weights.columns * cell, height: weights.rows * cell, href: image.toDataURL(),
      preserveAspectRatio: "none", style: {"image-rendering": "pixelated"}}));
    const every = cell < 12 ? 2 : 1;
    queries.forEach((token, i) => i % every || out.append(svg("text", {x: left - 8, y: top + (i + 0.5) * cell + 4, "text-anchor": "end", class: "label"}, token)));
    keys.forEach((token, j) => {
      const [x, y] = [left + (j + 0.5) * cell + 4, top - 8];
      if (j % every === 0) out.append(svg("text", {x, y, transform: `rotate(-50 ${x} ${y})`, class: "label"}, token));
    });
    out.append(svg("rect", {x: left - 0.5, y: top - 0.5, width: weights.columns * cell + 1, height: weights.rows * cell + 1, class: "frame"}));
    return out;
  }

  function strongestText(weights, queries, keys) {
    return queries.slice(0, 12).map((query, i) => {
      let best = 0;
      for (let j = 1; j < weights.columns; ++j) if (weights.at(i, j) > weights.at(i, best)) best = j;
      return `${query} most at ${keys[best]}`;
    }).join(", ");
  }

  function entropyCurve(at) {
    const values = frames.map((_, i) => entropyOf(i));
    const [width, height, left] = [420, 120, 34];
    const most = Math.max(...values, 0.1);
    const x = (i) => left + (i / Math.max(1, frames.length - 1)) * (width - left - 12);
    const y = (value) => 8 + (1 - value / most) * (height - 34);
    const out = svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "curve", role: "img",
      "aria-label": `Entropy of this head: ${number(values[0], 2)} bits at step ${frames[0].step}, ${number(values.at(-1), 2)} at step ${frames.at(-1).step}`});
    for (const tick of [0, most]) {
      out.append(svg("line", {x1: left, x2: width - 8, y1: y(tick), y2: y(tick), class: "curve-grid"}),
        svg("text", {x: left - 5, y: y(tick) + 4, "text-anchor": "end", class: "curve-label"}, number(tick, 1)));
    }
    out.append(svg("path", {d: values.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join(""), class: "curve-line"}),
      svg("circle", {cx: x(at), cy: y(values[at]), r: 4, class: "curve-dot"}),
      svg("text", {x: left, y: height - 8, class: "curve-label"}, `step ${frames[0].step}`),
      svg("text", {x: width - 8, y: height - 8, "text-anchor": "end", class: "curve-label"}, `step ${frames.at(-1).step}`));
    return [el("h3", {}, `Entropy of this head: ${number(values[at], 2)} bits`), out];
  }

  return {update, destroy: steps.pause, svg: () => (frames.length ? matrix(frames[steps.at].look, weightsOf(steps.at)) : null)};
}
