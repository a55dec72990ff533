// The roles of attention heads, as the server names them (see core/survey.js), and their names on the page.

import {inLanguage} from "../core/language.js";

const names = inLanguage({
  "previous word": {en: "previous word", zh: "前一个词"},
  "same word": {en: "same word", zh: "同一个词"},
  "next word": {en: "next word", zh: "后一个词"},
  "first word": {en: "first word", zh: "第一个词"},
  "end of sentence": {en: "end of sentence", zh: "句末"},
  alignment: {en: "alignment", zh: "词对齐"},
  mixed: {en: "mixed", zh: "混合"},
});

/** The name of a role; one that the page does not know is shown as the server names it. */
export const roleName = (role) => names[role] ?? role;
