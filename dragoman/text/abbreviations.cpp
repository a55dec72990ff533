#include "dragoman/text/abbreviations.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>

#include "dragoman/base/utf8.h"

namespace dragoman::text {
namespace {

struct Abbreviations {
  std::string_view language;
  std::string_view always, before_number;  // words, separated by spaces
};

// Words that often end a sentence, such as "etc" or "Inc", are left out: where the sentence goes on after them, the
// next word begins with a small letter, and that is enough to tell. Single letters need no entry.
constexpr Abbreviations kLists[] = {
    {"en",
     "mr mrs ms messrs dr prof rev hon st mt ft capt col gen lt cmdr sgt maj gov sen rep pres vs approx cf viz al",
     "no nos vol vols fig figs eq sec ch chap pp pg art nr op ed est jan feb mar apr jun jul aug sep sept oct nov dec"},
    {"de",
     "dr prof dipl ing hr fr frl st bzw ca inkl exkl zzgl vgl evtl ggf sog bspw insb insbes mind jew zw lt gem geb "
     "gest "
     "verh ehem allg urspr mio mrd tsd mag phil rer nat jur med hl",
     "nr art abs bd kap tel str ziff anm abb tab aufl rn rdnr max min jan feb apr jun jul aug sep sept okt nov dez"},
    {"fr", "mm mme mmes mlle mlles dr pr st ste me mgr env cf av boul",
     "no n° art pp vol chap fig tél janv févr avr juil sept oct nov déc"},
    {"es",
     "sr sra sres sras srta dña dr dra prof profa gral sgto cap ud uds vd vds lic ing arq av avda sto sta cf aprox",
     "no n.º núm art pág págs vol fig tel ene feb mar abr jun jul ago sept oct nov dic"},
    {"pt", "sr sra srs sras srta dr dra prof profa eng gen cel cap av cf aprox exmo exma",
     "no n.º art pág págs vol fig tel jan fev mar abr jun jul ago set out nov dez"},
    {"it", "sig sigg dott dr prof proff ing avv arch geom rag gen col cap ca cfr s.p.a",
     "nr art pag pagg vol fig tel feb mar apr giu lug ago set ott nov dic"},
    {"nl", "dhr mevr mw dr drs ir ing mr prof ds st bijv ca evt incl excl vgl",
     "nr art blz pag vol hfst fig tel jan feb apr jun jul aug sept okt nov dec"},
    {"sv", "dr prof ca dvs resp inkl exkl kl bl.a t.ex", "nr art sid kap fig tel jan feb apr aug sept okt nov dec"},
    {"da", "dr prof hr fr ca dvs evt inkl ekskl hhv kl bl.a f.eks",
     "nr art kap fig tlf jan feb apr aug sept okt nov dec"},
    {"pl", "dr prof mgr inż hab ul al pl św tzw np tj ok wg im gen m.in", "nr art ust str tab rys tel"},
    {"cs", "dr prof ing mgr doc judr mudr phdr tzv např tj sv ul nám cca", "str obr tab tel"},
    {"ru", "гг ул им тов проф см ср напр", "ст стр рис табл гл тел"},
};

using Stops = std::unordered_map<std::u32string, Stop>;

void add_words(std::string_view words, Stop stop, Stops& stops) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    stops.emplace(to_code_points(word), stop);
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
}

std::unordered_map<std::string_view, Stops> read_lists() {
  std::unordered_map<std::string_view, Stops> lists;
  for (const Abbreviations& list : kLists) {
    add_words(list.always, Stop::kAbbreviation, lists[list.language]);
    add_words(list.before_number, Stop::kBeforeNumber, lists[list.language]);
  }
  return lists;
}

}  // namespace

Stop stop_of(std::u32string_view word, std::string_view language) {
  static const std::unordered_map<std::string_view, Stops> lists = read_lists();
  const auto list = lists.find(language.empty() ? "en" : language);
  if (list == lists.end()) return Stop::kMayEnd;
  const auto entry = list->second.find(std::u32string(word));
  return entry != list->second.end() ? entry->second : Stop::kMayEnd;
}

bool writes_ordinals_with_stop(std::string_view language) {
  constexpr std::string_view kLanguages[] = {"bs", "cs", "da", "de", "et", "fi", "fo", "hr", "hu", "is",
                                             "lb", "lv", "nb", "nn", "no", "pl", "sk", "sl", "sr", "tr"};
  return std::ranges::find(kLanguages, language) != std::end(kLanguages);
}

}  // namespace dragoman::text
