#include "actors/sampling/provider_reading.hpp"

#include "sampling/faults.hpp"
#include "sampling/json_fields.hpp"
#include "sampling/token_estimate.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sampling {

using msg::transport;

namespace {

constexpr uint16_t status_of_answers = 200;
/// Of a refusal that is longer than any answer may be; what it says stands in its beginning.
constexpr size_t refusal_bytes_max = 64u << 10;

msg::outcome<msg::model_answer> outcome_of(provider_reading& all) {
  auto& reply = *all.reply;
  auto how = reply.how;
  bool is_whole = how == transport::answered;
  bool is_refusal = reply.status != status_of_answers && (is_whole || how == transport::too_large);
  if (is_refusal)
    return answer_of(all.who, reply.status,
                     all.body.view().substr(0, is_whole ? std::string_view::npos : refusal_bytes_max));
  bool is_answer_stream = all.is_stream && reply.status == status_of_answers;
  if (is_answer_stream && (is_whole || how == transport::lost || all.stream.done()))
    return all.stream.finish(); // it says best what is missing of a stream that was cut
  if (!is_whole)                // whatever came of a stream was used
    return all.stream.failed(transport_fault(all.who, all.base_url, how, reply.problem));
  return answer_of(all.who, reply.status, all.body.view());
}

/// A model has made it, although it can not be read: it counts by its length, unless its provider tells what it cost.
void count_unread(const provider_reading& all, msg::model_answer& answer) {
  auto& usage = answer.usage;
  auto unread = all.is_stream ? all.stream.refused_bytes() : all.body.view().size();
  bool is_told = !usage.is_estimated && usage.output > 0;
  if (is_told || unread == 0)
    return;
  auto read = all.is_stream ? estimated_tokens(answer.text) : 0; // else it is a part of the body
  usage.output = std::max(usage.output, sum(read, estimated_tokens_of(unread)));
  usage.is_estimated = true;
}

} // namespace

void provider_reading::read() {
  text = without_key(stream.feed(std::exchange(bytes, {})));
  if (!reply)
    return;
  outcome = outcome_of(*this);
  if (!outcome.ok() && reply->status == status_of_answers)
    count_unread(*this, outcome.value);
  body = {}; // here: the end of a large one takes long as well
  outcome.error.message = without_key(std::move(outcome.error.message));
  outcome.value.text = without_key(std::move(outcome.value.text));
  outcome.value.model = without_key(std::move(outcome.value.model));
}

size_t provider_reading::unread_bytes() const {
  return bytes.size() + stream.unread_bytes() + (reply ? body.view().size() : 0);
}

} // namespace sampling
