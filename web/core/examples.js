// Sentences to try, for a model that brings none of its own.

const byLanguage = {
  de: ["Der Hund schläft unter dem alten Baum.", "Wann fährt der letzte Zug nach Hause?"],
  en: ["The animal didn't cross the street because it was too tired.", "When does the last train leave for the city?"],
  es: ["El perro duerme debajo del viejo árbol.", "¿Cuándo sale el último tren?"],
  fr: ["Le chien dort sous le vieil arbre.", "Quand part le dernier train ?"],
  zh: ["那只狗睡在老树下面。", "最后一班火车什么时候开？"],
};

/** Example sentences: those of the model or, if it has none, some of its source language. */
export function examplesOf(model) {
  if (model?.examples?.length) return model.examples;
  return byLanguage[model?.source?.split("-")[0]] ?? [];
}
