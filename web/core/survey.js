// What the heads of a model do over many sentences, and the role that each of them has: the answer of /v1/heads.

const keyOf = (attention, layer, head) => `${attention} ${layer} ${head}`;

/** The role of a head that does several things. */
export const mixed = "mixed";

export class Survey {
  #heads;

  /** `json` counts layers and heads from 1; here they are counted from 0. */
  constructor(json) {
    this.sentences = json.sentences ?? 0;
    this.isCurrent = json.current !== false;  // whether it was made with the weights that the model has now
    this.pronoun = json.pronoun ?? null;      // what `dragoman demo` found about pronouns
    this.heads = json.heads.map((entry) => ({...entry, layer: entry.layer - 1, head: entry.head - 1}));
    this.#heads = new Map(this.heads.map((entry) => [keyOf(entry.attention, entry.layer, entry.head), entry]));
  }

  /** The role of a head; an empty text if nothing is known of it. */
  roleOf(attention, layer, head) { return this.#heads.get(keyOf(attention, layer, head))?.role ?? ""; }
}
