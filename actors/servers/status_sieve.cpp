#include "actors/servers/status_sieve.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace servers {

namespace {

/// What else of a server can be used, by the same rules.
constexpr msg::child_method other_methods[] = {msg::child_method::list_resources, msg::child_method::read_resource,
                                               msg::child_method::list_prompts, msg::child_method::get_prompt};

msg::indexed_server* find_in(msg::indexed_servers& indexed, const std::string& name) {
  auto at = std::lower_bound(indexed.begin(), indexed.end(), name, [](auto& s, auto& n) { return s.name < n; });
  return at == indexed.end() || at->name != name ? nullptr : &*at;
}

} // namespace

msg::server_status idle_status(const server& s) {
  msg::server_status status;
  status.name = s.entry.name;
  status.state = s.entry.unusable.empty() ? msg::server_state::idle : msg::server_state::unusable;
  for (auto& tool : *s.usable.tools)
    status.tools.push_back(tool.name);
  status.last_error = s.entry.unusable.empty() ? s.last_error : s.entry.unusable;
  if (auto why = msg::refusal_to_start(s.entry); why.code != msg::errc::none) {
    status.state =
      s.entry.trust == msg::trust_level::rejected ? msg::server_state::rejected : msg::server_state::unapproved;
    status.last_error = std::move(why.message);
  }
  status.disabled = s.entry.disabled;
  status.source = s.entry.source;
  status.shadows = s.entry.shadows;
  status.client = s.entry.client;
  return status;
}

status_sieve::status_sieve(std::shared_ptr<const proxy::tool_policy> policy, const msg::tool_filter* filter)
  : is_filtered_(filter != nullptr),
    policy_(std::move(policy)),
    allowed_(filter ? proxy::allowlist{*filter, policy_->server_names()} : proxy::allowlist{}) {}

void status_sieve::answered(size_t place, msg::server_status status) {
  auto& known = list[place];
  status.disabled = known.disabled;
  status.source = std::move(known.source);
  status.shadows = std::move(known.shadows);
  status.client = std::move(known.client);
  known = std::move(status);
}

void status_sieve::catalog_is_silent() {
  for (auto& status : list)
    if (status.tools.empty() && status.last_error.empty())
      status.last_error = "its tools are not known: the catalog of tools does not answer now; ask again later";
}

bool status_sieve::go_on(const std::function<bool()>& is_turn_over) {
  for (; at_ < list.size(); ++at_, now_.reset()) {
    if (is_turn_over())
      return false;
    auto& status = list[at_];
    if (!now_)
      begin(status);
    if (now_->usable
        && (!take_out(status.tools, now_->tools, is_turn_over) || !take_out(now_->changed, now_->changes, is_turn_over)
            || !find_use(status, is_turn_over)))
      return false;
    complete(status);
  }
  return true;
}

std::vector<msg::server_status> status_sieve::take() {
  size_t place = 0;
  std::erase_if(list, [&](auto&) { return useless_[place++]; });
  return std::move(list);
}

/// Whether anything of it could be used is known sooner than what. No more is asked of a server whose tools neither it
/// nor the catalog tells.
void status_sieve::begin(msg::server_status& status) {
  now_.emplace();
  bool could_have_some = policy_->permits_some(status.name) && allowed_.allows_some(status.name);
  auto* known = could_have_some ? find_in(indexed, status.name) : nullptr;
  if (!could_have_some)
    status.tools.clear();
  if (known && (status.tools.empty() || !known->changed.empty()))
    status.tools = std::move(known->tools); // each server is in the list once
  if (known)
    now_->changed = std::move(known->changed);
  now_->is_useful = could_have_some || !is_filtered_;
  if (!status.tools.empty() || !now_->changed.empty())
    now_->usable.emplace(*policy_, allowed_, status.name);
}

bool status_sieve::take_out(std::vector<std::string>& names, server_in_sieve::progress& p,
                            const std::function<bool()>& is_turn_over) {
  while (p.looked_at < names.size()) {
    if (is_turn_over())
      return false;
    auto& name = names[p.looked_at++];
    if (now_->usable->has(name))
      std::swap(names[p.kept++], name);
  }
  names.resize(p.kept);
  return true;
}

/// One that has none of its tools left may have something else. False: the turn is over.
bool status_sieve::find_use(const msg::server_status& status, const std::function<bool()>& is_turn_over) {
  now_->is_useful = !is_filtered_ || !status.tools.empty() || !now_->changed.empty();
  while (!now_->is_useful && now_->methods_asked < std::size(other_methods)) {
    if (is_turn_over())
      return false;
    now_->is_useful = now_->usable->has(to_string(other_methods[now_->methods_asked++]));
  }
  return true;
}

void status_sieve::complete(msg::server_status& status) {
  status.tool_count = static_cast<uint32_t>(status.tools.size());
  status.held_tools = static_cast<uint32_t>(now_->changed.size());
  useless_.push_back(!now_->is_useful);
}

} // namespace servers
