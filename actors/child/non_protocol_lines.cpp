#include "actors/child/non_protocol_lines.hpp"

#include "messages/limits.hpp"

#include <utility>

namespace child {

std::string non_protocol_lines::logged(const std::string& quote, std::string_view where) {
  if (++count_ > msg::limits::child_garbage_lines_max)
    return {};
  bool is_last = count_ == msg::limits::child_garbage_lines_max;
  return "no JSON-RPC " + std::string{where} + ": " + quote + (is_last ? "; more of that is not shown" : "");
}

bool non_protocol_lines::keep(std::string quote) {
  last_ = std::move(quote);
  if (!first_.empty())
    return false;
  first_ = last_;
  return true;
}

void non_protocol_lines::message_came() {
  count_ = 0;
  first_.clear();
}

} // namespace child
