// Formulas as MathML, which browsers lay out and screen readers read.

import {el} from "./elements.js";

const namespace = "http://www.w3.org/1998/Math/MathML";

/** m("mrow", m("mi", "x"), ...): an element of MathML. */
export function m(tag, ...children) {
  const element = document.createElementNS(namespace, tag);
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

/** d_k in running text. */
export const keyLength = () => el("i", {}, "d", el("sub", {}, "k"));

/** A number with a fixed count of decimal places, and a minus sign instead of a hyphen. */
export const digits = (value, places = 4) => mn(value.toFixed(places).replace("-", "−"));
