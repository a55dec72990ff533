// The language of the page. It is decided once, when the page is loaded: the one that the user has chosen, or else the
// first of the browser's languages that the page has.

const storedAs = "dragoman-language";

/** The languages of the page by their codes, each with its own name. */
export const languages = {en: "English", zh: "中文"};

export const language = find();

function find() {
  const wanted = [stored(), ...navigator.languages].map((code) => (code ?? "").split("-")[0]);
  return wanted.find((code) => code in languages) ?? "en";
}

function stored() {
  try {
    return localStorage.getItem(storedAs);
  } catch {
    return null;  // some browsers refuse this in a file
  }
}

/** Loads the page again in another language. The address has the state, so nothing is lost. */
export function choose(code) {
  try {
    localStorage.setItem(storedAs, code);
  } catch {
    return;
  }
  location.reload();
}

/**
 * The texts of a table of web/strings/ in the language of the page: {title: {en: "Heads", zh: "注意力头"}} becomes
 * {title: "Heads"}. A text with values in it is a function: {lines: {en: (n) => `${n} lines`, zh: (n) => `${n} 行`}}.
 */
export function inLanguage(table) {
  return Object.fromEntries(Object.entries(table).map(([name, texts]) => [name, texts[language]]));
}
