// The model's blocks as they are drawn and computed, from its declaration: `stacks` of /v1/model (see
// dragoman/model/blocks.h). Each stack is drawn with its input at the bottom, one copy of each repeated layer above it,
// and its output on top.

import {text} from "../../strings/play.js";

// The name of a kind of block, what it does, and a short name if there is one.
const usual = {
  embedding: [text.embedding, text.aboutEmbedding],
  positions: [text.positions, text.aboutPositions],
  "feed-forward": [text.feedForward, text.aboutFeedForward],
  norm: [text.norm, text.aboutNorm],
  add: [text.add, text.aboutAdd],
  "add-norm": [text.addNorm, text.aboutAddNorm],
  recurrent: [text.recurrent, text.aboutRecurrent],
  bidirectional: [text.bidirectional, text.aboutBidirectional, text.recurrent],
  convolution: [text.convolution, text.aboutConvolution],
  readout: [text.readout, text.aboutReadout],
  linear: [text.linear, text.aboutLinear],
  softmax: [text.softmax, text.aboutSoftmax],
};

const capitalised = (name) => name.charAt(0).toUpperCase() + name.slice(1);

function attentionWords(site, reads) {
  if (!site) return [text.attention, text.aboutSelf, text.attention];
  const many = site.heads > 1;
  if (site.causal) return [many ? text.maskedMultiHead : text.masked, text.aboutMasked, text.masked];
  const about = site.queries === site.keys ? text.aboutSelf : text.aboutCross(reads?.title ?? text.encoder);
  return [many ? text.multiHead : text.attention, about, text.attention];
}

/**
 * {stacks, blocks}: the stacks from left to right, and all drawn blocks in the order of the computation.
 *   A stack is {name, title, tokens, groups, read}: `tokens` is "source" or "target", and `read` says whether another
 *   stack reads its output.
 *   A group is {stack, part, blocks, count, shared, first}: the blocks of the "input", of a "layer" that is computed
 *   `count` times, or of the "output". `first` is the number of its first layer in the stack.
 *   A block is {id, order, stack, group, kind, title, short, about, site, siteLayer, reads}: `site` is the attention
 *   site or null, siteLayer(i) its layer in the i-th layer of the group, and `reads` the stack that it reads or null.
 */
export function figureOf(declared, sites) {
  const stacks = declared.map(({name, tokens}) => (
    {name, tokens, title: {encoder: text.encoder, decoder: text.decoder}[name] ?? capitalised(name), groups: []}));
  const seen = new Map();  // the number of layers of each site in the groups so far
  declared.forEach(({input, layers, output}, i) => {
    let first = 0;
    const add = (part, blocks, count = 1, shared = false) => {
      if (!blocks?.length) return;
      stacks[i].groups.push(groupOf({stack: stacks[i], part, count, shared, first}, blocks, {stacks, sites, seen}));
      if (part === "layer") first += count;
    };
    add("input", input);
    for (const {blocks, count, shared} of layers ?? []) add("layer", blocks, count, shared);
    add("output", output);
    stacks[i].layers = first;
  });
  // The source is computed first, then the translation.
  const inOrder = ["source", "target"].flatMap((side) => stacks.filter(({tokens}) => tokens === side));
  const blocks = inOrder.flatMap(({groups}) => groups.flatMap((group) => group.blocks));
  blocks.forEach((block, order) => Object.assign(block, {order, id: `${block.stack.name}-${order}`}));
  for (const stack of stacks) stack.read = blocks.some(({reads}) => reads === stack);
  return {stacks, inOrder, blocks};
}

function groupOf(group, blocks, {stacks, sites, seen}) {
  const uses = (name) => blocks.filter(({site}) => site === name).length;
  const before = new Map(seen);
  group.blocks = blocks.map((block, i) => {
    const site = sites.find(({name}) => name === block.site) ?? null;
    const at = (before.get(block.site) ?? 0) + blocks.slice(0, i).filter((other) => other.site === block.site).length;
    const reads = stacks.find(({name}) => name === block.reads) ?? null;
    const [title, about, short = title] = block.kind === "attention" ? attentionWords(site, reads)
      : usual[block.kind] ?? [block.kind, text.aboutOther];
    return {
      stack: group.stack, group, kind: block.kind, title: block.title ?? title, short: block.title ?? short,
      about: block.about ?? about, site, siteLayer: (repeat) => at + repeat * uses(block.site), reads,
    };
  });
  for (const {site} of blocks) {
    if (site) seen.set(site, (before.get(site) ?? 0) + group.count * uses(site));
  }
  return group;
}

/** Whether a block carries a state from word to word. */
export const hasState = ({kind}) => kind === "recurrent" || kind === "bidirectional";

/** Whether position encodings are added in a stack. */
export const hasPositionsBlock = (stack) => stack.groups.some(
  ({blocks}) => blocks.some(({kind}) => kind === "positions"));
