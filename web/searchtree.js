// The tree of a beam search, from the candidates that were recorded at each step: who came from whom, what became of
// whom, and why, in words. Plain functions without a page.

/** What a log-probability is divided by; `norm` is "gnmt:0.6", "pow:1" or "none:0". */
export function lengthPenalty(norm, length) {
  const [kind, alpha] = String(norm).split(":");
  if (kind === "gnmt") return ((5 + length) / 6) ** Number(alpha);
  if (kind === "pow") return length ** Number(alpha);
  return 1;
}

/** The same as a formula with its numbers, such as "((5 + 7) / 6)^0.6". */
export function penaltyFormula(norm, length) {
  const [kind, alpha] = String(norm).split(":");
  if (kind === "gnmt") return `((5 + ${length}) / 6)^${alpha}`;
  if (kind === "pow") return `${length}^${alpha}`;
  return "1";
}

const isEnd = (token) => token === "</s>";

/** "▁der ▁Hund" as people write it. */
export function joined(pieces) {
  return pieces.filter((piece) => !isEnd(piece)).join("").replaceAll("▁", " ").trim();
}

/**
 * Nodes by step. A node is {step, row, token, logp, score, fate, parent, children, rank, lives, winner}; `rank` is its
 * place among those that go on. `places` is the width of the beam.
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
  const ended = finishedOf(steps, places);
  const best = ended[0] ?? (steps.length > 0 ? living[0] : null);
  for (let node = best; node; node = node.parent) node.winner = true;
  const widest = Math.max(1, ...steps.map((nodes) => nodes.filter((node) => node.rank >= 0).length));
  return {root, steps, living: steps.length > 0 ? living : [], ended, best, norm, places: places || widest};
}

// The finished hypotheses as the search kept them: the best first, the older first among equals, `places` at most.
function finishedOf(steps, places) {
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

/** The pieces from the first word to this one. */
export function pathOf(node) {
  const pieces = [];
  for (let at = node; at && at.parent; at = at.parent) pieces.push(at.token);
  return pieces.reverse();
}

/** Log-probability of this token alone, after what came before it. */
export const ownLogp = (node) => node.logp - node.parent.logp;

/**
 * Why a candidate lives, ended or died: one or two sentences. `limit` is {most, asked, stop}: how many tokens the
 * search may write, how many results it is to find, and its rule of stopping.
 */
export function fateOf(tree, node, limit, number = (x) => x.toFixed(3)) {
  if (node.fate === "crowded out") return crowdedFate(tree, node, number);
  if (node.fate === "beaten") {
    return `Beaten: it ended the sentence, but ${tree.places} hypotheses that had ended before it score better.`;
  }
  if (node.fate === "finished") return finishedFate(tree, node, number);
  if (node.children.some(goesOn)) return node.winner ? "Lives on: it became the translation." : livedFate(tree, node);
  if (node.step === tree.steps.length - 1) return stoppedFate(tree, node, limit, number);
  return diedFate(tree, node, number);
}

/** A token as people read it. */
export const shown = (token) => (isEnd(token) ? "end" : token.replace("▁", "") || "▁");

const goesOn = (node) => node.rank >= 0 || node.fate === "finished";

// The last that found room at a step.
const lastIn = (tree, step) => (tree.steps[step] ?? []).filter((node) => node.rank >= 0).at(-1);

function crowdedFate(tree, node, number) {
  const last = lastIn(tree, node.step);
  if (!last) return "Crowded out: better ones filled the beam.";
  return `Crowded out: ${tree.places} better continuations filled the beam. The last of them, “${shown(last.token)}”,` +
    ` scored ${number(last.score)}; this one ${number(node.score)}.`;
}

function finishedFate(tree, node, number) {
  const rank = tree.ended.indexOf(node);
  if (rank === 0) return "Ended the sentence, and no other hypothesis that ended scores better: the translation.";
  if (rank > 0) {
    return `Ended the sentence; place ${rank + 1} among those that did. The winner scored ` +
      `${number(tree.best.score)}, this one ${number(node.score)}.`;
  }
  const step = (node.displaced ?? node.step) + 1;
  return `Ended the sentence, but by step ${step} better ones had taken all ${tree.places} places.`;
}

function livedFate(tree, node) {
  let last = node.step;
  let ended = false;
  const stack = [node];
  while (stack.length > 0) {
    const at = stack.pop();
    last = Math.max(last, at.step);
    ended ||= at.fate === "finished";
    stack.push(...at.children.filter(goesOn));
  }
  if (ended) return "Lives on: a hypothesis that goes through it ended, but did not win.";
  if (last === tree.steps.length - 1) return "Lives on to the last step of the search, but did not win.";
  return `Lives on until step ${last + 1}; then nothing that goes through it was among the best.`;
}

function diedFate(tree, node, number) {
  const next = tree.steps[node.step + 1] ?? [];
  if (next.length === 0) return "The search ended here: every next word was barred by the settings.";
  const [last, own] = [lastIn(tree, node.step + 1), node.children[0]];
  if (own && last) {
    return `Died at the next step: its best continuation, “${shown(own.token)}”, scored ${number(own.score)}, and ` +
      `the last place of the beam went to “${shown(last.token)}” with ${number(last.score)}.`;
  }
  return `Died at the next step: none of its continuations was among the best ${next.length}, the last of which ` +
    `scored ${number(next.at(-1).score)}.`;
}

function stoppedFate(tree, node, limit, number) {
  if (node === tree.best) return "The limit of the length came before the end of the sentence; this is what there was.";
  const last = tree.ended[(limit?.asked ?? 1) - 1];
  const divisor = lengthPenalty(tree.norm, limit?.most ?? 0);
  const most = node.logp / divisor;
  if (!last || !limit?.most || last.score <= most) return "Alive when the search stopped.";
  const whose = last === tree.best ? "the winner" : `place ${limit.asked}`;
  return "Alive when the search stopped. Log-probabilities only fall: whatever came, its score could become at most " +
    `${number(node.logp)} / ${number(divisor)} = ${number(most)} (at ${limit.most} tokens, the longest allowed), and ` +
    `${whose} has ${number(last.score)}.`;
}

/** Why the search ended when it did. */
export function stopOf(tree, limit, number = (x) => x.toFixed(3)) {
  const count = tree.steps.length;
  const steps = `The search ended after ${count} ${count === 1 ? "step" : "steps"}`;
  if (!tree.living.length) return `${steps}: every hypothesis had ended.`;
  const last = tree.ended[(limit?.asked ?? 1) - 1];
  if (limit?.stop === "beam" && tree.ended.length >= tree.places) {
    return `${steps}: ${tree.places} hypotheses had ended, as many as the beam is wide.`;
  }
  if (!last || count >= limit.most) return `${steps}, at the limit of the length.`;
  const most = Math.max(...tree.living.map(({logp}) => logp)) / lengthPenalty(tree.norm, limit.most);
  const whose = limit.asked > 1 ? `place ${limit.asked} of those that had ended` : "the best that had ended";
  return `${steps}, when nothing alive could win any more: the best of it could become ${number(most)} at most, and ` +
    `${whose} has ${number(last.score)}.`;
}
