#include "dragoman/text/common_words.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <unordered_map>
#include <vector>

#include "dragoman/base/error.h"
#include "dragoman/base/utf8.h"
#include "dragoman/text/characters.h"

namespace dragoman::text {
namespace {

constexpr std::int64_t kFewestWords = 100;
constexpr double kSmallestShare = 0.15;

struct WordList {
  std::string_view tags;  // of ISO 639-1 and 639-3, separated by spaces; the first is the one that guess() returns
  const char* commonest;
  const char* more;

  std::string_view language() const { return tags.substr(0, tags.find(' ')); }
};

// Written by hand. Each language has its commonest words, and then others for the letters and endings that it is known
// by.
constexpr WordList kWordLists[] = {
    {"en eng",
     "the of and to in a is that for it on with as was be are this by not he have from at i you they his but or "
     "which we were an she there her their will what",
     "all would your can had one do has been if who my about so no when more up out them some said could than into "
     "only other how time me its him like then now people just any these very made know over first also way our "
     "after back work well where much because good see think most new use many get should through going say down "
     "still too did between own here same never day those while right must before might both under such without "
     "always next long little great old man house world life year years something nothing another again being "
     "against every come want look take give find tell ask week children woman city country water"},
    {"de deu ger",
     "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er "
     "hat dass sie nach wird bei einer um am sind noch wie einem über ich wir",
     "so man aber durch wenn nur war was sein einen welche oder zur haben mir ihm diese ihr uns da zum kann doch "
     "vor dieser mich ihn du hatte seine mehr denn nun unter sehr selbst schon hier bis habe ihre dann ihnen "
     "seiner alle wieder meine zeit gegen vom ganz einzelnen wo muss ohne eines können sei ja wurde jetzt immer "
     "seinen wohl dieses ihren würde sondern welcher nichts keine viel heute leben haus jahr jahre menschen gut "
     "weil soll kein etwas gibt machen gehen kommt sagen sagte möchte zwischen anderen weiß damit hätte wäre "
     "müssen sollte mein bin bist dein ganze beim große neue kinder frau mann straße stadt während gerade"},
    {"fr fra fre",
     "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son ses "
     "aux cette je nous vous ou mais été on elle",
     "comme si leur y dont tout sa être ces fait d l c qu n s j ont où deux peut même faire sans entre cela très "
     "lui bien encore aussi était autres après moi mon avait ils tous sous avoir peu non toujours quand donc leurs "
     "avant toute trois temps ainsi alors depuis ans pays homme jour monde contre rien moins dit votre notre vie "
     "oui chez autre tu me te ma ta mes suis es sommes êtes quelque jamais chaque pendant petit grande grand femme "
     "enfants maison ville rue eau aujourd hui ici là parce beaucoup trop vers faut peuvent doit voir aller dire "
     "savoir voilà puis celui ceux celle information situation attention chansons"},
    {"es spa",
     "de la que el en y a los se del las un por con no una su para es al lo como más pero sus le ha o este sí "
     "porque esta son entre cuando muy sin",
     "me si sobre ya todo ser dos también fue había era años hasta desde está mi qué sólo han yo hay vez puede "
     "todos así nos ni parte tiene él uno donde bien tiempo mismo ese ahora cada e vida otro después te otros "
     "aunque esa eso hace otra gobierno tan durante siempre día tanto ella tres sido gran país según menos mundo "
     "año antes estado contra sino forma caso nada hacer general estaba poco estos presente mayor ante unos les "
     "algo hacia casa ellos ayer hecho primera mucho mientras además quien momento millones esto hombre mujer "
     "niños agua calle ciudad usted nosotros estoy estás estamos tengo quiero bueno aquí allí nunca todavía mañana "
     "tarde noche información situación cuestión estación atención canciones"},
    {"it ita",
     "di e il la che in un a per è una sono con non del si da come le dei nel alla più anche della ma gli al lo ha "
     "i questo se mi delle dal",
     "ci suo o nella su ed ad era loro quando tutto essere ai tra stato io sua molto chi solo lui due cui dopo "
     "degli anni ancora così fatto dove ho cosa prima perché sulla già quello hanno tutti poi sul ne questa senza "
     "tempo parte ogni ora fare stata può bene altri mio proprio volta detto contro anno giorno mai suoi ero "
     "quella vita lei noi voi te ti me niente sempre alle dalla nei casa uomo donna bambini acqua strada città "
     "mondo poco meno oggi ieri domani qui lì sia siamo siete sei avere aveva fa quanto quale tanto mentre nostro "
     "nostra vostro qualche qualcosa grande nuovo altro altra deve vuole posso voglio ragazzo ragazza informazione "
     "situazione questione stazione attenzione canzoni"},
    {"pt por",
     "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu "
     "sua ou ser quando muito há nos já",
     "está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas me esse eles estão "
     "você tinha foram essa num nem suas meu às minha têm numa pelos elas havia seja qual será nós tenho lhe deles "
     "essas esses pelas este fosse dele tu te vocês vos lhes meus minhas teu tua nosso nossa dela delas esta estes "
     "estas aquele aquela aquilo estou estamos anos ano vida dia tempo casa homem mulher crianças água rua cidade "
     "mundo ainda agora aqui ali sempre nunca tudo nada alguma algum coisa fazer disse então porque onde assim bem "
     "grande novo outro outra antes hoje amanhã ontem vai vamos quero posso pode são informação situação questão "
     "estação atenção canções"},
    {"ca cat",
     "de la i que el a en es un per les del els una amb no al se ha com més són dels va ser o però seva seu aquest "
     "aquesta també ja han era tot",
     "entre sobre molt fer quan on li hi jo tu ell ella nosaltres vosaltres ells meva meu seves seus nostra nostre "
     "vostra quin quina què qui perquè si sense fins des any anys temps dia vida home dona nens casa carrer ciutat "
     "aigua món país estic està estan som sou he hem heu tinc té tenim vull pot podem cal bé res mai sempre avui "
     "demà ahir aquí allà ara després abans cada altre altra altres gran nou nova primer dos tres només així doncs "
     "encara mentre informació situació qüestió estació atenció cançons"},
    {"nl nld dut",
     "de van een het en in is dat op te zijn met voor niet aan er die om hij ook als maar bij uit naar ze dan nog "
     "door over wat ik wordt of heeft worden",
     "we werd was hebben kan tot je deze had geen al wel veel meer zal haar zou nu hun moet dit mijn zo men zich "
     "onder tegen na waar kunnen u zij mensen wij jaar goed twee andere alleen tussen hem omdat eerste nieuwe ons "
     "heb moeten hoe dus zonder alle toch hier weer zeer iets toen ja nee daar ben bent waren hadden zei gaan gaat "
     "komt komen doen maken maakt willen wil zien laten staat groot grote kleine altijd nooit vandaag morgen "
     "gisteren iemand niets elke iedereen kinderen vrouw man huis straat stad water wereld leven tijd dag week "
     "land heel erg mooi echt denk weet"},
    {"sv swe",
     "och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan man när "
     "år under också eller hade",
     "efter nu sin där vid mot ska skulle kommer ut får finns vara alla andra mycket än här då sedan över bara in "
     "blir upp även vad få två vill ha många hon mer går kunde blev bli detta några mellan inom någon något du dig "
     "mig min din sitt sina hans hennes oss vår ni er dem dessa denna varit göra gör kanske idag igen aldrig "
     "alltid barn kvinna hus gata stad vatten världen livet tid dag utan eftersom måste själv genom hur varför "
     "ingen inget litet stor stora nya första bra tycker vet säger sade"},
    {"da dan",
     "og i at det er en til af på som for den med de ikke der har et om var jeg men han vi sig fra kan så skal "
     "også efter være havde nu hun",
     "eller man blev når ved hvor end ud hvis op bliver år under mange alle ville over mere her andre noget ind "
     "meget da kunne to kun hvad vil få hans været hende os mig dig min din sin sit sine deres dem dette disse "
     "denne får går kommer komme gør gøre måske igen aldrig altid børn kvinde hus gade by vand verden livet tid "
     "dag uden fordi selv gennem hvordan hvorfor ingen intet lille stor store nye første godt synes siger sagde "
     "mellem jer mod siden skulle både nogle nogen"},
    {"no nb nob nor",
     "og i det er på som en til av for at med de har ikke den et om var jeg men han vi seg fra kan så skal også "
     "etter være hadde nå hun ble",
     "å eller man ved når hvor da ut hvis opp blir år under mange alle ville over mer her andre noe inn mye bare "
     "to hva vil få hans vært henne oss meg deg min din sin sitt sine deres dem dette disse denne får går kommer "
     "komme gjør gjøre kanskje igjen aldri alltid barn kvinne hus gate by vann verden livet tid dag uten fordi "
     "selv gjennom hvordan hvorfor ingen ingenting liten stor store nye første godt synes vet sier sa mellom mot "
     "siden skulle både noen dere"},
    {"fi fin",
     "ja on ei se että hän oli kun myös ovat mutta ole joka olen ollut niin tai kuin hänen minä sen jos voi vain "
     "jo mitä nyt sitä siitä tämä eivät olla me te",
     "en sinä he ne tätä tässä tuo siellä täällä missä olet olemme olette olisi olivat mukaan jonka joita jotka "
     "vuonna vuoden vielä kanssa mikä kuka miksi koska kaikki mitään koskaan aina tänään huomenna eilen sitten "
     "siihen sille hyvin paljon enemmän yksi kaksi kolme ensimmäinen uusi suuri pieni aika päivä elämä ihminen "
     "ihmiset nainen lapset talo katu kaupunki vesi maailma maa voisi pitää täytyy haluan tulee tuli tehdä sanoi "
     "ilman jälkeen ennen välillä aikana itse toinen muut muita minun sinun meidän teidän heidän eikä vaan sekä "
     "kuitenkin"},
    {"pl pol",
     "w i z na nie do się że to jest o jak za po co od ale przez tak czy dla jego tym są już tego ich być był "
     "tylko oraz może ma go",
     "a przy ten było która który które jej lub ze by pod bardzo został jako roku lat jeszcze można też tej "
     "również przed gdy nad gdzie mnie kiedy ja on ona my wy oni mi ci jestem jesteś jesteśmy mam masz mamy sobie "
     "siebie wszystko wszyscy nic nigdy zawsze dzisiaj jutro wczoraj tutaj tam teraz potem dlatego ponieważ jeśli "
     "więc kto jaki jaka dobrze dzień czas życie człowiek kobieta dzieci dom ulica miasto woda świat kraj trzeba "
     "chcę muszę będzie będę były miał miała bez między podczas każdy inny nowy duży wiele więcej proszę dziękuję"},
    {"cs ces cze",
     "a se v na je že to s z do o i za ve jako pro k ale po by které si tak jsem od jeho není který jsou už byl "
     "nebo jen co při také",
     "jak podle která bylo byla však až před tím má může jejich kde když ze další ho mu jej její mezi tento tato "
     "toto této být své svého lidí let roku více pak již proti nás nám vás vám mě mi ty on ona my vy oni jsme jste "
     "byli bude budou budu mám máš máme mít nic nikdy vždy dnes zítra včera tady tam teď potom protože jestli kdo "
     "jaký dobře den čas život člověk žena děti dům ulice město voda svět země musí chci mohu bez během každý jiný "
     "nový velký mnoho prosím děkuji nebyl ještě"},
    {"sk slk slo",
     "a v sa na je že s z do o to i vo k za by ale si po ako som sú pre od tak čo keď bol nie podľa jeho ktoré "
     "ktorý ktorá už alebo",
     "bolo bola len však až pri pred tým tiež má môže ich kde ďalšie ho mu jej medzi tento táto toto tejto byť "
     "svoje svojho ľudí rokov roku viac potom proti nás nám vás vám mňa mi ty on ona my vy oni sme ste boli bude "
     "budú budem mám máš máme mať nič nikdy vždy dnes zajtra včera tu tam teraz pretože či kto aký dobre deň čas "
     "život človek žena deti dom ulica mesto voda svet krajina musí chcem môžem bez počas každý iný nový veľký "
     "mnoho prosím ďakujem ešte"},
    {"ro ron rum",
     "și de în la a cu pe nu o care din că este un mai pentru au fost să ce se sau prin ca dar după fi lui sunt al "
     "această ale acest",
     "am era i îi le ne vă mă te el ea noi voi ei ele eu tu său sa lor sale acesta aceste dacă când cum unde "
     "foarte doar până între fără despre sub către atunci acum aici acolo toate tot toți fiecare alt altă mult "
     "multe mulți ani an zi timp viață om oameni femeie copii casă casa stradă oraș apă lume țară poate trebuie "
     "vreau avea are avem aveți face spus bine nimic niciodată întotdeauna astăzi mâine ieri deoarece cine câte "
     "mare nou mic prima două trei ar putea fie cel cea cei asta informație situație atenție"},
    {"hu hun",
     "a az és hogy nem is egy ez volt de csak meg már el még azt ha van mint vagy ki lesz nagyon kell én mert most "
     "minden olyan ezt",
     "te ő mi ti ők amely ami aki után be fel le sem majd itt ott akkor amikor így úgy mit hol miért nagy jó új "
     "első két három több sok kis alatt között előtt által szerint nélkül lehet lenne vannak voltak lett tud tudom "
     "akar akarok kellett mondta semmi soha mindig ma holnap tegnap senki valami valaki magyar ember emberek nő "
     "férfi gyerekek gyermek ház utca város víz világ élet idő nap év évben ország vagyok vagyunk vagytok nekem "
     "neked neki engem téged őt azok ezek ilyen egyik másik hanem pedig"},
    {"tr tur",
     "ve bir bu da de için ile çok o ne daha olarak gibi ama var kadar olan sonra ben mi her en değil şey onun yok "
     "ki iki diye benim",
     "sen biz siz onlar mı mu ya olduğu oldu olduğunu ancak ise hem önce bana beni sana seni senin ona onu bize "
     "bizi bizim size sizi sizin kendi nasıl neden niçin nerede kim hangi şimdi burada orada bugün yarın dün hiç "
     "hep zaman hiçbir bütün tüm bazı diğer başka yeni büyük küçük iyi kötü güzel ilk son yıl yılında gün hayat "
     "insan insanlar kadın adam çocuk çocuklar ev sokak şehir su dünya ülke gerek olacak olmak olur etmek ediyor "
     "edilen eden yapmak yapıyor dedi istiyorum çünkü eğer göre arasında karşı üzerinde içinde"},
    {"ru rus",
     "и в не на что он с как это а по но из я за то все она так его к у же вы было был от мы для или бы они ее "
     "есть",
     "о ты только если быть когда мне нет до меня еще да уже были вот со их даже под может была чем себя ли очень "
     "время где там этот который которые того этого можно потом ничего надо теперь здесь после без чтобы кто "
     "сейчас всегда никогда сегодня завтра вчера потому человек люди женщина дети дом улица город вода мир жизнь "
     "день год лет страна будет буду должен хочу могу сказал знаю нужно между через перед каждый другой новый "
     "большой много больше наш ваш мой твой тебя нас вас им ему ей какой два три первый тоже эти эта"},
    {"uk ukr",
     "і в не на що з та у до як це він за але по від я про його для так вона й ми був або вони було із бути має ще",
     "все б о ж ти ви її тільки якщо коли мені ні мене вже були ось зі їх навіть під може була чим себе чи дуже "
     "час де там є цей який які того цього можна потім нічого треба тепер тут після без щоб хто зараз завжди "
     "ніколи сьогодні завтра вчора тому людина люди жінка діти дім вулиця місто вода світ життя день рік років "
     "країна буде буду повинен хочу можу сказав знаю потрібно між через перед кожний інший новий великий багато "
     "більше наш ваш мій твій тебе нас вас їм йому їй два три перший також ці ця"},
    {"bg bul", "и на да в не се за от че е с са по той ще това като но ли си ми му или до при има как може бе я тя",
     "а го беше те след един една което които която който така само още ни ме вече вие ние аз ти ги ѝ им ви какво "
     "къде кога кой коя защо защото ако много трябва няма нищо никога винаги днес утре вчера тук там сега после "
     "преди без между през над под всички всеки друг нов голям малък добре ден време живот човек хора жена деца "
     "къща улица град вода свят страна година години съм сме сте бил била били бъде бях искам мога каза знам със "
     "във него нея нас вас тях моя твоя негов наш ваш този тази тези онзи два три първи"},
    {"el ell gre",
     "και το να του η ο της τα με που για την στο από είναι τον οι δεν στην σε θα τη μια ένα των τους ότι αυτό στη "
     "όπως",
     ""},
    {"vi vie",
     "và của là có không được cho một các trong này đã với người những tôi ở đó để khi từ cũng nhưng như về đến ra "
     "sẽ",
     ""},
    {"id ind",
     "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena ada mereka lebih bisa kita "
     "sudah atau seperti oleh adalah telah",
     ""},
};
static_assert(std::size(kWordLists) <= 32, "a word's languages are bits of 32");

// For each word the languages whose list has it, as bits.
const std::unordered_map<std::string, std::uint32_t>& languages_by_word() {
  static const std::unordered_map<std::string, std::uint32_t> kTable = [] {
    std::unordered_map<std::string, std::uint32_t> table;
    for (std::size_t i = 0; i < std::size(kWordLists); ++i) {
      std::istringstream words(kWordLists[i].commonest);
      for (std::string word; words >> word;) table[word] |= 1u << i;
    }
    return table;
  }();
  return kTable;
}

const WordList* list_of(std::string_view tag) {
  const std::string language = language_of(tag);
  for (const WordList& list : kWordLists) {
    std::istringstream tags{std::string(list.tags)};
    for (std::string name; tags >> name;) {
      if (name == language) return &list;
    }
  }
  return nullptr;
}

// Counts the words as often as a text of a few hundred words has them: by Zipf's law with an offset, 18 times for the
// commonest down to once. With higher counts every n-gram that is not in the list would look impossible, and a profile
// that was learned from text would always win.
LanguageProfile profile_of(const WordList& list) {
  constexpr double kScale = 180, kOffset = 10;
  LetterCounts counts;
  std::istringstream words(join(list.commonest, " ", list.more));
  double rank = 0;
  for (std::string word; words >> word; ++rank) {
    for (std::int64_t left = std::llround(kScale / (rank + kOffset)); left > 0; --left) counts.add(word);
  }
  return LanguageProfile(counts);
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
  return Guess{std::string(kWordLists[best].language()), share};
}

const LanguageProfile* common_profile(std::string_view tag) {
  static const std::vector<LanguageProfile> kProfiles = [] {
    std::vector<LanguageProfile> profiles;
    for (const WordList& list : kWordLists) profiles.push_back(profile_of(list));
    return profiles;
  }();
  const WordList* list = list_of(tag);
  return list == nullptr ? nullptr : &kProfiles[static_cast<std::size_t>(list - kWordLists)];
}

}  // namespace dragoman::text
