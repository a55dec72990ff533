// The language of the page. It is decided once, when the page is loaded: the one that the user has chosen, or else the
// first of the browser's languages that the page has.

const storedAs = "dragoman-language";

/** The languages of the page by their codes, each with its own name. */
export const languages = {en: "English", zh: "中文"};

export const language = find();

function find() {
  const wanted = [history.state?.[storedAs], stored(), ...navigator.languages];
  return wanted.map((code) => (code ?? "").split("-")[0]).find((code) => code in languages) ?? "en";
}

function stored() {
  try {
    return localStorage.getItem(storedAs);
  } catch {
    return null;  // some browsers refuse this in a file
  }
}

/**
 * Loads the page again in another language, with the state in `hash`. The history of the tab has the choice, too, for
 * browsers that store nothing for a file.
 */
export function choose(code, hash) {
  try {
    localStorage.setItem(storedAs, code);
  } catch {
    // the choice holds until the tab is closed
  }
  history.replaceState({...history.state, [storedAs]: code}, "", hash);
  location.reload();
}

/**
 * The texts of a table of web/strings/ in the language of the page: {title: {en: "Heads", zh: "注意力头"}} becomes
 * {title: "Heads"}. A text with values in it is a function: {lines: {en: (n) => `${n} lines`, zh: (n) => `${n} 行`}}.
 * A text with elements in it is such a function that returns a list of parts, or the list of the texts around them.
 */
export function inLanguage(table) {
  return Object.fromEntries(Object.entries(table).map(([name, texts]) => [name, texts[language]]));
}

/** Sentences as one text. Chinese has no space between them. */
export const joinedSentences = (sentences) => sentences.filter(Boolean).join(language === "zh" ? "" : " ");

const nameIn = (displayed, code) => new Intl.DisplayNames([displayed], {type: "language"}).of(code);

/** The name of a language in that of the page. `name` is the server's; it is kept unless it is the usual one. */
export function languageName(code, name) {
  try {
    return name === nameIn("en", code) ? nameIn(language, code) : name;
  } catch {
    return name;  // not the code of a language
  }
}
