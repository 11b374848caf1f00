// What goes into a prompt: without what the content policy keeps from models, looked for on another thread where it is much.
#include "actors/sampling_session.hpp"
#include "content_filter/filter.hpp"

#include <caf/all.hpp>

#include <utility>

namespace actors {

using msg::errc;
using msg::fault;

namespace {

/// 3 ms of work at the 18 MB/s that numbers take, the slowest there is.
constexpr size_t filtered_at_once_max = 64u << 10;

fault without_what_is_kept(std::vector<msg::chat_message>& messages, const content_filter::content_policy& policy) {
  auto take_out = [&](std::string& text) {
    auto filtered = content_filter::filter_content(text, policy);
    if (!filtered.ok())
      return fault{errc::not_allowed, content_filter::refusal(*filtered.blocked)};
    text = std::move(filtered.text);
    return fault{};
  };
  for (auto& m : messages) {
    if (auto why = take_out(m.text); why.code != errc::none)
      return why;
    for (auto& a : m.answers)
      if (auto why = take_out(a.text); why.code != errc::none)
        return why;
  }
  return {};
}

} // namespace

size_t sampling_session_state::bytes_of(const msg::model_request& request) {
  auto bytes = request.system.size();
  for (auto& m : request.messages) {
    bytes += m.text.size();
    for (auto& a : m.answers)
      bytes += a.text.size();
  }
  return bytes;
}

bool sampling_session_state::is_room_for(size_t prompt_bytes) const {
  for (auto& [number, q] : open_)
    prompt_bytes += q->prompt_bytes;
  return prompt_bytes <= prompts_held_max;
}

/// Of a question that is open. `then` is called if nothing is in its prompt that must not be sent; else the question fails.
void sampling_session_state::filter_prompt(uint64_t number, std::function<void()> then) {
  auto q = find(number);
  q->then = std::move(then);
  if (!options_.offload || q->prompt_bytes <= filtered_at_once_max)
    return prompt_filtered(number, without_what_is_kept(q->request.messages, options_.rules.filter));
  q->prompt = std::make_shared<looked_through>(looked_through{std::move(q->request.messages), {}});
  auto work = [prompt = q->prompt, policy = options_.rules.filter] { prompt->problem = without_what_is_kept(prompt->messages, policy); };
  auto me = caf::actor_cast<msg::sampling_session_actor>(self_);
  options_.offload(std::move(work), [me, number, prompt = q->prompt](fault problem) {
    caf::anon_send(me, msg::checked_atom::value, number, problem.code == errc::none ? prompt->problem : std::move(problem));
  });
}

void sampling_session_state::prompt_filtered(uint64_t number, fault why) {
  auto q = find(number);
  if (!q) // left, while it was looked through
    return;
  if (auto prompt = std::exchange(q->prompt, nullptr))
    q->request.messages = std::move(prompt->messages);
  auto then = std::exchange(q->then, nullptr);
  if (why.code == errc::none)
    return then();
  record_refusal(q->request.model, why);
  fail(number, std::move(why));
}

} // namespace actors
