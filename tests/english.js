// Returns the texts of the page that have English words: text nodes, and attributes that a user reads. `arguments[0]`
// lists words that may stand in any language, such as the words of the sentence; `arguments[1]` lists texts of the
// server and commands; `arguments[2]` selects the element to look into. Formulas, code, and what says that it is in
// another language (`lang`) are left out.
const [allowed, serverTexts, root] = [new Set(arguments[0]), arguments[1], document.querySelector(arguments[2])];
const attributes = ["title", "aria-label", "aria-valuetext", "aria-roledescription", "aria-description", "placeholder",
  "alt"];
const leftOut = "script, style, noscript, code, math, textarea";
const isOther = (element) => element.closest(leftOut) !== null ||
  element.closest("[lang]") !== document.documentElement;

function hasEnglish(text) {
  const rest = serverTexts.reduce((left, said) => left.replaceAll(said, ""), text);
  return (rest.match(/[A-Za-z]{2,}/g) ?? []).some((word) => !allowed.has(word));
}

const found = [];
const add = (element, name, text) => {
  if (hasEnglish(text)) found.push(`${element.tagName} ${element.getAttribute("class") ?? ""} ${name}: ${text}`);
};
for (const element of root.querySelectorAll("*")) {
  if (isOther(element)) continue;
  for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) add(element, "text", node.data);
  for (const name of attributes) if (element.hasAttribute(name)) add(element, name, element.getAttribute(name));
}
if (hasEnglish(document.title)) found.push(`title of the page: ${document.title}`);
return found;
