// The button for another language. It shows the language's own name, so that whoever reads that language finds it.

import {choose, language, languages} from "../core/language.js";
import {toHash} from "../core/state.js";
import {text} from "../strings/page.js";
import {el} from "./elements.js";

/** With more than two languages, the button goes through them one by one. */
export function languageButton(app) {
  const codes = Object.keys(languages);
  const next = codes[(codes.indexOf(language) + 1) % codes.length];
  // What the user has typed stays, even if it has not been translated yet.
  const change = () => choose(next, toHash({...app.state, sentence: app.draft}));
  return el("button", {type: "button", class: "quiet", id: "language", lang: next, title: text.changeLanguage,
    onclick: change}, languages[next]);
}
