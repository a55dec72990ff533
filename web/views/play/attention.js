// The attention of the blocks that have computed, as curves between tokens: within a block, or from the output of the
// stack that it reads. All weights are those of the trace.

import {number} from "../../core/format.js";
import {text} from "../../strings/play.js";
import {circle, curve, ease} from "./shapes.js";

const mostCurves = 2500;  // of one block, so that a long sentence is drawn quickly
const doneStrength = 0.28;  // of the curves of a block that has computed before

const radius = ({step}) => Math.max(1, Math.min(3.5, step * 0.3));

/** The heights of the queries and of the keys in the box of an attention block. */
export const queriesAt = ({y}) => y + 27;
export const keysAt = ({y, h}) => y + h - 9;

/** Dots and curves of all attention blocks. */
export function attentionShapes(play, layout, moment, activities) {
  return play.figure.blocks.filter(({kind}) => kind === "attention").flatMap((block) => (
    blockShapes(play, layout, moment, block, activities.get(block))));
}

function blockShapes(play, layout, moment, block, activity) {
  const {rects, places} = layout;
  const [box, place] = [rects.get(block), places.get(block.stack)];
  const known = tokensOf(play, block.stack, moment);
  const dots = [];
  for (let i = 0; i < known; ++i) {
    const isCurrent = block.stack.tokens === "target" && i === known - 1 && activity.state === "active";
    const style = isCurrent ? {fill: "--accent"} : {fill: "--edge", alpha: activity.state === "waiting" ? 0.45 : 0.8};
    dots.push(circle(place.lane(i), queriesAt(box), radius(place) + (isCurrent ? 1 : 0), style));
    if (!block.reads) dots.push(circle(place.lane(i), keysAt(box), radius(place), style));
  }
  return [...curvesOf(play, layout, moment, block, activity), ...dots];
}

// How many tokens of a stack are there at a moment.
const tokensOf = ({sources}, {tokens}, {word = -1}) => (tokens === "source" ? sources.length : word + 1);

function curvesOf(play, layout, moment, block, {state, share, repeat}) {
  const {site} = block;
  if (!site || state === "waiting") return [];
  const ofSource = block.stack.tokens === "source";
  if (!ofSource && moment.word === undefined) return [];
  const queries = ofSource ? play.sources.map((_, i) => i) : [moment.word];
  const most = Math.max(2, Math.min(4 * site.heads, Math.floor(mostCurves / queries.length)));
  const [grown, strength] = state === "active" ? [ease(share * 1.5), 1] : [1, doneStrength];
  return queries.flatMap((query) => (
    heaviest(play, site, block.siteLayer(repeat), query, most).map((link) => (
      linkCurve(play, layout, block, {...link, query, grown, strength})))));
}

// Curves of different heads are side by side.
function linkCurve(play, {rects, places}, block, {query, key, head, weight, grown, strength}) {
  const [box, place] = [rects.get(block), places.get(block.stack)];
  const heads = play.headsOf(block.site);
  const aside = (heads.indexOf(head) - (heads.length - 1) / 2) * Math.min(2, place.step / 6, 7 / heads.length);
  const to = [place.lane(query) + aside, queriesAt(box)];
  return curve(block.reads ? fromStack(places.get(block.reads), key, aside, to, place)
    : withinBlock([place.lane(key) + aside, keysAt(box)], to), grown, {
    stroke: play.colour(head), alpha: strength * Math.min(1, 0.15 + 0.85 * weight), thickness: 0.6 + 2.6 * weight,
    title: () => text.curve(head + 1, labelOf(play, block.site.queries, query, true),
      labelOf(play, block.site.keys, key, false), number(weight, 4)),
  });
}

const labelOf = ({sources, inputs, outputs}, side, i, isQuery) => (
  side === "source" ? sources : isQuery ? outputs : inputs)[i];

function withinBlock(from, to) {
  const half = (from[1] - to[1]) * 0.55;
  return [from, [from[0], from[1] - half], [to[0], to[1] + half], to];
}

// Up from the output of the other stack, over to this one, and into the block.
function fromStack(other, key, aside, to, place) {
  const from = [other.lane(key) + aside, other.top];
  const side = other.x < place.x ? place.x : place.x + place.w;
  const up = Math.min(110, Math.max(50, Math.abs(to[0] - from[0]) / 5));
  return [from, [from[0] + (side - from[0]) * 0.3, from[1] - up], [to[0] + (side - to[0]) * 0.2, to[1] + 56], to];
}

/** The links {key, head, weight} of one query of a site, the heaviest first. There are at most `most`. */
export function heaviest(play, site, layer, query, most) {
  const name = `${site.name} ${layer} ${query}`;
  if (play.cache.has(name)) return play.cache.get(name);
  const found = [];
  if (!play.has(site.name, layer)) return found;
  for (const head of play.headsOf(site)) {
    const weights = play.weights(site.name, layer, head);
    if (query >= weights.rows) continue;
    for (let key = 0; key < weights.columns; ++key) {
      const weight = weights.at(query, key);
      if (weight >= play.least) found.push({key, head, weight});
    }
  }
  found.sort((a, b) => b.weight - a.weight);
  found.length = Math.min(found.length, most);
  play.cache.set(name, found);
  return found;
}
