// The translation as it happens: the encoder's layers, all words at once, then the decoder, word by word, with the
// attention of the shown heads as lines.

import {bar, headSquares, mergedSwitch, showPicker} from "dragoman/controls.js";
import {colour, el, faded, headColour, prepared, svg} from "dragoman/draw.js";
import {player} from "dragoman/player.js";
import {layoutOf, momentText, momentsOf, sceneOf} from "dragoman/playscene.js";
import {hasPositions} from "dragoman/sites.js";

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
  const scroller = el("div", {class: "play-scroll", tabindex: "0", role: "group",
    "aria-label": "Picture of the translation", onscroll: () => drawn && draw(drawn.at, drawn.t)},
  el("div", {class: "play-sticky"}, canvas), spacer);
  const caption = el("p", {class: "play-caption"});
  const steps = player({
    name: "Moment of the translation", show: draw, count: () => moments.length,
    text: (at) => (moments[at] ? momentText(play, moments[at]) : ""), time: (at) => durations[moments[at].kind],
    moved(at) {
      asked = at;
      app.set({step: at});
      app.say(momentText(play, moments[at]));
    },
  });
  const note = "Layers rise from the bottom. Lines are attention weights of the shown heads, in their colours: the " +
    "thicker, the heavier; the lightest are left out.";
  const body = el("div", {class: "play"}, steps.element, caption, scroller, el("p", {class: "note"}, note));
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
    const [encoder, decoder] = ["source", "target"].map((stack) => sitesIn(stack));
    const layers = (sites) => Math.max(0, ...sites.map(({name}) => look.shape(name).layers));
    play = {
      encoder, decoder, weights: (name, layer, head) => look.weights(name, layer, head), colour: headColour,
      sources: look.labels("src"), inputs: look.labels("read"), outputs: look.labels("tgt"),
      encoderLayers: layers(encoder), decoderLayers: layers(decoder), positions: hasPositions(app.model),
      least: look.src.length > 60 ? 0.15 : 0.07,
      has: (name, layer) => look.has(name, layer), cache: play?.cache ?? new Map(),
    };
    const heads = JSON.stringify([encoder, decoder]);
    const other = known?.look !== look || known.merged !== state.merged;
    if (other || known.heads !== heads) play.cache = new Map();
    known = {look, merged: state.merged, heads};
    if (other) {
      moments = momentsOf(play.encoderLayers, play.decoderLayers, play.outputs.length);
      arrange();
    }
    if (state.step !== null && state.step !== asked) steps.go(state.step);
    else steps.refresh();
  }

  // The sites whose queries are in a stack, with the heads that are shown: all of each, or those that are chosen.
  function sitesIn(stack) {
    const {heads, allHeads} = app.state;
    const shown = (count) => (
      heads.size === allHeads ? Array.from({length: count}, (_, i) => i) : [...heads].filter((head) => head < count));
    return app.sites.filter(({queries}) => queries === stack)
      .map(({name, keys, layers, heads: count}) => ({name, keys, layers, heads: shown(count)}));
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
    const left = scroller.scrollLeft;
    if (x < left + 40 || x > left + width - 60) scroller.scrollLeft = Math.max(0, x - width * 0.6);
  }

  function destroy() {
    steps.pause();
    watch.disconnect();
  }

  const now = () => sceneOf(play, layout, moments, drawn.at, drawn.t);
  return {update, destroy, svg: () => (play && drawn ? picture(now(), layout) : null)};
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
function picture(scene, {width, height}) {
  const out = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height});
  const short = (value) => value.toFixed(1);
  for (const line of scene.lines) {
    if (line.grown <= 0) continue;
    const to = end(line);
    out.append(svg("line", {
      x1: short(line.x1), y1: short(line.y1), x2: short(to.x), y2: short(to.y), stroke: line.colour,
      "stroke-opacity": line.alpha.toFixed(2), "stroke-width": line.width.toFixed(2),
    }));
  }
  const [ink, accent, paper] = ["--ink", "--accent", "--paper"].map(colour);
  for (const dot of scene.dots) {
    const own = dot.current ? accent : ink;
    const fill = dot.lit > 0.5 ? own : paper;
    const place = {cx: short(dot.x), cy: short(dot.y), r: dot.r};
    out.append(svg("circle", {...place, fill, stroke: own, "stroke-opacity": "0.7"}));
  }
  const anchors = {left: "start", right: "end", center: "middle"};
  for (const text of scene.texts) {
    const [x, y] = [short(text.x), short(text.y)];
    out.append(svg("text", {
      x, y, transform: text.angle && !text.begins ? `rotate(${-text.angle} ${x} ${y})` : null,
      class: text.strong ? "label strong" : "label", "dominant-baseline": "middle",
      "text-anchor": anchors[anchorOf(text)],
    }, text.text));
  }
  return out;
}
