// The steps of the tour: how the model learned, and the way from the pieces of the sentence to the translation.

import {grouped, number} from "../../core/format.js";
import {hasPositions, isSelf} from "../../core/sites.js";
import {label} from "../../core/tokens.js";
import {keyLength} from "../../parts/formula.js";
import {pairOfLayer, pairOfOneHead} from "./words.js";

const quoted = (pieces) => pieces.slice(0, 8).map((piece) => `“${label(piece)}”`).join(", ");
const shortened = (text, most = 48) => (text.length > most ? `${text.slice(0, most).trimEnd()} …` : text);

const encoder = (sites) => sites.find((site) => isSelf(site) && site.keys === "source");
const cross = (sites) => sites.find(({queries, keys}) => queries === "target" && keys === "source");
// Chooses a site with the property: the encoder's self-attention if possible, or else the first in the list.
const preferred = (sites, property) => [encoder(sites), ...sites].find((site) => site && property(site));

/**
 * A step is {title, section, files, here, state, text, block?, site?, pair?, needs?, press?, ofModel?}:
 *   section, files: of the paper, and of the source
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
    title: "First, how the model learned", section: "Section 5", ofModel: true,
    files: ["dragoman/train/trainer.cpp", "dragoman/optim/adam.cpp"],
    here: ".film-picture", state: {tab: "film", layer: Infinity, head: 0, frame: 0}, press: "#view .play-button",
    site: (sites) => cross(sites) ?? sites[0] ?? true, needs: ({film}) => film,
    text: ({film}) => [
      "A model begins with random numbers and learns from pairs of sentences. The film shows what one head looks at, ",
      "checkpoint after checkpoint: at first everywhere, in the end at few words. ",
      ...filmText(film?.sentences?.[0]),
    ],
  },
  {
    title: "Your sentence, in pieces", section: "Section 5.1",
    files: ["dragoman/text/tokenizer.h", "dragoman/text/train_tokenizer.cpp"],
    here: "#translate", state: {tab: "heads"},
    text: ({trace: {src}}) => [
      "The model knows no letters and no words, only pieces from a fixed list, learned from the training text. ",
      `Your sentence became ${src.length}: ${quoted(src)}${src.length > 8 ? ", …" : ""}. A piece that `,
      "begins with a dot (·) continues a word; the last piece, </s>, marks the end.",
    ],
  },
  {
    title: "From pieces to vectors", section: "Section 3.4",
    files: ["dragoman/ops/embed.cpp", "dragoman/model/transformer/transformer.cpp"],
    here: ".play-figure", block: "end", state: {tab: "play", step: 0}, needs: (_, sites) => encoder(sites),
    text: ({model: {width: d}}) => [
      `Each piece is looked up in a table and becomes a vector of ${d} numbers, times √${d}: the block “Embedding” at `,
      "the bottom. From here on everything is arithmetic with such vectors.",
    ],
  },
  {
    title: "From pieces to vectors", section: "Section 3.4", files: ["dragoman/ops/embed.cpp"],
    here: ".play-figure", block: "end", state: {tab: "play", step: 0},
    needs: (_, sites) => sites.length && !encoder(sites),
    text: ({model: {width: d}}) => [
      `Each piece is looked up in a table and becomes a vector of ${d} numbers. From here on everything is arithmetic `,
      "with such vectors.",
    ],
  },
  {
    title: "Where a word stands", section: "Section 3.5", files: ["dragoman/nn/positions.cpp"],
    here: ".positions-map", state: {tab: "positions"}, needs: hasPositions,
    text: ({model: {config: {positions}}}) => (positions === "learned" ? [
      "Attention by itself does not see order. So each position has a vector of its own, learned like the embeddings, ",
      "that is added.",
    ] : [
      "Attention by itself does not see order. So a row of this table is added to each vector: waves of different ",
      "lengths, from which the model can tell how far apart two words are. Point at a cell to see its formula.",
    ]),
  },
  {
    title: "Every word looks at every other", section: "Section 3.2.3",
    files: ["dragoman/model/transformer/encoder.cpp", "dragoman/nn/attention.h"],
    here: ".heads-body", state: {tab: "heads", layer: 0}, site: encoder,
    pair: (trace, site) => pairOfLayer(trace, site, "first"),
    text: ({site: {layers}, pair}) => [
      `In each layer of the encoder (there are ${layers}), every word collects what it needs from all words, in `,
      "parallel. A line is a weight: how much of the word on the right goes into the one on the left. ",
      pair ? `“${pair.from}” is pinned here, and looks, among others, at “${pair.to}”. Click another word to pin it.`
        : "Point at a word to see only its lines.",
    ],
  },
  {
    title: "How a weight is computed", section: "Section 3.2.1, equation (1)",
    files: ["dragoman/nn/attention.cpp", "dragoman/backend/cpu/attention.cpp"],
    here: ".why", state: {tab: "why"}, site: (sites) => preferred(sites, ({d_k}) => d_k > 0), pair: pairOfOneHead,
    text: ({site: {d_k: d}, pair}) => [
      ...(pair ? [`How did “${pair.from}” come to give “${pair.to}” the weight ${number(pair.weight, 2)}? `] : []),
      "The word that looks has a query, the word that is looked at a key. Their dot product says how well they match; ",
      "divided by the square root of ", keyLength(), ` = ${d} and put through a softmax, it becomes the weight. This `,
      "is the paper's first equation with your sentence's numbers.",
    ],
  },
  {
    title: "Several heads at once", section: "Section 3.2.2", files: ["dragoman/nn/attention.cpp"],
    here: ".thumb-groups", state: {tab: "grid"}, site: (sites) => preferred(sites, ({heads}) => heads > 1),
    text: ({site: {heads}}) => [
      `Each layer does this ${heads} times side by side, with different queries and keys: one head may look at the `,
      "neighbours, another at the verb, a third at the end. Their results are put side by side and multiplied by one ",
      "more matrix.",
    ],
  },
  {
    title: "The rest of a layer", section: "Sections 3.1 and 3.3",
    files: ["dragoman/nn/feed_forward.cpp", "dragoman/model/transformer/residual.h", "dragoman/nn/layer_norm.h"],
    here: ".play-figure", block: "end", state: {tab: "play", step: 2},
    needs: (model, sites) => encoder(sites) && model.config["d-ff"],
    text: ({model: {width: d, config: {"d-ff": inner}}}) => [
      "What attention collects is added to what was there (the residual connection) and normalised. Then a small ",
      `network, ${d} to ${inner} and back, works on each word alone. Block by block this goes on for all layers, here `,
      "for all words at once.",
    ],
  },
  {
    title: "The decoder must not see the future", section: "Section 3.2.3",
    files: ["dragoman/array/segments.h", "dragoman/model/transformer/decoder.cpp"],
    here: ".matrix-place", state: {tab: "matrix"},
    site: (sites) => sites.find((site) => isSelf(site) && site.causal && site.keys === "target"),
    text: () => [
      "The translation is written word by word, and a word can only look at those before it. So the upper triangle of ",
      "this matrix is empty: those scores are set to −∞ before the softmax.",
    ],
  },
  {
    title: "Looking at the source", section: "Section 3.2.3",
    files: ["dragoman/model/transformer/decoder.cpp", "dragoman/nn/attention.h"],
    here: ".heads-body", state: {tab: "heads", layer: Infinity}, site: cross,
    pair: (trace, site) => pairOfLayer(trace, site, "last"),
    text: ({trace: {tgt}, pair}) => [
      `For each of the ${tgt.length} pieces of the translation, the decoder looks at what the encoder made of your `,
      "sentence. In the upper layers these lines often join a word with its translation. ",
      pair ? `When it wrote “${pair.from}”, pinned here, it looked at “${pair.to}” with a weight of ${
        number(pair.weight, 2)}, the mean of all heads.` : "",
    ],
  },
  {
    title: "From vectors to words", section: "Sections 3.4 and 6.1",
    files: ["dragoman/model/transformer/transformer.cpp", "dragoman/decode/search/beam.cpp"],
    here: ".beam", state: {tab: "beam"},
    text: ({model: {config: {"target-vocabulary": words}}}) => [
      `A last product and a softmax give each of ${words ? grouped(words) : "the known"} pieces a probability. Beam `,
      "search keeps the best few beginnings and goes on with all of them, until no living one can win any more. Each ",
      "box says why it lived or died.",
    ],
  },
  {
    title: "Your turn", section: "Figures 3 to 5", files: ["dragoman/nn/pass.h", "dragoman/decode/inside/trace.h"],
    here: "#translate", state: {tab: "heads"},
    text: ({model: {sites}}) => [
      "All you saw was recorded while the decoder worked; nothing was computed for show. Type another sentence, ",
      `${sites?.length ? "switch heads off" : "change the search"} under “What if”, or take this page with you under `,
      "“Export”.",
    ],
  },
];

// What the first sentence of the film became before and after the training.
function filmText(sentence) {
  if (!sentence?.frames?.length) return [];
  const [first, last] = [sentence.frames[0], sentence.frames.at(-1)];
  const said = ({step, look: {text}}) => `${grouped(step)} steps as ${text ? `“${shortened(text)}”` : "nothing"}`;
  return [`It translated the first sentence after ${said(first)}, and after ${said(last)}.`];
}
