#include "actors/child/masked_answer.hpp"

#include "proxy/unwrap.hpp"

#include <boost/json/value.hpp>

#include <utility>

namespace child {

msg::outcome<msg::document> masked_answer(msg::outcome<msg::document> answer, const mcp::masking& mask) {
  answer.error.message = mask(std::move(answer.error.message));
  if (!answer.ok() || !proxy::is_error(answer.value) || answer.value.text_bytes() > errors_masked_bytes_max)
    return answer;
  auto shown = answer.value.value();
  if (mcp::mask_texts(shown, mask))
    answer.value = msg::document{std::move(shown)};
  return answer;
}

} // namespace child
