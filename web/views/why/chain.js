// The arithmetic of the page from the weights of a query to the end of its layer, in double precision, beside the
// numbers of the kernels. Nothing here uses the page.

import {lastPlace} from "./equation.js";

/** Row `at` of a matrix {columns, data}. */
export const rowOf = ({columns, data}, at) => data.subarray(at * columns, (at + 1) * columns);

/** The sum of vectors. Those that are null are left out. */
export function sumOf(vectors) {
  const given = vectors.filter((vector) => vector);
  return Float64Array.from(given[0], (_, c) => given.reduce((sum, vector) => sum + vector[c], 0));
}

const dot = (a, b) => a.reduce((sum, value, c) => sum + value * b[c], 0);

/** How much of `whole` comes from `part`: its projection on the whole. The shares of all parts add up to 1. */
export function shareOf(part, whole) {
  const length = dot(Float64Array.from(whole), whole);
  return length > 0 ? dot(Float64Array.from(part), whole) / length : 0;
}

/**
 * The largest difference between what the page computed and what the kernel recorded: {most, units}. The units are
 * those in the last place of the kernel's largest number.
 */
export function differenceOf(own, kernel) {
  let [most, largest] = [0, 0];
  for (let c = 0; c < kernel.length; ++c) {
    most = Math.max(most, Math.abs(own[c] - kernel[c]));
    largest = Math.max(largest, Math.abs(kernel[c]));
  }
  return {most, units: most / lastPlace(largest)};
}

/** weights × values of one head: the term of each key, and their sum. A head that is switched off gives zeros. */
export function headSum({weights, values, heads}, head, isOff) {
  const [alpha, kernel] = [rowOf(weights, head), rowOf(heads, head)];
  const begin = head * kernel.length;
  const terms = Array.from(alpha, (weight, key) => (
    Float64Array.from(kernel, (_, c) => (isOff ? 0 : weight * values.data[key * values.columns + begin + c]))));
  const own = sumOf(terms);
  return {alpha, terms, own, kernel, difference: differenceOf(own, kernel)};
}

/** The heads side by side, times W^O: the contribution of each head as the kernel multiplied it, and their sum. */
export function headsSum({contributions, bias, output}) {
  const terms = Array.from({length: contributions.rows}, (_, head) => rowOf(contributions, head));
  const own = sumOf([...terms, bias]);
  return {terms, bias, own, kernel: output, difference: differenceOf(own, output)};
}

/** The residual connection: residual + output of the sub-layer. */
export function residualSum({residual, sum}, output) {
  const own = sumOf([residual, output]);
  return {residual, output, own, kernel: sum, difference: differenceOf(own, sum)};
}

/** Batch normalisation of the sum, with the mean of each dimension and one over its deviation. */
export function batchNormalised({sum, gamma, beta, mean, rstd, result}) {
  const own = Float64Array.from(sum, (value, c) => gamma[c] * (value - mean[c]) * rstd[c] + beta[c]);
  return {sum, own, kernel: result, difference: differenceOf(own, result)};
}

/** Layer normalisation of the sum: mean, variance and the result. */
export function normalised({sum, gamma, beta, eps, result}) {
  const mean = sum.reduce((total, value) => total + value, 0) / sum.length;
  const variance = sum.reduce((total, value) => total + (value - mean) ** 2, 0) / sum.length;
  const deviation = Math.sqrt(variance + eps);
  const own = Float64Array.from(sum, (value, c) => (gamma[c] * (value - mean)) / deviation + beta[c]);
  return {mean, variance, sum, own, kernel: result, difference: differenceOf(own, result)};
}

/**
 * The feed-forward network: its strongest units {unit, activation, share, product}, where the product is x · w_1 + b_1,
 * and the sum of the contributions of units, of the rest and of b_2.
 */
export function feedForwardSum({input, inner, units, weights, contributions, rest, bias, output}) {
  const listed = units.map((unit, at) => (
    {...unit, product: dot(Float64Array.from(input), rowOf(weights, at)) + unit.b_1}));
  const terms = units.map((_, at) => rowOf(contributions, at));
  const own = sumOf([...terms, rest, bias]);
  const activations = differenceOf(
    listed.map(({product}) => Math.max(0, product)), units.map(({activation}) => activation));
  const on = inner.reduce((count, value) => count + (value > 0 ? 1 : 0), 0);
  return {inner, on, units: listed, terms, rest, bias, own, kernel: output, activations,
    difference: differenceOf(own, output)};
}
