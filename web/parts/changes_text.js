// The changes that are made in "What if", as text.

/** `changes` are fields of a request (see changesOf in core/requests.js). */
export function changesInWords({heads_off: off, ...search}) {
  const words = [];
  if (off) {
    const list = off.map(({attention, layer, head}) => `${attention} ${layer}.${head}`);
    words.push(`switched off: ${list.length > 6 ? `${list.length} heads` : list.join(", ")}`);
  }
  for (const [name, value] of Object.entries(search)) {
    words.push(`${name.replace("_", "-")} ${name === "prefix" ? `“${value}”` : value}`);
  }
  return words.join("; ");
}
