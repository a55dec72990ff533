// The tree of a beam search, from the candidates that were recorded at each step. Nothing here uses the page.

const isEnd = (token) => token === "</s>";

/** What the log-probability of a hypothesis is divided by. `norm` is "gnmt:0.6", "pow:1" or "none:0". */
export function lengthPenalty(norm, length) {
  const [kind, alpha] = String(norm).split(":");
  if (kind === "gnmt") return ((5 + length) / 6) ** Number(alpha);
  if (kind === "pow") return length ** Number(alpha);
  return 1;
}

/** The length penalty as a formula with numbers in place of letters, such as "((5 + 7) / 6)^0.6". */
export function penaltyFormula(norm, length) {
  const [kind, alpha] = String(norm).split(":");
  if (kind === "gnmt") return `((5 + ${length}) / 6)^${alpha}`;
  if (kind === "pow") return `${length}^${alpha}`;
  return "1";
}

/** The text of some pieces: "▁der ▁Hund" gives "der Hund". */
export function joinedText(pieces) {
  return pieces.filter((piece) => !isEnd(piece)).join("").replaceAll("▁", " ").trim();
}

/**
 * `beam` lists the candidates of each step as the server recorded them: {from, token, logp, score, fate}. `from` is the
 * index of the parent among the hypotheses that were alive after the step before. `fate` is "alive"; "finished", if it
 * ended and was among the best that had ended; "beaten", if it ended but was not among them; or "crowded out", if
 * better candidates filled the beam.
 *
 * Returns the tree {root, steps, living, ended, best, norm, places}. `steps` lists the nodes of each step; `living`
 * those that were alive after the last step; `ended` the finished hypotheses, the best first; `best` is the winner.
 * `places` is the width of the beam. A node is {step, row, token, logp, score, fate, parent, children, rank, winner,
 * displaced?}: `rank` is its place among the candidates that stayed in the beam, or -1; `displaced` is the step at
 * which better finished hypotheses took its place.
 */
export function searchTree(beam, {places = 0, norm = "none:0"} = {}) {
  const root = {step: -1, row: 0, token: "<s>", logp: 0, score: 0, fate: "alive", parent: null, children: [], rank: 0};
  const steps = [];
  let living = [root];
  for (const candidates of beam ?? []) {
    const next = [];
    const nodes = candidates.map((candidate, row) => {
      const parent = living[candidate.from] ?? root;
      const node = {...candidate, step: steps.length, row, parent, children: [], rank: -1, winner: false};
      if (candidate.fate === "alive") node.rank = next.push(node) - 1;
      parent.children.push(node);
      return node;
    });
    steps.push(nodes);
    if (candidates.length > 0) living = next;
  }
  const ended = finishedHypotheses(steps, places);
  const best = ended[0] ?? (steps.length > 0 ? living[0] : null);
  for (let node = best; node; node = node.parent) node.winner = true;
  const widest = Math.max(1, ...steps.map((nodes) => nodes.filter((node) => node.rank >= 0).length));
  return {root, steps, living: steps.length > 0 ? living : [], ended, best, norm, places: places || widest};
}

// The finished hypotheses as the search keeps them: at most `places`, the best first, and the older first among equals.
function finishedHypotheses(steps, places) {
  const ended = [];
  for (const nodes of steps) {
    for (const node of nodes) {
      if (node.fate !== "finished") continue;
      let at = ended.findIndex((other) => other.score < node.score);
      if (at < 0) at = ended.length;
      ended.splice(at, 0, node);
      if (places > 0 && ended.length > places) ended.pop().displaced = nodes[0].step;
    }
  }
  return ended;
}

/** The pieces from the first one to this node. */
export function pathOf(node) {
  const pieces = [];
  for (let at = node; at && at.parent; at = at.parent) pieces.push(at.token);
  return pieces.reverse();
}

/** The log-probability of this token alone, given the tokens before it. */
export const ownLogp = (node) => node.logp - node.parent.logp;
