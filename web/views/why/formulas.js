// The formulas of the view "Why".

import {digits, formula, m, mi, mn, mo, name, over, row, sqrt, sub, sup} from "../../parts/formula.js";

/** Equation (1): Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V. */
export function equationOne() {
  const score = row(mi("Q"), sup(mi("K"), mi("T")));
  return formula(name("Attention"), row(mo("("), mi("Q"), mo(","), mi("K"), mo(","), mi("V"), mo(")")), mo("="),
    name("softmax"), row(mo("("), over(score, sqrt(sub(mi("d"), mi("k")))), mo(")")), mi("V"));
}

/** The weight of key j for query i by equation (1). With a causal mask the sum goes over the keys up to i. */
export function oneWeight(causal) {
  const score = (key) => over(row(sub(mi("q"), mi("i")), mo("·"), sub(mi("k"), mi(key))), sqrt(sub(mi("d"), mi("k"))));
  const sum = m("munder", mo("∑"), causal ? row(mi("m"), mo("≤"), mi("i")) : mi("m"));
  return formula(sub(mi("α"), row(mi("i"), mi("j"))), mo("="),
    over(row(name("exp"), mo("("), score("j"), mo(")")), row(sum, name("exp"), mo("("), score("m"), mo(")"))));
}

/** The terms of the dot product: all of them if there are at most three, or else the first two and the last. */
export function sumTerms(products) {
  const term = (value) => [mo(value < 0 ? "−" : "+"), digits(Math.abs(value), 3)];
  const [first, second] = products;
  const begin = first < 0 ? term(first) : [digits(first, 3)];
  if (products.length <= 3) return [...begin, ...[...products.slice(1)].flatMap(term)];
  return [...begin, ...term(second), mo("+"), mo("⋯"), ...term(products.at(-1))];
}

/** exp(score - largest score) as numbers, or 0 if the key is hidden. `most` is the largest score. */
export function exponential({chosen: {seen, scaled}, most}) {
  if (!seen) return mn(0);
  const sign = mo(most < 0 ? "+" : "−");
  return row(name("exp"), mo("("), digits(scaled), sign, digits(Math.abs(most)), mo(")"));
}
