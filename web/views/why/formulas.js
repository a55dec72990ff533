// The formulas of the view "Why".

import {el} from "../../parts/elements.js";
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

const transformed = (label, index, power) => m("msubsup", mi(label), mi(index), mi(power));

/** head_i = Σ_j α_ij v_j: the rest of equation (1) for one query. */
export function oneHead(head) {
  return formula(sub(name("head"), mn(head + 1)), mo("="), m("munder", mo("∑"), mi("j")),
    sub(mi("α"), mi("j")), sub(mi("v"), mi("j")));
}

/** MultiHead = Concat(head_1, ..., head_h) W^O = Σ_i head_i W_i^O. */
export function multiHead(heads) {
  const head = (index) => sub(name("head"), index);
  return el("div", {class: "formulas"},
    formula(name("MultiHead"), mo("="), name("Concat"),
      row(mo("("), head(mn(1)), mo(","), mo("…"), mo(","), head(mn(heads)), mo(")")), sup(mi("W"), mi("O"))),
    formula(mo("="), m("munder", mo("∑"), mi("i")), head(mi("i")), transformed("W", "i", "O")));
}

/** s = x + Sublayer: `label` names the output of the sub-layer. */
export function residualSumFormula(label) {
  return formula(mi("s"), mo("="), mi("x"), mo("+"), name(label));
}

/** LayerNorm(s) = γ (s - μ) / sqrt(σ² + ε) + β. */
export function layerNorm() {
  return formula(name("LayerNorm"), row(mo("("), mi("s"), mo(")")), mo("="), mi("γ"),
    over(row(mi("s"), mo("−"), mi("μ")), sqrt(row(sup(mi("σ"), mn(2)), mo("+"), mi("ε")))), mo("+"), mi("β"));
}

/** Equation (2): FFN(x) = max(0, x W_1 + b_1) W_2 + b_2. */
export function equationTwo() {
  return formula(name("FFN"), row(mo("("), mi("x"), mo(")")), mo("="), name("max"),
    row(mo("("), mn(0), mo(","), mi("x"), sub(mi("W"), mn(1)), mo("+"), sub(mi("b"), mn(1)), mo(")")),
    sub(mi("W"), mn(2)), mo("+"), sub(mi("b"), mn(2)));
}

/** max(0, x · w + b) of one unit as numbers. */
export function unitFormula({product, b_1: bias, activation}) {
  const term = (value) => row(mo(value < 0 ? "−" : "+"), digits(Math.abs(value)));
  return formula(name("max"), row(mo("("), mn(0), mo(","), digits(product - bias), term(bias), mo(")")), mo("="),
    digits(activation));
}
