// The paper's formulas as MathML, which browsers lay out and screen readers read.

const space = "http://www.w3.org/1998/Math/MathML";

/** m("mrow", m("mi", "x"), ...): an element of MathML. */
export function m(tag, ...children) {
  const element = document.createElementNS(space, tag);
  element.append(...children);
  return element;
}

export const mi = (name) => m("mi", name);
export const mn = (value) => m("mn", String(value));
export const mo = (sign) => m("mo", sign);
export const row = (...parts) => m("mrow", ...parts);
export const over = (above, below) => m("mfrac", above, below);
export const sub = (base, below) => m("msub", base, below);
export const sup = (base, above) => m("msup", base, above);
export const sqrt = (inside) => m("msqrt", inside);

/** An upright name, such as softmax. */
export function name(text) {
  const element = mi(text);
  element.setAttribute("mathvariant", "normal");
  return element;
}

/** A whole formula, on a line of its own. */
export function formula(...parts) {
  const element = m("math", row(...parts));
  element.setAttribute("display", "block");
  return element;
}

/** A number as the formula says it, with a real minus. */
export const digits = (value, places = 4) => mn(value.toFixed(places).replace("-", "−"));

/** Equation (1): Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V. */
export function equationOne() {
  const score = row(mi("Q"), sup(mi("K"), mi("T")));
  return formula(name("Attention"), row(mo("("), mi("Q"), mo(","), mi("K"), mo(","), mi("V"), mo(")")), mo("="),
    name("softmax"), row(mo("("), over(score, sqrt(sub(mi("d"), mi("k")))), mo(")")), mi("V"));
}

/** The same for one query i and one key j: the weight that this view is about. */
export function oneWeight(hidden) {
  const score = (key) => over(row(sub(mi("q"), mi("i")), mo("·"), sub(mi("k"), mi(key))), sqrt(sub(mi("d"), mi("k"))));
  const sum = m("munder", mo("∑"), hidden ? row(mi("m"), mo("≤"), mi("i")) : mi("m"));
  return formula(sub(mi("α"), row(mi("i"), mi("j"))), mo("="),
    over(row(name("exp"), mo("("), score("j"), mo(")")), row(sum, name("exp"), mo("("), score("m"), mo(")"))));
}
