// dragoman gradcheck: compares every gradient with finite differences.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dragoman/autograd/finite_differences.h"
#include "dragoman/autograd/record.h"
#include "dragoman/base/random.h"
#include "dragoman/cli/commands.h"
#include "dragoman/cli/settings/settings.h"
#include "dragoman/cli/show/output.h"
#include "dragoman/train/check/gradient_cases.h"

namespace dragoman::cli {
namespace {

using train::GradientCase;

struct GradcheckOptions {
  std::string filter;
  bool fault = false;

  template <class Visitor>
  void fields(Visitor&& field) {
    field("filter", filter, "check only cases whose name contains this text");
    field("fault", fault, "add a LayerNorm whose backward lacks a term, to prove that the check can fail");
  }
};

// One row of the backward of LayerNorm with an error: the term mean(g) is missing from dx = (g - mean(g) - n mean(g n))
// rstd, where n is the normalised row and g = dy (gamma is 1).
void faulty_row(const double* dy, const double* n, double rstd, std::int64_t d, double* dx) {
  double mean_gn = 0;
  for (std::int64_t i = 0; i < d; ++i) mean_gn += dy[i] * n[i] / static_cast<double>(d);
  for (std::int64_t i = 0; i < d; ++i) dx[i] = (dy[i] - n[i] * mean_gn) * rstd;
}

Tensor faulty_layer_norm(const Tensor& x) {
  Backend& on = x.backend();
  const auto [R, d] = x.dims<2>();
  Array gamma = on.empty({d}, x.array().dtype()), beta = on.empty_like(gamma);
  on.fill(gamma, 1.0);
  on.fill(beta, 0.0);
  Array y = on.empty_like(x.array()), mean = on.empty_rows(x.array()), rstd = on.empty_rows(x.array());
  on.layer_norm(x.array(), gamma, beta, 1e-6, y, mean, rstd);
  return record(y, {x}, [y, rstd, R = R, d = d](const Array& dy, Sinks& sinks) {
    const Array dx = sinks.into(0).array;
    for (std::int64_t r = 0; r < R; ++r) {
      faulty_row(dy.data<double>() + r * d, y.data<double>() + r * d, rstd.data<double>()[r], d,
                 dx.data<double>() + r * d);
    }
  });
}

double faulty_error() {
  const std::unique_ptr<Backend> on = make_backend(Device{}, {.threads = 1});
  RandomStream random(1);
  std::vector<double> values(20);
  for (double& value : values) value = random.normal();
  Array x = on->empty({4, 5}, DType::kFloat64);
  on->copy_in(values.data(), x);
  return gradient_error(*on, std::span(&x, 1), [](std::span<const Tensor> in) { return faulty_layer_norm(in[0]); });
}

std::vector<GradientCase> chosen_cases(const GradcheckOptions& options) {
  std::vector<GradientCase> cases = train::gradient_cases();
  std::erase_if(cases, [&](const GradientCase& c) { return c.name.find(options.filter) == std::string::npos; });
  require<UsageError>(!cases.empty() || options.fault, "no case has '", options.filter,
                      "' in its name; leave out --filter to check all.");
  if (options.fault) cases.push_back({"fault: layer_norm without mean(g)", faulty_error});
  return cases;
}

void gradcheck(CommandSettings& settings) {
  settings.read_file();
  GradcheckOptions options;
  settings.apply(options);
  const std::vector<GradientCase> cases = chosen_cases(options);
  std::size_t widest = 0, failed = 0;
  for (const GradientCase& c : cases) widest = std::max(widest, c.name.size());
  print(fmt::format("{:{}}  worst relative error\n", "gradient", widest));
  for (const GradientCase& c : cases) {
    const double error = c.worst_error();
    const bool ok = error <= train::kGradientTolerance;
    failed += ok ? 0 : 1;
    print(fmt::format("{:{}}  {:>20.1e}  {}\n", c.name, widest, error, ok ? "ok" : "FAILED"));
    flush_output();  // shows progress to the user
  }
  print(fmt::format("{} of {} agree with finite differences to {:.0e}.\n", cases.size() - failed, cases.size(),
                    train::kGradientTolerance));
  flush_output();
  require<Error>(failed == 0, failed, failed == 1 ? " gradient is wrong." : " gradients are wrong.");
}

}  // namespace

void add_gradcheck(CLI::App& program) {
  CommandSettings& settings =
      add_command(program, "gradcheck", "check every gradient against finite differences", gradcheck);
  settings.add_flags(GradcheckOptions{}, "Options");
  settings.add_examples({{"check every gradient", "dragoman gradcheck"},
                         {"only those of attention", "dragoman gradcheck --filter attention"}});
}

}  // namespace dragoman::cli
