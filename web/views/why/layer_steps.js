// What the kernels computed for one query after the softmax, up to the end of the layer: from the answer that has it,
// or asked from the server when it is needed.

import {unpacked} from "../../core/packed.js";
import {text} from "../../strings/layer.js";

const known = new WeakMap();  // a Trace -> its promises, by name of the query

/** Promises the steps of a query, unpacked. Layer and query are counted from 0. */
export function stepsOf(app, trace, attention, layer, query) {
  const name = `${attention} ${layer} ${query}`;
  if (!known.has(trace)) known.set(trace, new Map());
  const promises = known.get(trace);
  if (!promises.has(name)) {
    const promise = find(app, trace, {attention, layer: layer + 1, query: query + 1});
    promise.catch(() => promises.delete(name));  // so that the next call asks again
    promises.set(name, promise);
  }
  return promises.get(name);
}

async function find(app, trace, wanted) {
  const found = pick(trace.steps, wanted) ?? pick(await ask(app, wanted), wanted);
  if (!found) throw new Error(text.noSteps);
  return found;
}

async function ask(app, wanted) {
  if (app.offline) throw new Error(text.notInFile);
  const {part} = app;
  const answer = await app.api.translate({...app.shownResult.request, layers: [wanted.layer], steps: wanted});
  return answer.translations.flatMap(({sentences}) => sentences)[part]?.trace?.steps;
}

function pick(steps, {attention, layer, query}) {
  if (steps?.attention !== attention || steps.layer !== layer) return null;
  const own = steps.queries.find((entry) => entry.query === query);
  return own ? unpackedSteps(steps, own) : null;
}

const matrix = ({rows, columns, packed}) => ({rows, columns, data: unpacked(packed)});
const vector = (packed) => (packed === undefined ? null : unpacked(packed));

// `contributions` and `output` are null if the attention has no W^O.
function unpackedSteps(steps, own) {
  return {
    norm: steps.norm, values: matrix(steps.values), weights: matrix(own.weights), heads: matrix(own.heads),
    contributions: own.contributions ? matrix(own.contributions) : null, bias: vector(steps.b_o),
    output: vector(own.output),
    addNorm: addNorm(own.add_norm, steps.add_norm),
    feedForward: feedForward(own.feed_forward, steps),
  };
}

// `mean` and `rstd` are numbers, or with batch normalisation a number for each dimension.
function addNorm(own, parameters) {
  if (!own) return null;
  return {
    residual: unpacked(own.residual), sum: unpacked(own.sum), result: unpacked(own.result),
    mean: own.mean ?? unpacked(parameters.mean), rstd: own.rstd ?? unpacked(parameters.rstd),
    gamma: unpacked(parameters.gamma), beta: unpacked(parameters.beta), eps: parameters.eps,
  };
}

function feedForward(own, steps) {
  if (!own) return null;
  return {
    input: unpacked(own.input), inner: unpacked(own.inner), units: own.units,
    weights: matrix(own.w_1), contributions: matrix(own.contributions), rest: unpacked(own.rest),
    bias: vector(steps.b_2), output: unpacked(own.output), addNorm: addNorm(own.add_norm, steps.feed_forward_norm),
  };
}
