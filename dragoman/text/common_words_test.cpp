#include "dragoman/text/common_words.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace dragoman::text {
namespace {

CommonWords counted(const std::string& sentence, int times = 20) {
  CommonWords words;
  for (int i = 0; i < times; ++i) words.add(sentence);
  return words;
}

TEST(CommonWords, TellTheLanguageOfRunningText) {
  const std::pair<const char*, const char*> texts[] = {
      {"en", "The child was in the garden, and they did not see that she had a book with her."},
      {"de", "Das Kind war in dem Garten, und sie sahen nicht, dass es ein Buch bei sich hatte."},
      {"fr", "L'enfant était dans le jardin, et ils ne voyaient pas qu'elle avait un livre avec elle."},
      {"es", "El niño no estaba en el jardín, y los otros no vieron que se llevaba un libro para su madre."},
      {"it", "Il bambino non era in giardino, e gli altri non sono più con lui perché è in casa con la madre."},
      {"nl", "Het kind was in de tuin, en ze zagen niet dat het een boek bij zich had van zijn moeder."},
      {"pt", "O menino não está no jardim, e os outros não viram que ele tem um livro para a mãe dele."},
      {"sv", "Barnet var i trädgården, och de såg inte att det hade en bok med sig till sin mor."},
      {"pl", "Dziecko było w ogrodzie i nie widzieli, że ma to w ręku, ale to nie jest dla nich na zawsze."},
      {"ru", "Ребёнок был в саду, и они не видели, что он взял книгу с собой, но это не так."},
      {"uk", "Дитина була в саду, і вони не бачили, що він узяв це з собою, але це не так."},
      {"el", "Το παιδί είναι στον κήπο και δεν είδαν ότι έχει το βιβλίο με τη μητέρα του."},
  };
  for (const auto& [language, text] : texts) {
    const auto guess = counted(text).guess();
    ASSERT_TRUE(guess) << language;
    EXPECT_EQ(guess->language, language) << guess->share;
    EXPECT_GT(guess->share, 0.25) << language;
  }
}

TEST(CommonWords, AreCountedAsSharesOfAllWords) {
  const CommonWords words = counted("the cat and THE dog: one two three four", 1);
  EXPECT_EQ(words.words(), 9);
  EXPECT_DOUBLE_EQ(*words.share("en"), 3.0 / 9);
  EXPECT_DOUBLE_EQ(*words.share("en-GB"), 3.0 / 9);
  EXPECT_DOUBLE_EQ(*words.share("de"), 0);
  EXPECT_EQ(words.share("xx"), std::nullopt);
  EXPECT_EQ(CommonWords().share("en"), std::nullopt);
}

TEST(CommonWords, DoNotGuessFromLittleTextOrFromNames) {
  EXPECT_FALSE(counted("the of and to", 1).guess());
  EXPECT_FALSE(counted("Berlin London Paris 123").guess());
  EXPECT_FALSE(counted("早上好").guess());
}

TEST(CommonWords, OfTwoTextsAddUp) {
  CommonWords sum = counted("the cat", 3);
  sum.add(counted("the dog", 2));
  EXPECT_EQ(sum.words(), 10);
  EXPECT_DOUBLE_EQ(*sum.share("en"), 0.5);
}

TEST(CommonWords, OfNorwegianHaveTwoTags) {
  const CommonWords words = counted("det er ikke en bok");
  EXPECT_EQ(words.share("nb"), words.share("no"));
}

// Sentences that the lists of words were not made from.
const std::map<std::string, std::vector<std::string>> kSentences = {
    {"en", {"Two brown dogs are running across the snowy field.", "Have you already bought the tickets?"}},
    {"de", {"Zwei braune Hunde laufen über das verschneite Feld.", "Hast du die Fahrkarten schon gekauft?"}},
    {"fr", {"Deux chiens bruns courent dans le champ enneigé.", "Avez-vous déjà acheté les billets ?"}},
    {"es", {"Dos perros marrones corren por el campo nevado.", "¿Ya has comprado los billetes?"}},
    {"it", {"Due cani marroni corrono nel campo innevato.", "Hai già comprato i biglietti?"}},
    {"pt", {"Dois cachorros marrons correm pelo campo nevado.", "Você já comprou as passagens?"}},
    {"nl", {"Twee bruine honden rennen door het besneeuwde veld.", "Heb je de kaartjes al gekocht?"}},
    {"sv", {"Två bruna hundar springer över det snöiga fältet.", "Har du redan köpt biljetterna?"}},
    {"pl", {"Dwa brązowe psy biegną przez zaśnieżone pole.", "Czy kupiłeś już bilety?"}},
    {"cs", {"Dva hnědí psi běží přes zasněžené pole.", "Už jsi koupil ty jízdenky?"}},
    {"ro", {"Doi câini maro aleargă pe câmpul înzăpezit.", "Ai cumpărat deja biletele?"}},
    {"fi", {"Kaksi ruskeaa koiraa juoksee lumisen pellon poikki.", "Oletko jo ostanut liput?"}},
    {"hu", {"Két barna kutya fut át a havas mezőn.", "Megvetted már a jegyeket?"}},
    {"tr", {"İki kahverengi köpek karlı tarlada koşuyor.", "Biletleri aldın mı?"}},
    {"ru", {"Две коричневые собаки бегут по заснеженному полю.", "Ты уже купил билеты?"}},
    {"uk", {"Два коричневі собаки біжать засніженим полем.", "Ти вже купив квитки?"}},
};

TEST(CommonProfile, TellsTheLanguageOfASentence) {
  std::vector<KnownLanguage> languages;
  for (const auto& [tag, sentences] : kSentences) languages.push_back({tag, *common_profile(tag)});
  for (const auto& [tag, sentences] : kSentences) {
    for (const std::string& sentence : sentences) EXPECT_EQ(detect(sentence, languages).front().tag, tag) << sentence;
  }
}

// A profile that was learned from text must not win by being more detailed.
TEST(CommonProfile, ComparesWithProfilesLearnedFromText) {
  const std::vector<std::string> text(50, "Der alte Mann und der Junge gingen am frühen Morgen am Fluss entlang.");
  const std::vector<KnownLanguage> languages{{"de", LanguageProfile(text)}, {"en", *common_profile("en")}};
  EXPECT_EQ(detect("Two brown dogs are running across the snowy field.", languages).front().tag, "en");
}

TEST(CommonProfile, IsFoundByTheLanguageOfATag) {
  EXPECT_EQ(common_profile("deu"), common_profile("de-AT"));
  EXPECT_NE(common_profile("de"), common_profile("en"));
  EXPECT_EQ(common_profile("zu"), nullptr);
  EXPECT_EQ(common_profile(""), nullptr);
}

}  // namespace
}  // namespace dragoman::text
