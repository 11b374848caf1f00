#include "actors/sampling/prompts.hpp"

#include <string>
#include <utility>

namespace sampling {

using msg::errc;

size_t prompt_bytes(const msg::model_request& request) {
  auto bytes = request.system.size();
  for (auto& m : request.messages) {
    bytes += m.text.size();
    for (auto& a : m.answers)
      bytes += a.text.size();
  }
  return bytes;
}

msg::fault filter_prompt(std::vector<msg::chat_message>& messages, const content_filter::content_policy& policy) {
  auto take_out = [&](std::string& text) {
    auto filtered = content_filter::filter_content(text, policy);
    if (!filtered.ok())
      return msg::fault{errc::not_allowed, content_filter::refusal(*filtered.blocked)};
    text = std::move(filtered.text);
    return msg::fault{};
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

} // namespace sampling
