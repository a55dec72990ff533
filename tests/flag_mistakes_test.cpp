// Typical mistakes in the flags of a command line: each gets one sentence that says what to do.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/mistakes.h"
#include "tests/small_model.h"

namespace dragoman {
namespace {

TEST_F(Mistakes, AFlagOfAnotherNameIsSuggested) {
  expect_usage("serve --model model --host localhost", "there is no flag '--host'. Did you mean '--address'?");
  expect_usage("translate --model model --gpu", "Did you mean '--device cuda'?");
  expect_usage("train --model m --epochs 3", "Training is counted in updates: --steps.");
  expect_usage("train --model m --src a.en", "Did you mean '--train-source'?");
  expect_usage("evaluate --model m --src a.en", "Did you mean '--source'?");
  expect_usage("translate -m model", "there is no flag '-m'. Did you mean '--model'?");
  expect_usage("-v", "there is no flag '-v'. Did you mean '--version'?");
  expect_usage("translate \u2013model model", "Did you mean '--model'?");  // a word processor made a dash of it
  expect_usage("translate model", "'model' is a directory. Did you mean '--model model'?");
  expect_usage("import model", "--model DIR is missing; 'dragoman import --help' shows examples.");
  expect_usage("translate '--model model'", "there is no flag '--model model'. Write it without the quotes.");
  expect_usage("train --model m --resume", "A run is resumed by itself if --model names its directory.");
}

TEST_F(Mistakes, AFlagOfAnotherCommandIsNamedWithItsCommands) {
  expect_usage("translate --model model --reference a.de", "It is a flag of evaluate, heads and score.");
  expect_usage("translate --version", "Did you mean 'dragoman --version'?");
  expect_usage("translate --instructions avx2", "Did you mean 'dragoman --instructions'?");
  expect_usage("--instructions", "--instructions needs a value");
  expect_usage("--instructions mmx inspect", "there are no CPU instructions 'mmx'; this machine can use ");
  expect_usage("--instructions=mmx inspect", "there are no CPU instructions 'mmx'; this machine can use ");
  expect_usage("score --reference a.de --metric comet", "BLEU and chrF are always computed; --ter adds TER.");
  expect_usage("score --reference a.de --colour red", "'dragoman score --help' shows them all.");
  expect_usage("--model model translate", "'--model' belongs after the command, as in 'dragoman translate --model");
}

TEST_F(Mistakes, AMissingValueIsReportedAtItsFlag) {
  expect_usage("translate --model", "--model needs a value, as in '--model DIR'.");
  expect_usage("translate --model --beam 4", "--model needs a value, but the flag '--beam' follows it.");
  expect_usage("evaluate --model model --source --reference=a.de",
               "--source needs a value, but the flag '--reference'");
}

TEST_F(Mistakes, AValueWithoutAFlagGetsAHint) {
  expect_usage("show --model model a.en", "'a.en' is neither a flag nor a flag's value. Did you mean '--input a.en'?");
  expect_usage("serve model", "Did you mean '--model model'?");
  expect_usage("serve --model model 8000", "Did you mean '--port 8000'?");
  expect_usage("score a.de a.en", "Did you mean '--reference a.de'?");
  expect_usage("evaluate model a.en a.de", "Did you mean '--model model'?");
  expect_usage("train a.en a.de --model m", "Did you mean '--train-source a.en'?");
  expect_usage("train settings.yaml", "Did you mean '--config settings.yaml'?");
  expect_usage("inspect base", "Did you mean '--preset base'?");
  expect_usage("inspect pre", "Did you mean '--norm pre'?");
  expect_usage("tokenizer train --input a.en a.de --output t", "Did you mean '--input a.en,a.de'?");
  expect_usage("tokenizer encode --model model a.en", "The text is read from standard input: write '< a.en'.");
  expect_usage("train --model m --joint-vocabulary false", "Did you mean '--joint-vocabulary=false'?");
  expect_usage("average --model model xyz", "'dragoman average --help' shows examples.");
}

TEST_F(Mistakes, ACommandThatDoesNotExistIsNamedWithTheOthers) {
  expect_usage("completion tcsh", "there is no command 'completion tcsh'. There are bash, zsh and fish.");
  expect_usage("trnslate --help", "Did you mean 'translate'?");
}

TEST_F(Mistakes, ANumberIsJudgedByWhatIsWrongWithIt) {
  expect_usage("translate --model model --beam four", "--beam: 'four' is not a whole number, such as 4.");
  expect_usage("translate --model model --beam 99999999999", "'99999999999' is too large; the largest possible");
  expect_usage("translate --model model --beam -4", "beam is -4; it must be from 1 to 1000.");
  expect_usage("translate --model model --device gpu", "Did you mean 'cuda'?");
}

TEST_F(Mistakes, ALongValueIsNotRepeatedWhole) {
  const std::string value(100'000, 'x'), name(1 << 20, 'y');
  for (const std::string& arguments :
       {"translate --model model --beam " + value, "translate --model " + value, "import " + value + " --model new",
        "train --model new --train-source " + value + " --train-target a.de", "translate --" + value, value,
        "translate --model model --config " + write("long.yaml", "beam: " + name + "\n"),
        "translate --model model --config " + write("key.yaml", name + ": 1\n"), "inspect --preset " + value,
        "train --model new --source-language " + value}) {
    const Ending ending = here(arguments + " < /dev/null");
    EXPECT_TRUE(ending.status == 1 || ending.status == 2) << arguments.substr(0, 60);
    EXPECT_LT(ending.err.size(), 1000u) << arguments.substr(0, 60);
  }
}

TEST_F(Mistakes, TheValueOfAFlagIsNotTheCommand) {
  write_small_model(file("demo"));
  expect_usage("trnslate --model demo", "dragoman: there is no command 'trnslate'. Did you mean 'translate'?");
  expect_usage("--model demo translate", "as in 'dragoman translate --model ...'.");
  expect_usage("-m demo", "dragoman: there is no flag '-m'.");
  expect_usage("version", "Did you mean 'dragoman --version'?");
  expect_usage("eval", "Did you mean 'dragoman evaluate'?");
}

TEST_F(Mistakes, AFlagWithoutEffectIsRefused) {
  const std::string train = "train --model m --train-source a.en --train-target a.de ";
  expect_usage(train + "--peak-rate 0.5", "--peak-rate has no effect with the schedule paper;");
  expect_usage(train + "--schedule inverse-sqrt --rate-constant 2", "--rate-constant has no effect");
  expect_usage(train + "--decay-exempt", "--decay-exempt has no effect without weight decay; add --weight-decay.");
  expect_usage(train + "--best-by bleu", "--best-by has no effect without a validation text;");
  for (const char* kind : {"word", "char"}) {
    expect_usage(train + "--subword-sampling 0.1 --tokenizer " + kind, "--subword-sampling has no effect with");
  }
  expect_usage(train + "--max-positions 50", "--max-positions has no effect without --positions learned.");
  expect_usage("complexity --counts-only --rounds 3", "--rounds has no effect with --counts-only, which measures no");
  expect_usage("train --lr 1", "Did you mean '--rate-constant', or '--schedule inverse-sqrt --peak-rate'?");
  const std::string translate = "translate --model model a.en ";
  expect_usage(translate + "--search greedy --beam 5", "--beam has no effect without --search beam.");
  expect_usage(translate + "--temperature 0.5", "--temperature has no effect without --search sample.");
  expect_usage(translate + "--alignment-head 2", "--alignment-head has no effect without --alignment.");
  expect_usage("evaluate --model model --source a.en --reference a.de --n-best 3", "--n-best has no effect here:");
  expect_usage("score --reference a.de --hypothesis a.de --trials 10", "without --confidence or --paired.");
  expect_usage("doctor --sentence one", "--sentence has no effect without --model.");
  expect_usage("demo --task reverse --grammar a.en", "--grammar has no effect with --task reverse, copy or chase");
  EXPECT_FALSE(std::filesystem::exists(file("m")));
  write("beam.yaml", "search: greedy\nbeam: 5\n");  // a file may hold what this call does not need
  EXPECT_EQ(here(translate + "--threads 1 --config beam.yaml").status, 0);
}

TEST_F(Mistakes, HintsWorkWhenTheyAreFollowed) {
  expect_usage("train --train-sets a.en a.de", "Did you mean '--train-source FILE --train-target FILE'?");
  for (const char* flag : {"--train-pairs", "--train-source"}) {
    expect_usage(std::string("train --model m ") + flag + " a.en a.de",
                 "Did you mean '--train-source a.en --train-target a.de'?");
  }
  expect_usage("train --model m --beam 3", "It is a flag of translate, serve, show and evaluate.");
  expect_usage("translate --model model --no-quiet a.en", "Did you mean '--quiet=false'?");
  expect_usage("translate --model model --quiet false a.en", "Did you mean '--quiet=false'?");
  expect_usage("translate --model a.en model", "Did you mean '--model model a.en'?");
  expect_one_sentence(here("translate --model My Model a.en"), 1,
                      "there is no model directory 'My'; put a name with spaces in quotes.");
  expect_usage("inspect model", "Did you mean '--model model'?");
  expect_usage("doctor model", "Did you mean '--model model'?");
  expect_usage("average --model model", "'model' has no checkpoints; name the directory of a training run.");
}

TEST_F(Mistakes, ASettingIsNamedAsItWasGiven) {
  expect_usage("inspect --layers 0", "inspect: layers is 0; it must be from 1 to 1000.");
  expect_usage("inspect --encoder-layers 0 --layers 2", "inspect: encoder-layers is 0;");
  write("lists.yaml", "heads: 8\nlayers: 200000\n");
  expect_usage("inspect --config lists.yaml", "'lists.yaml' line 2: layers is 200000; it must be from 1 to 1000.");
  expect_usage("inspect --model model --layers 9", "inspect: layers is 2 in the model 'model', not 9;");
  expect_usage("tokenizer encode --model model --sample 5", "sample is 5; it must be from 0 to 1.");
  expect_usage("translate --model model a.en --alignment --alignment-layer 9", "there is no layer 9; the model has ");
  write("quote.yaml", "preset: \"demo\nlayers: 3\n");
  expect_usage("inspect --config quote.yaml", "'quote.yaml' line 1 is not YAML (a quote is not closed);");
  write("quoted.yaml", "preset: \"demo\"\nnorm: 'pre'\n");
  EXPECT_EQ(here("inspect --config quoted.yaml").status, 0);
  expect_usage("inspect --config quoted.yaml --config lists.yaml", "--config is given twice;");
}

TEST_F(Mistakes, OriginsAndHostsThatCannotMatchAreRefused) {
  expect_usage("serve --model model --origins example.org", "'example.org' is not an origin such as https://example.");
  expect_usage("serve --model model --origins https://example.org/", "'https://example.org/' is not an origin");
  expect_usage("serve --model model --allowed-host 'http://foo bar'", "'http://foo bar' is not the name of a host.");
}

TEST_F(Mistakes, ACommandInsideAnotherIsFound) {
  expect_usage("encode --model model", "there is no command 'encode'. Did you mean 'dragoman tokenizer encode'?");
  expect_usage("help encode", "Did you mean 'dragoman tokenizer encode'?");
  expect_usage("marian-decoder -m model", "Did you mean 'dragoman translate'?");
  expect_usage("help train translate",
               "there is no command 'train translate', because 'train' has none inside it; ask for one command");
  expect_usage("help tokenizer train now", "because 'tokenizer train' has none inside it;");
}

TEST_F(Mistakes, ASwitchTakesNoValue) {
  expect_usage("train --model m --csv metrics.csv", "'metrics.csv' follows --csv, which takes no value; leave it out.");
  expect_usage("train --model m --tensorboard runs/", "'runs/' follows --tensorboard, which takes no value;");
  expect_usage("train --model m --csv a.en a.de", "Did you mean '--train-source a.en'?");
}

TEST_F(Mistakes, ANumberThatMustBeAboveZeroIsNotZero) {
  expect_usage("demo --steps 0", "--steps: '0' is not possible; give a whole number above 0");
}

TEST_F(Mistakes, AnEmptyItemOfAListIsRefused) {
  expect_usage("translate --model model,,model a.en", "--model: 'model,,model' has an empty item; write the list as");
  expect_usage("translate --model model --input a.en,,a.de", "--input: 'a.en,,a.de' has an empty item");
  expect_usage("train --model m --train-source a.en --train-target a.de --train-weights 1,", "'1,' has an empty item");
  // The words after it are not taken for its value.
  expect_usage("translate --model , a.en", "--model: ',' has an empty item");
  expect_usage("score --reference , --hypothesis a.de", "--reference: ',' has an empty item");
}

TEST_F(Mistakes, SeveralModelsAreRefusedByACommandForOne) {
  write_small_model(file("second"));
  for (const char* command : {"inspect", "heads", "export --output x", "average"}) {
    expect_usage(std::string(command) + " --model model --model second", "--model is given twice; this command takes");
    expect_usage(std::string(command) + " --model model,second", "'model,second' names several models, but this");
  }
  expect_usage("inspect --list --model model", "--model has no effect with --list, which shows all presets.");
  expect_one_sentence(here("translate --model model a.en,a.de"), 1, "write the files as separate words: a.en a.de.");
  expect_one_sentence(here("translate --model model 'a.en a.de'"), 1, "write the files as separate words: a.en a.de.");
  expect_usage("translate --model model a.en --seed 3", "--seed has no effect without --search sample.");
  expect_usage("show --model model --input a.en --output x.html --top-k 3", "--top-k has no effect without");
  expect_usage("serve --model model --gpu-memory-mb 2000", "--gpu-memory-mb has no effect without --device cuda.");
  expect_usage("doctor --train-weights 2", "--train-weights has no effect without a training text.");
}

}  // namespace
}  // namespace dragoman
