// Numbers as the page writes them.

/** 0.1234 -> "0.123". A number that is not 0 never reads as 0: 0.0001 -> "<0.001". */
export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const least = 10 ** -digits;
  if (value !== 0 && Math.abs(value) < least / 2) {
    return value > 0 ? `<${least.toFixed(digits)}` : `>−${least.toFixed(digits)}`;
  }
  return value.toFixed(digits).replace("-", "−");
}

/** A mean of counts, with one digit after the point if it is not whole: 1 -> "1", 2.34 -> "2.3", 2.99 -> "3". */
export const meanCount = (mean) => number(mean, 1).replace(/\.0$/, "");

/** A difference, with its sign: "+0.120", "−0.120", "0.000". */
export function signed(value, digits = 3) {
  const text = value.toFixed(digits).replace("-", "−");
  if (Number(value.toFixed(digits)) === 0) return (0).toFixed(digits);
  return value > 0 ? `+${text}` : text;
}

/** A count with its digits in groups of three: 1234567 -> "1 234 567". */
export const grouped = (count) => Math.round(count).toLocaleString("en").replaceAll(",", " ");
