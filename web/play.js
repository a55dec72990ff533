// The translation as it happens: the encoder's layers, all words at once, then the decoder, word by word, with the
// attention of the shown heads as lines.

import {bar, headSquares, mergedSwitch, showPicker} from "dragoman/controls.js";
import {colour, el, faded, headColour, prepared, svg} from "dragoman/draw.js";
import {player} from "dragoman/player.js";
import {layoutOf, momentText, momentsOf, sceneOf} from "dragoman/playscene.js";

const durations = {embed: 700, encoder: 1500, read: 350, decoder: 750, write: 450};

export function playView(root, app) {
  let play = null;
  let layout = null;
  let moments = [];
  let known = null;
  let drawn = null;  // {at, t}
  let asked = null;  // the moment of the state that was gone to

  const controls = bar(headSquares(app), mergedSwitch(app), showPicker(app));
  const status = el("p", {class: "empty"});
  const canvas = el("canvas", {role: "img"});
  const spacer = el("div", {class: "play-spacer"});
  const scroller = el("div", {class: "play-scroll", onscroll: () => draw(drawn.at, drawn.t)}, el("div", {class: "play-sticky"}, canvas), spacer);
  const caption = el("p", {class: "play-caption"});
  const steps = player({
    name: "Moment of the translation", count: () => moments.length, text: (at) => momentText(play, moments[at]), show: draw,
    time: (at) => durations[moments[at].kind], moved: (at) => {
      asked = at;
      app.set({step: at});
      app.say(momentText(play, moments[at]));
    },
  });
  const body = el("div", {class: "play"}, steps.element, caption, scroller, el("p", {class: "note"},
    "Layers rise from the bottom. Lines are attention weights of the shown heads, in their colours: the thicker, the heavier; the lightest " +
    "are left out."));
  root.append(controls.element, status, body);
  const watch = new ResizeObserver(() => {
    if (play) arrange();
  });
  watch.observe(scroller);

  function update() {
    controls.update();
    const {look, state} = app;
    status.hidden = look !== null;
    body.hidden = look === null;
    if (!look) {
      status.textContent = "Translate a sentence first: this view plays how it was translated.";
      steps.pause();
      return;
    }
    const {encoder, decoder} = {encoder: look.shape("encoder"), decoder: look.shape("decoder")};
    play = {
      heads: [...state.heads], weights: (kind, layer, head) => look.weights(kind, layer, head), colour: headColour,
      sources: look.tokens("encoder").keys, inputs: look.tokens("decoder").keys, outputs: look.tokens("cross").queries,
      encoderLayers: encoder.layers, decoderLayers: decoder.layers,
      least: look.src.length > 60 ? 0.15 : 0.07,
      has: (kind, layer) => look.has(kind, layer), cache: play?.cache ?? new Map(),
    };
    const heads = play.heads.join(" ");
    if (known?.look !== look || known.now !== state.merged || known.heads !== heads) play.cache = new Map();
    if (known) known.heads = heads;
    if (known?.look !== look || known.now !== state.merged) {
      known = {look, now: state.merged, heads};
      moments = momentsOf(play.encoderLayers, play.decoderLayers, play.outputs.length);
      arrange();
    }
    if (state.step !== null && state.step !== asked) steps.go(state.step);
    else steps.refresh();
  }

  function arrange() {
    const size = {sources: play.sources.length, targets: play.outputs.length, encoderLayers: play.encoderLayers,
      decoderLayers: play.decoderLayers};
    layout = layoutOf(size, Math.max(280, scroller.clientWidth));
    spacer.style.width = `${layout.width}px`;
    steps.refresh();
  }

  function draw(at, t) {
    if (!play || !layout) return;
    drawn = {at, t};
    const width = Math.min(layout.width, Math.max(280, scroller.clientWidth));
    follow(moments[at], width);
    const context = prepared(canvas, width, layout.height);
    paint(context, sceneOf(play, layout, moments, at, t), scroller.scrollLeft, width);
    const text = momentText(play, moments[at]);
    if (caption.textContent !== text) {
      caption.textContent = text;
      canvas.setAttribute("aria-label", text);
    }
  }

  // Keeps the word that is being written in sight.
  function follow(moment, width) {
    if (!steps.running || layout.width <= width) return;
    const x = moment.word === undefined ? 0 : layout.decoder(0, moment.word).x;
    if (x < scroller.scrollLeft + 40 || x > scroller.scrollLeft + width - 60) scroller.scrollLeft = Math.max(0, x - width * 0.6);
  }

  function destroy() {
    steps.pause();
    watch.disconnect();
  }

  return {update, destroy, svg: () => (play && drawn ? picture(sceneOf(play, layout, moments, drawn.at, drawn.t), layout) : null)};
}

function end(line) {
  const {x1, y1, x2, y2, grown} = line;
  return {x: x1 + (x2 - x1) * grown, y: y1 + (y2 - y1) * grown};
}

const anchorOf = ({angle, below, begins}) => (begins || (angle && !below) ? "left" : angle ? "right" : "center");

function paint(context, scene, left, width) {
  const ink = colour("--ink");
  const [soft, accent, edge, paper] = ["--soft", "--accent", "--edge", "--paper"].map(colour);
  context.translate(-left, 0);
  const seen = (x) => x > left - 80 && x < left + width + 80;
  for (const line of scene.lines) {
    if (line.grown <= 0 || (!seen(line.x1) && !seen(line.x2))) continue;
    const to = end(line);
    context.strokeStyle = faded(line.colour, line.alpha);
    context.lineWidth = line.width;
    context.beginPath();
    context.moveTo(line.x1, line.y1);
    context.lineTo(to.x, to.y);
    context.stroke();
  }
  for (const dot of scene.dots) {
    if (!seen(dot.x)) continue;
    context.beginPath();
    context.arc(dot.x, dot.y, dot.r, 0, 2 * Math.PI);
    context.fillStyle = paper;
    context.fill();
    if (dot.lit > 0) {
      context.fillStyle = faded(dot.current ? accent : ink, dot.lit);
      context.fill();
    }
    context.lineWidth = 1;
    context.strokeStyle = dot.lit > 0 ? faded(dot.current ? accent : ink, 0.4 + 0.6 * dot.lit) : faded(edge, 0.7);
    context.stroke();
  }
  context.textBaseline = "middle";
  const font = getComputedStyle(document.body).fontFamily;
  for (const text of scene.texts) {
    if (!seen(text.x)) continue;
    context.save();
    context.globalAlpha = text.alpha ?? 1;
    context.font = `${text.strong ? 600 : 400} 13px ${font}`;
    context.fillStyle = text.strong ? ink : soft;
    context.translate(text.x, text.y);
    if (!text.begins) context.rotate((-(text.angle ?? 0) * Math.PI) / 180);
    context.textAlign = anchorOf(text);
    context.fillText(text.text, 0, 0);
    context.restore();
  }
}

// The same shapes for export.
function picture(scene, layout) {
  const out = svg("svg", {viewBox: `0 0 ${layout.width} ${layout.height}`, width: layout.width, height: layout.height});
  for (const line of scene.lines) {
    if (line.grown <= 0) continue;
    const to = end(line);
    out.append(svg("line", {x1: line.x1.toFixed(1), y1: line.y1.toFixed(1), x2: to.x.toFixed(1), y2: to.y.toFixed(1), stroke: line.colour,
      "stroke-opacity": line.alpha.toFixed(2), "stroke-width": line.width.toFixed(2)}));
  }
  const [ink, accent, paper] = ["--ink", "--accent", "--paper"].map(colour);
  for (const dot of scene.dots) {
    const fill = dot.lit > 0.5 ? (dot.current ? accent : ink) : paper;
    out.append(svg("circle", {cx: dot.x.toFixed(1), cy: dot.y.toFixed(1), r: dot.r, fill, stroke: dot.current ? accent : ink, "stroke-opacity": "0.7"}));
  }
  for (const text of scene.texts) {
    const turn = text.angle && !text.begins ? `rotate(${-text.angle} ${text.x.toFixed(1)} ${text.y.toFixed(1)})` : null;
    out.append(svg("text", {x: text.x.toFixed(1), y: text.y.toFixed(1), transform: turn, class: text.strong ? "label strong" : "label",
      "text-anchor": {left: "start", right: "end", center: "middle"}[anchorOf(text)], "dominant-baseline": "middle"}, text.text));
  }
  return out;
}
