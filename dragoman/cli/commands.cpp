#include "dragoman/cli/commands.h"

namespace dragoman::cli {

void add_commands(CLI::App& program, const RequestedArchitecture& requested) {
  add_demo(program, requested);
  add_train(program, requested);
  add_translate(program);
  add_serve(program);
  add_show(program);
  add_evaluate(program);
  add_report(program);
  add_average(program);
  add_import(program);
  add_export(program);
  add_inspect(program, requested);
  add_heads(program);
  add_ablate(program, requested);
  add_doctor(program);
  add_complexity(program);
  add_cost(program);
  add_gradcheck(program);
  add_tokenizer(program);
  add_score(program);
  add_completion(program);
  add_manual(program);
  add_help(program);
}

}  // namespace dragoman::cli
