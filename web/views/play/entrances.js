// Which view explains a block, and what that view must show.

import {hasPositionsBlock} from "./figure.js";

const explainedByWhy = new Set(["feed-forward", "norm", "add", "add-norm"]);

/**
 * The changes of the state that open the view of a block, or null if there is none; `goal` among them is the step of
 * "Why" that explains the block. `repeat` is the layer of the block's group that is meant, `word` the word of the
 * translation (undefined while the source is read), and `piece` its first piece.
 */
export function entranceOf(block, {repeat, word, piece}) {
  switch (block.kind) {
    case "attention":
      return block.site ? {tab: "heads", ...attentionOf(block, repeat, word)} : null;
    case "embedding":
    case "positions":
      return hasPositionsBlock(block.stack) ? {tab: "positions"} : null;
    case "readout":
    case "linear":
    case "softmax":
      return hasSoftmax(block.stack) ? {tab: "words", word: piece ?? 0} : null;
    default: {
      const nearest = nearestAttention(block);
      if (!nearest) return null;
      // What comes after all layers is explained by the last of them.
      const place = attentionOf(nearest, block.group === nearest.group ? repeat : nearest.group.count - 1, word);
      return explainedByWhy.has(block.kind) ? {tab: "why", goal: stepOf(block, nearest), ...place}
        : {tab: "heads", ...place};
    }
  }
}

// The step of "Why" that computes a block, for the attention before it; empty if the block comes before the attention.
function stepOf(block, attention) {
  if (block.order < attention.order) return "";
  if (block.kind === "feed-forward") return "network";
  const between = attention.group.blocks.filter(({order}) => order > attention.order && order < block.order);
  const ofNetwork = between.some(({kind}) => kind === "feed-forward");
  if (block.kind === "norm") return ofNetwork ? "network-norm" : "norm";
  return ofNetwork ? "network-residual" : "residual";
}

const hasSoftmax = ({groups}) => groups.some(({blocks}) => blocks.some(({kind}) => kind === "softmax"));

function attentionOf({site, group, siteLayer}, repeat, word) {
  const pin = word !== undefined && site.queries === "target" ? {query: word, key: null} : {};
  return {attention: site.name, layer: siteLayer(Math.min(repeat, group.count - 1)), ...pin};
}

// The last attention before a block in its layer, or else the first after it; in the output of a stack, the last one.
function nearestAttention(block) {
  const withSite = ({blocks}) => blocks.filter(({kind, site}) => kind === "attention" && site);
  const own = withSite(block.group);
  const before = own.filter(({order}) => order < block.order).at(-1);
  if (before || own.length) return before ?? own[0];
  return block.stack.groups.flatMap(withSite).filter(({order}) => order < block.order).at(-1) ?? null;
}
