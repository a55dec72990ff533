// The steps of the tour: how the model learned, and the way from the pieces of the sentence to the translation.

import {grouped, number} from "../../core/format.js";
import {followsEquationOne, hasPositions, isSelf, scores} from "../../core/sites.js";
import {label} from "../../core/tokens.js";
import {keyLength} from "../../parts/formula.js";
import {text as strings} from "../../strings/tour.js";
import {pairOfLayer, pairOfOneHead} from "./words.js";

const quoted = (pieces) => pieces.slice(0, 8).map((piece) => `“${label(piece)}”`);
const shortened = (text, most = 48) => (text.length > most ? `${text.slice(0, most).trimEnd()} …` : text);

const encoder = (sites) => sites.find((site) => isSelf(site) && site.keys === "source");
const cross = (sites) => sites.find(({queries, keys}) => queries === "target" && keys === "source");
// Chooses a site with the property: the encoder's self-attention if possible, or else the first in the list.
const preferred = (sites, property) => [encoder(sites), ...sites].find((site) => site && property(site));

/**
 * A step is {title, section, files, here, state, text, block?, site?, pair?, needs?, press?, ofModel?}:
 *   section, files: of the paper, and of the source; `files` may be a function of the site
 *   here: selects the element that is marked; `block` says which end of it must be visible, "start" by default
 *   state: what the views show
 *   site(sites): the attention that the step is about
 *   needs(model, sites): whether the model has what the step explains; if not, or without `site`, it is skipped
 *   pair(trace, site): chooses two words (see words.js), which are pinned
 *   press: selects a button that is pressed when the step begins
 *   ofModel: whether the step needs no sentence
 *   text({trace, model, site, pair, film}): the explanation, as a list of parts
 */
export const steps = [
  {
    title: strings.learnedTitle, section: strings.learnedSection, ofModel: true,
    files: ["dragoman/train/trainer.cpp", "dragoman/optim/adam.cpp"],
    here: ".film-picture", state: {tab: "film", layer: Infinity, head: 0, frame: 0}, press: "#view .play-button",
    site: (sites) => cross(sites) ?? sites[0] ?? true, needs: ({film}) => film,
    text: ({film}) => [strings.learned, ...filmText(film?.sentences?.[0])],
  },
  {
    title: strings.piecesTitle, section: strings.piecesSection,
    files: ["dragoman/text/tokenizer.h", "dragoman/text/train_tokenizer.cpp"],
    here: "#translate", state: {tab: "heads"},
    text: ({trace: {src}}) => [strings.pieces(src.length, quoted(src))],
  },
  {
    title: strings.vectorsTitle, section: strings.vectorsSection,
    files: ["dragoman/ops/embed.cpp", "dragoman/model/transformer/transformer.cpp"],
    here: ".play-figure", block: "end", state: {tab: "play", step: 0}, needs: (_, sites) => encoder(sites),
    text: ({model: {width: d}}) => [strings.vectors(d)],
  },
  {
    title: strings.vectorsTitle, section: strings.vectorsSection, files: ["dragoman/ops/embed.cpp"],
    here: ".play-figure", block: "end", state: {tab: "play", step: 0},
    needs: (_, sites) => sites.length && !encoder(sites),
    text: ({model: {width: d, config}}) => [strings.vectorsOnly(config?.embedding ?? d)],
  },
  {
    title: strings.positionsTitle, section: strings.positionsSection, files: ["dragoman/nn/positions.cpp"],
    here: ".positions-map", state: {tab: "positions"}, needs: hasPositions,
    text: ({model: {config: {positions}}}) => [
      positions === "learned" ? strings.positionsLearned : strings.positionsSinusoid],
  },
  {
    title: strings.selfTitle, section: strings.selfSection,
    files: ["dragoman/model/transformer/encoder.cpp", "dragoman/nn/attention.h"],
    here: ".heads-body", state: {tab: "heads", layer: 0}, site: encoder,
    pair: (trace, site) => pairOfLayer(trace, site, "first"),
    text: ({site: {layers}, pair}) => [
      strings.self(layers), pair ? selfText(pair) : strings.selfPoint,
    ],
  },
  {
    title: strings.weightTitle, section: strings.weightSection,
    files: ["dragoman/nn/attention.cpp", "dragoman/backend/cpu/attention.cpp"],
    here: ".why", state: {tab: "why"}, site: (sites) => preferred(sites, followsEquationOne), pair: pairOfOneHead,
    text: ({site: {d_k: d}, pair}) => [
      ...(pair ? [strings.weightAsked(pair.from, pair.to, number(pair.weight, 2))] : []),
      ...strings.weight(keyLength(), d),
    ],
  },
  {
    title: strings.weightTitle, section: strings.ownScoreSection,
    files: ["dragoman/nn/memory_attention.h", "dragoman/backend/cpu/memory_attention.cpp"],
    here: ".why", state: {tab: "why"}, pair: pairOfOneHead,
    site: (sites) => (sites.some(followsEquationOne) ? null : preferred(sites, ({d_k}) => d_k > 0)),
    text: ({site: {score}, pair}) => [
      ...(pair ? [strings.weightAsked(pair.from, pair.to, number(pair.weight, 2))] : []),
      score === scores.additive ? strings.additiveWeight : strings.productWeight,
    ],
  },
  {
    title: strings.headsTitle, section: strings.headsSection, files: ["dragoman/nn/attention.cpp"],
    here: ".thumb-groups", state: {tab: "grid"}, site: (sites) => preferred(sites, ({heads}) => heads > 1),
    text: ({site: {heads}}) => [strings.heads(heads)],
  },
  {
    title: strings.restTitle, section: strings.restSection,
    files: ["dragoman/nn/feed_forward.cpp", "dragoman/model/transformer/residual.h", "dragoman/nn/layer_norm.h"],
    here: ".play-figure", block: "end", state: {tab: "play", step: 2},
    needs: (model, sites) => encoder(sites) && model.config["d-ff"],
    text: ({model: {width: d, config: {"d-ff": inner}}}) => [strings.rest(d, inner)],
  },
  {
    title: strings.maskTitle, section: strings.maskSection,
    files: ["dragoman/array/segments.h", "dragoman/model/transformer/decoder.cpp"],
    here: ".matrix-place", state: {tab: "matrix"},
    site: (sites) => sites.find((site) => isSelf(site) && site.causal && site.keys === "target"),
    text: () => [strings.mask],
  },
  {
    title: strings.crossTitle, section: strings.crossSection,
    files: ({formula}) => (formula ? ["dragoman/model/recurrent/decoder.cpp", "dragoman/nn/memory_attention.h"]
      : ["dragoman/model/transformer/decoder.cpp", "dragoman/nn/attention.h"]),
    here: ".heads-body", state: {tab: "heads", layer: Infinity}, site: cross,
    pair: (trace, site) => pairOfLayer(trace, site, "last"),
    text: ({trace: {tgt}, pair}) => [
      strings.cross(tgt.length), pair ? strings.crossPinned(pair.from, pair.to, number(pair.weight, 2)) : "",
    ],
  },
  {
    title: strings.searchTitle, section: strings.searchSection,
    files: ["dragoman/model/transformer/transformer.cpp", "dragoman/decode/search/beam.cpp"],
    here: ".beam", state: {tab: "beam"},
    text: ({model: {config: {"target-vocabulary": words}}}) => [
      strings.search(words ? strings.vocabulary(grouped(words)) : strings.vocabularyUnknown)],
  },
  {
    title: strings.turnTitle, section: strings.turnSection,
    files: ["dragoman/nn/pass.h", "dragoman/decode/inside/trace.h"],
    here: "#translate", state: {tab: "heads"},
    text: ({model: {sites}}) => [sites?.length ? strings.turn : strings.turnWithoutHeads],
  },
];

// What the pinned word looks at. The numbers are those of the list beside the picture.
function selfText({from, to, query, key, weight, most}) {
  const [share, largest] = [number(weight, 2), number(most.weight, 2)];
  if (most.key === key) return strings.selfPinned(from, to, share);
  return most.key === query ? strings.selfPinnedItself(from, largest, to, share)
    : strings.selfPinnedOther(from, most.text, largest, to, share);
}

// What the first sentence of the film became before and after the training.
function filmText(sentence) {
  if (!sentence?.frames?.length) return [];
  const [first, last] = [sentence.frames[0], sentence.frames.at(-1)];
  const said = ({step, look: {text}}) => [grouped(step), text ? `“${shortened(text)}”` : strings.filmNothing];
  return [strings.film(...said(first), ...said(last))];
}
