// What the animation shows at each moment, as shapes: the stacks with their blocks and arrows, the tokens, the
// attention of the blocks that have computed, and the words that come out. Nothing here draws; see painting.js.
//
// `play` is what is animated:
//   figure, moments: see figure.js and moments.js
//   sources, inputs, outputs: labels of the source, of what the decoder reads, and of what it writes
//   headsOf(site): the heads that are shown; has(name, layer), weights(name, layer, head), colour(head)
//   wordsAt(word): the likeliest words at the position of a word, see core/next_words.js; null if they are unknown
//   least: the smallest weight that is drawn
//   cache: a Map in which attention.js keeps what it has found

import {text} from "../../strings/play.js";
import {attentionShapes} from "./attention.js";
import {hasState} from "./figure.js";
import {activityOf} from "./moments.js";
import {outputShapes} from "./output.js";
import {circle, curve, ease, fitted, line, rect, widthOf, words} from "./shapes.js";
import {tokenShapes} from "./tokens.js";

/** The shapes of a moment at the fraction `t` of its duration, those behind others first. */
export function sceneOf(play, layout, moment, t) {
  const {stacks, blocks} = play.figure;
  const activities = new Map(blocks.map((block) => [block, activityOf(block, moment, t)]));
  return [
    ...stacks.flatMap((stack) => frameShapes(stack, layout, activities)),
    ...stacks.flatMap((stack) => arrowShapes(stack, layout)),
    ...blocks.flatMap((block) => boxShapes(block, layout, activities.get(block))),
    ...tokenShapes(play, layout, moment, t),
    ...attentionShapes(play, layout, moment, activities),
    ...outputShapes(play, layout, moment, t),
  ].filter(Boolean);
}

// The frames around repeated layers, and the names of the stacks.
function frameShapes(stack, {places, rects, font}, activities) {
  const place = places.get(stack);
  const shapes = [];
  for (const {group, x, y, w, h} of place.frames) {
    const active = group.blocks.map((block) => activities.get(block)).find(({state}) => state === "active");
    const now = active && text.layerNow(group.first + active.repeat + 1, stack.layers);
    const label = [now ?? text.layers(group.count), group.shared ? text.shared : ""].filter(Boolean).join(", ");
    shapes.push(rect(x, y, w, h, {r: 12, fill: "--sunk", stroke: "--line"}),
      words(place.boxX + 2, y + 12, label,
        {size: font, align: "left", fill: active ? "--accent" : "--soft", strong: Boolean(active)}));
  }
  const top = place.frames.at(-1);
  const blocks = stack.groups.flatMap((group) => group.blocks);
  const y = top ? top.y + 12 : (blocks.length ? rects.get(blocks.at(-1)).y : place.top) - font - 2;
  const right = {size: font, align: top ? "right" : "left", fill: "--ink", strong: true};
  shapes.push(words(top ? place.boxX + place.boxW - 2 : place.boxX, y, stack.title, right));
  return shapes;
}

// Where the arrow into a block ends, and where the one out of it begins.
const inlet = ({kind}, {y, h}) => (kind === "positions" ? y + h / 2 + 9 : y + h);
const outlet = ({kind}, {y, h}) => (kind === "positions" ? y + h / 2 - 9 : y);

function arrowShapes(stack, layout) {
  const {places, rects, output} = layout;
  const place = places.get(stack);
  const shapes = [];
  let from = place.bottom;
  for (const group of stack.groups) {
    for (const block of group.blocks) {
      const box = rects.get(block);
      shapes.push(line([[place.middle, from], [place.middle, inlet(block, box)]], {arrow: true}),
        residual(block, layout), reading(block, layout));
      from = outlet(block, box);
    }
  }
  const hasSoftmax = stack.groups.at(-1)?.blocks.at(-1)?.kind === "softmax";
  if (hasSoftmax && output) {
    shapes.push(line([[place.middle, from], [place.middle, output.bars.y + output.bars.h]], {arrow: true}));
  } else if (stack.read) {
    shapes.push(line([[place.middle, from], [place.middle, place.top]]));
  }
  return shapes;
}

// The way around the blocks since the last addition.
function residual(block, {rects, places}) {
  if (block.kind !== "add" && block.kind !== "add-norm") return null;
  const {blocks} = block.group;
  let first = blocks.indexOf(block);
  while (first > 0 && !blocks[first - 1].kind.startsWith("add")) --first;
  if (blocks[first] === block) return null;
  const place = places.get(block.stack);
  const [start, end] = [rects.get(blocks[first]), rects.get(block)];
  const edge = place.outer < 0 ? place.boxX : place.boxX + place.boxW;
  const x = edge + place.outer * Math.min(13, Math.abs(edge - (place.outer < 0 ? place.x : place.x + place.w)) - 6);
  const below = start.y + start.h + 5;
  const y = end.y + end.h / 2;
  return line([[place.middle, below], [x, below], [x, y], [edge, y]], {arrow: true});
}

// From the output of another stack into a block.
function reading(block, {rects, places}) {
  if (!block.reads) return null;
  const [from, to] = [places.get(block.reads), places.get(block.stack)];
  const isRight = from.x < to.x;
  const edge = isRight ? to.boxX : to.boxX + to.boxW;
  const between = isRight ? (from.x + from.w + to.x) / 2 : (to.x + to.w + from.x) / 2;
  const box = rects.get(block);
  const y = box.y + box.h * (block.kind === "attention" ? 0.72 : 0.5);
  return line([[from.middle, from.top], [between, from.top], [between, y], [edge, y]], {arrow: true});
}

function boxShapes(block, layout, {state, share}) {
  const box = layout.rects.get(block);
  if (block.kind === "positions") return positionShapes(block, box, layout, {state, share});
  const {x, y, w, h} = box;
  const lit = state === "active" ? ease(share * 4) : 0;
  const title = block.kind === "attention" ? y + 12 : y + h / 2;
  const strong = state === "active";
  const name = fitted(block.title, w - 8, layout.font) === block.title ? block.title
    : fitted(block.short, w - 8, layout.font);
  return [
    rect(x, y, w, h, {fill: "--raised", stroke: state === "waiting" ? "--line" : "--edge"}),
    lit ? rect(x, y, w, h, {fill: "--wash", stroke: "--accent", thickness: 2, alpha: lit}) : null,
    hasState(block) ? loop(block, layout, box) : null,
    words(x + w / 2, title, name, {size: layout.font, strong, fill: state === "waiting" ? "--soft" : "--ink"}),
  ];
}

// A recurrent block reads what it computed for the word before.
function loop({stack}, {places}, {y, h}) {
  const place = places.get(stack);
  const side = -place.outer;
  const edge = side < 0 ? place.boxX : place.boxX + place.boxW;
  const middle = y + h / 2;
  const out = edge + side * 18;
  return curve([[edge, middle + 6], [out, middle + 9], [out, middle - 9], [edge, middle - 6]], 1,
    {stroke: "--edge", thickness: 1});
}

// A circle with a plus, and beside it a wave if there is room for it.
function positionShapes(block, {y, h}, {places, font}, {state, share}) {
  const {middle, outer, boxX, boxW} = places.get(block.stack);
  const centre = y + h / 2;
  const style = state === "active" ? {fill: "--wash", stroke: "--accent", thickness: 1 + ease(share * 4)}
    : {fill: "--raised", stroke: state === "waiting" ? "--line" : "--edge"};
  const ink = {stroke: state === "waiting" ? "--soft" : "--ink", thickness: 1.2};
  const wave = middle + outer * 34;
  const roomAfter = (x) => (outer < 0 ? x - boxX : boxX + boxW - x);
  const hasWave = widthOf(block.title, font, true) <= roomAfter(wave + outer * 15);
  const begin = hasWave ? wave + outer * 15 : middle + outer * 21;
  return [
    line([[middle + outer * (hasWave ? 24 : 19), centre], [middle + outer * 9, centre]], {arrow: true}),
    circle(middle, centre, 9, style),
    line([[middle - 5, centre], [middle + 5, centre]], ink), line([[middle, centre - 5], [middle, centre + 5]], ink),
    ...(hasWave ? [circle(wave, centre, 10, style), curve(
      [[wave - 7, centre], [wave - 2, centre - 12], [wave + 2, centre + 12], [wave + 7, centre]], 1, ink)] : []),
    words(begin, centre, fitted(block.title, roomAfter(begin) + 4, font), {size: font, strong: state === "active",
      align: outer < 0 ? "right" : "left", fill: state === "waiting" ? "--soft" : "--ink"}),
  ];
}
