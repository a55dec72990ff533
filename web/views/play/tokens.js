// The tokens below the stacks, and the output of the stacks that others read.

import {circle, ease, fitted, words} from "./shapes.js";

const longest = 70;    // pixels of a slanted label
const smallest = 9.5;  // pixels: the size of the letters where the labels are dense

/** The labels of all tokens that the stacks have read. */
export function tokenShapes(play, layout, moment, t) {
  return play.figure.stacks.flatMap((stack) => [
    ...labels(play, layout, stack, moment, t), ...(stack.read ? outputDots(play, layout, stack, moment) : [])]);
}

function labels(play, layout, stack, moment, t) {
  const place = layout.places.get(stack);
  const ofSource = stack.tokens === "source";
  const tokens = ofSource ? play.sources : play.inputs.slice(0, (moment.word ?? -1) + 1);
  const arriving = moment.kind === "input" && moment.stack === stack;
  const size = Math.max(smallest, Math.min(layout.font, place.step));
  const every = Math.ceil((size - 1) / place.step);  // labels that do not fit are left out
  return tokens.map((token, i) => {
    const isCurrent = !ofSource && i === tokens.length - 1;
    if (!isCurrent && (i % every || (!ofSource && tokens.length - 1 - i < every))) return null;
    const entered = arriving && (ofSource || isCurrent) ? ease(t * 1.6) : 1;
    const room = place.angle ? longest : place.step - 4;
    const to = {x: place.lane(i), y: place.bottom + (place.angle ? 6 : 12)};
    const at = isCurrent && arriving && i > 0 && layout.output ? onTheWay(layout.output.text, to, entered) : to;
    return words(at.x, at.y, fitted(token, room, size), {size, angle: entered < 1 && at !== to ? 0 : place.angle,
      align: place.angle ? "right" : "center", strong: isCurrent || (ofSource && arriving), alpha: entered,
      fill: isCurrent ? "--accent" : "--ink"});
  });
}

// A written word goes back down to the input.
function onTheWay(from, to, share) {
  const [x, y] = [from.x + from.w / 2, from.y + from.h / 2];
  return {x: x + (to.x - x) * share, y: y + (to.y - y) * share};
}

// A dot for each token of the output, which lights up when the stack is done.
function outputDots(play, {places}, stack, moment) {
  const place = places.get(stack);
  const count = stack.tokens === "source" ? play.sources.length : (moment.word ?? -1) + 1;
  const isDone = moment.stack !== stack && (moment.word !== undefined || moment.kind === "write");
  const radius = Math.max(1, Math.min(4, place.step * 0.3));
  return Array.from({length: count}, (_, i) => circle(place.lane(i), place.top, radius,
    isDone ? {fill: "--ink"} : {fill: "--paper", stroke: "--edge"}));
}
