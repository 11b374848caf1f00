// What one validation may still do.
#pragma once

#include <cstddef>
#include <string_view>

namespace json_schema {

class budget {
public:
  explicit budget(size_t steps) : steps_(steps) {}

  /// False when it is used up, from then on always.
  bool charge(size_t steps) {
    if (steps <= steps_) {
      steps_ -= steps;
      return why_.empty();
    }
    stop("the budget of steps is used up: the schema or the instance is too complex");
    return false;
  }

  /// Ends the validation; the first reason counts. The text must be a literal.
  void stop(std::string_view why) {
    steps_ = 0;
    if (why_.empty())
      why_ = why;
  }

  bool is_stopped() const { return !why_.empty(); }
  std::string_view why() const { return why_; }

private:
  size_t steps_;
  std::string_view why_;
};

} // namespace json_schema
