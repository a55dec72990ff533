#include "dragoman/backend/best_words.h"

#include "dragoman/backend/checks.h"

namespace dragoman {

namespace {

void check_words(const Array& Y, std::int64_t d, std::int64_t V, const Array& b, const BestWords& best) {
  require<ShapeError>(Y.cols() == d && (!b || b.count() == V), "best_words: Y is ", Y.shape(), ", b ", b.shape(),
                      ", and E [", V, ", ", d, "]");
  require<ShapeError>(best.ids.rows() == Y.rows() && best.ids.cols() > 0 && same_extents(best.ids, best.logits) &&
                          best.log_sums.count() == Y.rows(),
                      "best_words: Y is ", Y.shape(), ", ids ", best.ids.shape(), ", logits ", best.logits.shape(),
                      ", log_sums ", best.log_sums.shape());
  require<ShapeError>(!best.all || (best.all.rows() == Y.rows() && best.all.cols() == V), "best_words: Y is ",
                      Y.shape(), ", all ", best.all.shape(), ", and the vocabulary has ", V, " words");
  require<ShapeError>(
      (!best.asked && !best.asked_logits) || (best.asked.count() == Y.rows() && best.asked_logits.count() == Y.rows() &&
                                              best.asked.contiguous() && best.asked_logits.contiguous()),
      "best_words: Y is ", Y.shape(), ", asked ", best.asked.shape(), ", asked_logits ", best.asked_logits.shape());
  require<ShapeError>(V > 0, "best_words: the vocabulary is empty");
}

}  // namespace

void BestWordsKernels::best_words(const Array& Y, const Array& E, const Array& b, const BestWords& best) const {
  check_words(Y, E.cols(), E.rows(), b, best);
  do_best_words(Y, E, b, best);
}

void BestWordsKernels::best_words(const Array& Y, const PackedMatrix& E, const Array& b, const BestWords& best) const {
  check_words(Y, E.in, E.out, b, best);
  do_best_words_packed(Y, E, b, best);
}

}  // namespace dragoman
