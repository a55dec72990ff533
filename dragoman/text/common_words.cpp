#include "dragoman/text/common_words.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <unordered_map>

#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"

namespace dragoman::text {
namespace {

constexpr std::int64_t kFewestWords = 100;
constexpr double kSmallestShare = 0.15;

struct WordList {
  std::string_view language;
  const char* words;
};

constexpr WordList kWordLists[] = {
    {"en",
     "the of and to in a is that for it on with as was be are this by not he have from at i you they his but or which "
     "we were an she there her their will what"},
    {"de",
     "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat "
     "dass "
     "sie nach wird bei einer um am sind noch wie einem über ich wir"},
    {"fr",
     "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son ses aux "
     "cette je nous vous ou mais été on elle"},
    {"es",
     "de la que el en y a los se del las un por con no una su para es al lo como más pero sus le ha o este sí porque "
     "esta son entre cuando muy sin"},
    {"it",
     "di e il la che in un a per è una sono con non del si da come le dei nel alla più anche della ma gli al lo ha i "
     "questo se mi delle dal"},
    {"pt",
     "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou "
     "ser quando muito há nos já"},
    {"nl",
     "de van een het en in is dat op te zijn met voor niet aan er die om hij ook als maar bij uit naar ze dan nog door "
     "over wat ik wordt of heeft worden"},
    {"sv",
     "och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan man när år "
     "under också eller hade"},
    {"da",
     "og i at det er en til af på som for den med de ikke der har et om var jeg men han vi sig fra kan så skal også "
     "efter være havde nu hun"},
    {"no",
     "og i det er på som en til av for at med de har ikke den et om var jeg men han vi seg fra kan så skal også etter "
     "være hadde nå hun ble"},
    {"fi",
     "ja on ei se että hän oli kun myös ovat mutta ole joka olen ollut niin tai kuin hänen minä sen jos voi vain jo "
     "mitä nyt sitä siitä tämä eivät olla me te"},
    {"pl",
     "w i z na nie do się że to jest o jak za po co od ale przez tak czy dla jego tym są już tego ich być był tylko "
     "oraz "
     "może ma go"},
    {"cs",
     "a se v na je že to s z do o i za ve jako pro k ale po by které si tak jsem od jeho není který jsou už byl nebo "
     "jen co při také"},
    {"ro",
     "și de în la a cu pe nu o care din că este un mai pentru au fost să ce se sau prin ca dar după fi lui sunt al "
     "această ale acest"},
    {"hu",
     "a az és hogy nem is egy ez volt de csak meg már el még azt ha van mint vagy ki lesz nagyon kell én mert most "
     "minden olyan ezt"},
    {"tr",
     "ve bir bu da de için ile çok o ne daha olarak gibi ama var kadar olan sonra ben mi her en değil şey onun yok ki "
     "iki diye benim"},
    {"ru",
     "и в не на что он с как это а по но из я за то все она так его к у же вы было был от мы для или бы они ее есть"},
    {"uk",
     "і в не на що з та у до як це він за але по від я про його для так вона й ми був або вони було із бути має ще"},
    {"bg", "и на да в не се за от че е с са по той ще това като но ли си ми му или до при има как може бе я тя"},
    {"el",
     "και το να του η ο της τα με που για την στο από είναι τον οι δεν στην σε θα τη μια ένα των τους ότι αυτό στη "
     "όπως"},
    {"vi",
     "và của là có không được cho một các trong này đã với người những tôi ở đó để khi từ cũng nhưng như về đến ra sẽ"},
    {"id",
     "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada mereka lebih bisa kita sudah "
     "atau seperti oleh adalah telah"},
};
static_assert(std::size(kWordLists) <= 32, "a word's languages are bits of 32");

// For each word the languages whose list has it, as bits.
const std::unordered_map<std::string, std::uint32_t>& languages_by_word() {
  static const std::unordered_map<std::string, std::uint32_t> kTable = [] {
    std::unordered_map<std::string, std::uint32_t> table;
    for (std::size_t i = 0; i < std::size(kWordLists); ++i) {
      std::istringstream words(kWordLists[i].words);
      for (std::string word; words >> word;) table[word] |= 1u << i;
    }
    return table;
  }();
  return kTable;
}

const WordList* list_of(std::string_view tag) {
  std::string language = language_of(tag);
  if (language == "nb") language = "no";  // two tags of one language
  const auto* found = std::ranges::find(kWordLists, std::string_view(language), &WordList::language);
  return found == std::end(kWordLists) ? nullptr : found;
}

}  // namespace

void CommonWords::add(std::string_view text) {
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    ++words_;
    const auto found = languages_by_word().find(word);
    const std::uint32_t languages = found == languages_by_word().end() ? 0 : found->second;
    for (std::size_t i = 0; i < std::size(kWordLists); ++i) hits_[i] += languages >> i & 1;
    word.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code_point(text, at);
    if (is_letter(code)) {
      append_utf8(word, lower_case(code));
    } else {
      end_word();
    }
  }
  end_word();
}

void CommonWords::add(const CommonWords& other) {
  words_ += other.words_;
  for (std::size_t i = 0; i < hits_.size(); ++i) hits_[i] += other.hits_[i];
}

std::optional<double> CommonWords::share(std::string_view tag) const {
  const WordList* list = list_of(tag);
  if (list == nullptr || words_ == 0) return std::nullopt;
  return static_cast<double>(hits_[static_cast<std::size_t>(list - kWordLists)]) / static_cast<double>(words_);
}

std::optional<CommonWords::Guess> CommonWords::guess() const {
  if (words_ < kFewestWords) return std::nullopt;
  const auto best = static_cast<std::size_t>(std::ranges::max_element(hits_) - hits_.begin());
  const double share = static_cast<double>(hits_[best]) / static_cast<double>(words_);
  if (share < kSmallestShare) return std::nullopt;
  return Guess{std::string(kWordLists[best].language), share};
}

}  // namespace dragoman::text
