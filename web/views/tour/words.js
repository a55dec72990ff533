// The words that the tour speaks of: words with a meaning of their own, in pairs of which one looks at the other.

import {label, wordGroups, wordLabel} from "../../core/tokens.js";

// Frequent words that say little by themselves. Words of up to three letters are left out in any case.
const functionWords = new Set([
  "about after again against along although among because been before behind being below between both could does",
  "down during each even every from have having here hers herself himself into itself just many more most much must",
  "near next only other ours over same shall should since some such than that their theirs them then there these",
  "they this those through under until upon very want well were what when where whether which while whom whose will",
  "with within without would your yours aber alle allem allen aller alles also andere anderen auch beim dann dass",
  "deine denn deren dessen dich diese diesem diesen dieser dieses doch dort durch eine einem einen einer eines",
  "etwas euch haben hatte hier hinter ihnen ihre ihrem ihren ihrer immer jede jedem jeden jeder jedes jene kann",
  "kannst kein keine keinen können könnte konnte mehr meine meinem meinen mich muss nach nicht nichts noch oder",
  "ohne schon sehr sein seine seinem seinen seiner sich sind soll sollte sollten über unser unsere unserem unseren",
  "unserer unter viel waren weil welche wenn werden wieder wird wirst worden wurde würde während zwischen",
].join(" ").split(" "));

const isContent = (text) => /^[\p{L}\p{M}]+$/u.test(text) && !functionWords.has(text.toLowerCase()) &&
  (text.length > 3 || /\p{Script=Han}/u.test(text));

// The content words of a list of pieces: {index (of the first piece), text}. Words that are one piece are preferred.
function contentWords(pieces) {
  const words = wordGroups(pieces).map(
    (group) => ({index: group[0], count: group.length, text: wordLabel(group.map((i) => pieces[i]))}));
  const content = words.filter(({text}) => isContent(text));
  const whole = content.filter(({count}) => count === 1);
  return whole.length ? whole : content;
}

/**
 * The content words of which one looks most at the other, in some heads of some layers. `weightOf(layer, i, j)` gives
 * the weights to compare as [{weight, head}]. Returns {query, key, from, to, layer, head, weight}, or null.
 */
function strongestPair(trace, site, layers, weightsOf) {
  const {queries, keys} = trace.sides(site.name);
  const [from, to] = [contentWords(trace[queries]), contentWords(trace[keys])];
  let best = null;
  for (const layer of layers) {
    for (const query of from) {
      for (const key of to) {
        if (query.text === key.text) continue;
        for (const {weight, head} of weightsOf(layer, query.index, key.index)) {
          if (best && weight <= best.weight) continue;
          best = {query: query.index, key: key.index, from: query.text, to: key.text, layer, head, weight};
        }
      }
    }
  }
  return best;
}

/** The pair of the largest weight of any head. */
export function pairOfOneHead(trace, site) {
  const {recorded, heads} = trace.shape(site.name);
  const all = Array.from({length: heads}, (_, head) => head);
  return strongestPair(trace, site, recorded,
    (layer, i, j) => all.map((head) => ({head, weight: trace.exact(site.name, layer, head).at(i, j)})));
}

/**
 * The pair of the largest mean weight of all heads in one layer: the first that is known, or the last. `most` is the
 * piece with the largest weight of all, {key, text, weight}: words of little meaning often have more than the pair's.
 */
export function pairOfLayer(trace, site, which) {
  const {recorded, heads} = trace.shape(site.name);
  const all = Array.from({length: heads}, (_, head) => head);
  const weight = (layer, head, i, j) => trace.exact(site.name, layer, head).at(i, j);
  const mean = (layer, i, j) => all.reduce((sum, head) => sum + weight(layer, head, i, j), 0) / heads;
  const layers = which === "first" ? recorded.slice(0, 1) : recorded.slice(-1);
  const pair = strongestPair(trace, site, layers, (layer, i, j) => [{weight: mean(layer, i, j)}]);
  if (!pair) return null;
  const keys = trace[trace.sides(site.name).keys].map(
    (piece, key) => ({key, text: label(piece), weight: mean(pair.layer, pair.query, key)}));
  return {...pair, most: keys.reduce((most, key) => (key.weight > most.weight ? key : most))};
}
