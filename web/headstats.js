// What one head does with a sentence, in a few numbers: how spread its weights are, how far it looks, and which keys
// take them. Plain functions without a page.

import {statistics} from "dragoman/look.js";
import {isSelf} from "dragoman/sites.js";

/**
 * `weights` is {rows, columns, at(i, j), data} of one head. Adds to entropy, distance and peak: the spread (entropy as
 * a share of the most that it could be) and the shares of all weight that go to the query's own place, the place
 * before and after it, the first key and the last. Between two sentences the own place is the one in proportion. Null:
 * there is no such key.
 */
export function headStats(weights, site) {
  const {rows, columns} = weights;
  const cross = !isSelf(site);
  const shares = {spread: 0, own: 0, previous: 0, next: 0, first: 0, last: 0};
  for (let i = 0; i < rows; ++i) {
    const own = cross ? Math.round(rows > 1 ? (i * (columns - 1)) / (rows - 1) : 0) : i;
    const seen = site.causal ? Math.min(i + 1, columns) : columns;
    const at = (j) => (j >= 0 && j < columns ? weights.at(i, j) : 0);
    let entropy = 0;
    for (let j = 0; j < seen; ++j) if (at(j) > 0) entropy -= at(j) * Math.log2(at(j));
    shares.spread += seen > 1 ? entropy / Math.log2(seen) : 0;
    shares.own += at(own);
    shares.previous += at(i - 1);
    shares.next += at(i + 1);
    shares.first += at(0);
    shares.last += at(columns - 1);
  }
  for (const name of Object.keys(shares)) shares[name] /= Math.max(1, rows);
  if (cross) shares.previous = shares.next = null;
  if (site.causal) shares.next = shares.last = null;
  return {...statistics(weights, site), ...shares};
}

/** What a head does, in one or two words, if it mostly does one thing. */
export function characterOf(stats) {
  const kinds = [
    ["own", "own place"], ["previous", "previous"], ["next", "next"], ["first", "first"], ["last", "end"],
  ];
  let best = null;
  for (const kind of kinds) {
    if (stats[kind[0]] !== null && (!best || stats[kind[0]] > stats[best[0]])) best = kind;
  }
  if (stats[best[0]] >= 0.5) return best[1];
  if (stats.spread >= 0.8) return "evenly spread";
  return stats.spread <= 0.35 ? "one key each" : "several keys";
}
