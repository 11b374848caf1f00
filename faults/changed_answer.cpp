#include "faults/changed_answer.hpp"

#include "faults/answers.hpp"

namespace faults {

changed_answer change(const msg::document& answer, const rule& by) {
  if (by.what == kind::garbage)
    return {answer, by.text};
  if (by.what == kind::truncate && by.which != part::text)
    return {answer, cut_off(answer, by.keep)};
  if (answer.text_bytes() > changed_bytes_max)
    return {answer};
  switch (by.what) {
    case kind::truncate: return {with_short_texts(answer, by.keep)};
    case kind::wrong_type: return {with_other_types(answer)};
    case kind::empty: return {emptied(answer)};
    case kind::huge: return {enlarged(answer, by.bytes)};
    case kind::injection: return {with_canary(answer, by)};
    default: return {answer};
  }
}

} // namespace faults
