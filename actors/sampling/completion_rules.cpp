#include "actors/sampling/completion_rules.hpp"

#include "sampling/guards.hpp"

#include <algorithm>
#include <utility>

namespace sampling {

using msg::errc;
using msg::fault;

namespace {

bool is_among(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Some providers know no message of that role, and it is a system prompt whatever it is called.
std::string system_prompt_of(msg::sample_request& asked, const std::string& otherwise) {
  auto out = otherwise;
  if (asked.has_system)
    out = std::move(asked.system);
  for (auto& m : asked.messages)
    if (m.role == msg::chat_role::system)
      out.append(asked.has_system || !out.empty() ? "\n" : "").append(m.text);
  std::erase_if(asked.messages, [](auto& m) { return m.role == msg::chat_role::system; });
  return out;
}

} // namespace

completion_rules::completion_rules(const rules& all, const msg::sampling_options& wish)
  : system_prompts_(all.system_prompts),
    own_prompt_(wish.system_prompt),
    are_models_narrowed_(wish.has_models),
    models_(wish.models),
    answer_tokens_(all.answer_tokens) {
  if (!all.are_prompts_configured && !own_prompt_.empty())
    system_prompts_.push_back(own_prompt_);
}

fault completion_rules::prepare(msg::sample_request& asked, const route_ptr& route, completion_request& q) const {
  auto& r = q.request;
  r.stream = asked.stream;
  r.system = system_prompt_of(asked, own_prompt_);
  r.messages = std::move(asked.messages);
  if (auto why = check_system_prompt(r.system, system_prompts_); why.code != errc::none)
    return why;
  q.route = route;
  q.named = std::move(asked.model);
  if (auto why = choose_model(q); why.code != errc::none)
    return why;
  r.max_tokens = asked.max_tokens == 0 ? answer_tokens_ : asked.max_tokens;
  q.how = asked.max_tokens == 0 ? budget::wish::at_most : budget::wish::exact;
  if (!asked.tools.empty() && !route->takes_tools)
    return {errc::invalid_argument, "llm: the client's model takes no tools (it did not declare 'sampling.tools')"};
  return {};
}

fault completion_rules::choose_model(completion_request& q) const {
  auto allowed = q.route->models;
  if (are_models_narrowed_)
    std::erase_if(allowed, [&](auto& m) { return !is_among(models_, m); });
  auto& model = q.request.model;
  model = q.named.empty() ? q.route->model : q.named;
  if (!are_models_narrowed_ && model == q.route->model)
    return {};
  if (are_models_narrowed_ && q.named.empty() && !allowed.empty() && !is_among(allowed, model))
    model = allowed.front();
  return check_model(model, allowed, (are_models_narrowed_ ? "allowedSamplingModels, " : "") + q.route->models_setting);
}

} // namespace sampling
