// What one head does with a sentence, in a few numbers: how spread its weights are, how far it looks, and which keys
// get the weight. Nothing here uses the page.

import {isSelf} from "../../core/sites.js";
import {statistics} from "../../core/weights.js";
import {text} from "../../strings/ranking.js";

/**
 * The statistics of weights.js (entropy, distance, peak) and some more: the spread, which is the entropy as a share of
 * the largest possible one, and the shares of all weight that go to the query's own position, the positions before and
 * after it, the first key and the last. A query of the decoder is the word that it writes: the previous position is the
 * one that it read last. If queries and keys belong to two sentences, the own position is the key that is as far into
 * its sentence as the query is into its own. A share is null if there is no such key: previous and next in another
 * sentence; own, next and last behind a causal mask.
 */
export function headStatistics(weights, site) {
  const {rows, columns} = weights;
  const isCross = !isSelf(site);
  const shares = {spread: 0, own: 0, previous: 0, next: 0, first: 0, last: 0};
  for (let i = 0; i < rows; ++i) {
    const own = isCross ? Math.round(rows > 1 ? (i * (columns - 1)) / (rows - 1) : 0) : i;
    const visible = site.causal ? Math.min(i + 1, columns) : columns;
    const at = (j) => (j >= 0 && j < columns ? weights.at(i, j) : 0);
    let entropy = 0;
    for (let j = 0; j < visible; ++j) if (at(j) > 0) entropy -= at(j) * Math.log2(at(j));
    shares.spread += visible > 1 ? entropy / Math.log2(visible) : 0;
    shares.own += at(own);
    shares.previous += at(site.causal ? i : i - 1);
    shares.next += at(i + 1);
    shares.first += at(0);
    shares.last += at(columns - 1);
  }
  for (const name of Object.keys(shares)) shares[name] /= Math.max(1, rows);
  if (isCross) shares.previous = shares.next = null;
  if (site.causal) shares.own = shares.next = shares.last = null;
  return {...statistics(weights, site), ...shares};
}

const kinds = [["own", text.looksOwn], ["previous", text.looksPrevious], ["next", text.looksNext],
  ["first", text.looksFirst], ["last", text.looksLast]];

/** What a head mostly looks at, in a few words. */
export function characterOf(stats) {
  let best = null;
  for (const kind of kinds) {
    if (stats[kind[0]] !== null && (!best || stats[kind[0]] > stats[best[0]])) best = kind;
  }
  if (stats[best[0]] >= 0.5) return best[1];
  if (stats.spread >= 0.8) return text.looksAlike;
  return stats.spread <= 0.35 ? text.looksOne : text.looksSeveral;
}
