#include "bench/sweep/candidate.h"

#include "dragoman/backend/cpu/products/gemm.h"

namespace dragoman::bench::DRAGOMAN_CPU_BODY {

namespace {

namespace body = cpu::DRAGOMAN_CPU_BODY;

// A thread team, as run_product expects it.
struct Team {
  ThreadTeam& team;
  int threads() const { return team.size(); }
  template <class Work, class Name>
  void launch(std::int64_t pieces, const Work& work, const Name&) const {
    team.run(pieces, work);
  }
};

body::Product<float> product(const Operands& o) {
  const auto matrix = [](float* data, std::int64_t rows, std::int64_t cols, bool transposed) {
    return transposed ? body::Matrix<float>{data, cols, rows, rows} : body::Matrix<float>{data, rows, cols, cols};
  };
  return {o.M,
          o.N,
          o.K,
          matrix(o.A, o.M, o.K, o.transposed_A),
          matrix(o.B, o.K, o.N, o.transposed_B),
          o.transposed_A,
          o.transposed_B};
}

void multiply(ThreadTeam& team, const Operands& o, float* packed) {
  body::run_product(Team{team}, body::FloatOperands<float>(), product(o), packed, {o.C, o.M, o.N, o.N}, false,
                    [](const body::Extent&) {});
}

}  // namespace

extern const Candidate kCandidate;
const Candidate kCandidate{
    DRAGOMAN_CANDIDATE_NAME,
    [](const Operands& o) { return body::packed_size(body::FloatOperands<float>(), product(o)); }, multiply};

}  // namespace dragoman::bench::DRAGOMAN_CPU_BODY
