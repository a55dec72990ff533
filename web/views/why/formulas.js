// The formulas of the view "Why".

import {followsEquationOne, scores} from "../../core/sites.js";
import {el} from "../../parts/elements.js";
import {digits, formula, m, mi, mn, mo, name, over, row, sqrt, sub, sup} from "../../parts/formula.js";

/** Equation (1): Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V. */
function equationOne() {
  const score = row(mi("Q"), sup(mi("K"), mi("T")));
  return formula(name("Attention"), row(mo("("), mi("Q"), mo(","), mi("K"), mo(","), mi("V"), mo(")")), mo("="),
    name("softmax"), row(mo("("), over(score, sqrt(sub(mi("d"), mi("k")))), mo(")")), mi("V"));
}

const inBrackets = (...parts) => row(mo("("), ...parts, mo(")"));

// The score of a query and a key, before it is divided.
function undivided({score}, q, k) {
  return score === scores.additive ? row(mi("v"), mo("·"), name("tanh"), inBrackets(q, mo("+"), k))
    : row(q, mo("·"), k);
}

/** The score of a query and a key at a site, in their symbols. */
function scoreOf(site, q, k) {
  return site.score === scores.scaled ? over(undivided(site, q, k), sqrt(sub(mi("d"), mi("k"))))
    : undivided(site, q, k);
}

/** The score in the symbols of the model, such as "v · tanh(s W_Q + h W_K + b)", and in those of this view. */
function modelScore(site) {
  const symbols = site.formula.match(/√?\p{L}+(_\p{L}+)?|[^\s\p{L}]/gu).map((part) => {
    if (!/\p{L}/u.test(part)) return mo(part);
    const [base, index] = part.replace("√", "").split("_");
    const symbol = base.length > 1 ? name(base) : mi(base);
    const whole = index ? sub(symbol, mi(index)) : symbol;
    return part.startsWith("√") ? sqrt(whole) : whole;
  });
  return el("div", {class: "formulas"},
    formula(name("score"), inBrackets(mi("s"), mo(","), mi("h")), mo("="), ...symbols),
    formula(mo("="), scoreOf(site, mi("q"), mi("k"))));
}

/** Equation (1), or the score in the symbols of the model; empty if oneWeight() says all that there is to say. */
export function scoreFormula(site) {
  if (followsEquationOne(site)) return equationOne();
  return site.formula ? modelScore(site) : "";
}

/** The score of query i and key j with their numbers, counted from 1, before it is divided. */
export const numberedScore = (site, i, j) => undivided(site, sub(mi("q"), mn(i)), sub(mi("k"), mn(j)));

/** The weight of key j for query i. With a causal mask the sum goes over the keys up to i. */
export function oneWeight(site) {
  const {causal} = site;
  const score = (key) => scoreOf(site, sub(mi("q"), mi("i")), sub(mi("k"), mi(key)));
  const sum = m("munder", mo("∑"), causal ? row(mi("m"), mo("≤"), mi("i")) : mi("m"));
  return formula(sub(mi("α"), row(mi("i"), mi("j"))), mo("="),
    over(row(name("exp"), mo("("), score("j"), mo(")")), row(sum, name("exp"), mo("("), score("m"), mo(")"))));
}

/** The terms of a sum: all of them if there are at most three, or else the first two and the last. */
export function sumTerms(terms) {
  const term = (value) => [mo(value < 0 ? "−" : "+"), digits(Math.abs(value), 3)];
  const [first, second] = terms;
  const begin = first < 0 ? term(first) : [digits(first, 3)];
  if (terms.length <= 3) return [...begin, ...[...terms.slice(1)].flatMap(term)];
  return [...begin, ...term(second), mo("+"), mo("⋯"), ...term(terms.at(-1))];
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

/** c = Σ_j α_j V_j: the context of an attention whose result is used as it is. */
export const contextSum = () => formula(mi("c"), mo("="), m("munder", mo("∑"), mi("j")),
  sub(mi("α"), mi("j")), sub(mi("V"), mi("j")));

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

/** LayerNorm(s) = γ (s - μ) / sqrt(σ² + ε) + β, or the same for BatchNorm. */
export function normFormula(kind) {
  return formula(name(kind), row(mo("("), mi("s"), mo(")")), mo("="), mi("γ"),
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
