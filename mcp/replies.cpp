#include "mcp/replies.hpp"

#include "messages/invariant.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace mcp {

namespace limits = msg::limits;

void replies::answer(const reply_path& path, msg::spliced_text text, uint16_t status) {
  auto& in = path.in;
  if (!in) {
    if (text.text_bytes() > 0)
      return send_({std::move(text), path.stream, outgoing::kind::answer, status, {}});
    if (path.stream != 0)
      send_({{}, path.stream, outgoing::kind::none, status, {}});
    return;
  }
  if (auto written = text.text_bytes() > 0 ? text.text() : std::string{}; !written.empty()) {
    in->bytes += written.size();
    batched_bytes_ += written.size();
    in->answers.push_back(std::move(written));
  }
  msg::ensure(in->outstanding > 0, "no more answers than requests in a batch");
  if (in->outstanding > 1) {
    --in->outstanding;
    return;
  }
  std::string whole;
  for (auto& a : in->answers)
    whole += (whole.empty() ? "[" : ",") + a;
  in->outstanding = 0;
  batched_bytes_ -= in->bytes;
  answer({path.stream, nullptr}, msg::spliced_text{whole.empty() ? whole : whole + "]"});
}

void replies::answer_instead(const reply_path& path, msg::spliced_text text) {
  if (path.in) {
    path.in->answers.clear();
    if (path.in->outstanding == 0) // it was the last one, and what could not be sent was all of them
      return answer({path.stream, nullptr}, std::move(text));
    batched_bytes_ -= std::exchange(path.in->bytes, 0);
  }
  answer(path, std::move(text));
}

size_t replies::room() const {
  auto room = room_ ? room_() : std::numeric_limits<size_t>::max();
  return room - std::min(room, batched_bytes_);
}

std::string replies::problem_of_size(const msg::document& result, const reply_path& path) const {
  auto bytes = result.text_bytes();
  auto together = bytes + (path.in ? path.in->bytes : 0);
  if (together > limits::client_answer_bytes_max)
    return (path.in ? "the answers of the batch have " : "the answer has ") + std::to_string(together >> 20)
           + " MiB; a client is sent " + std::to_string(limits::client_answer_bytes_max >> 20)
           + " MiB at most; ask for less, or let a program read it";
  if (bytes <= limits::client_small_answer_bytes_max || std::max(bytes, result.held_bytes()) <= room())
    return {};
  return "the answer has " + std::to_string(bytes >> 20)
         + " MiB, for which there is no room beside the answers that wait to be read; read them, then ask again";
}

} // namespace mcp
