#include "actors/servers/server_slots.hpp"

#include "messages/invariant.hpp"

#include <algorithm>
#include <utility>

namespace servers {

using msg::errc;
using msg::fault;

server_slots::server_slots(generations& all, uint32_t max, slot_routes routes)
  : all_(all),
    max_(max),
    routes_(std::move(routes)) {}

size_t server_slots::taken() const {
  auto servers = all_.with_retired();
  return static_cast<size_t>(std::count_if(servers.begin(), servers.end(), [](auto* s) { return s->has_slot; }));
}

/// Also one that is retired; null: it is gone.
server* server_slots::numbered(uint64_t number) const {
  auto servers = all_.with_retired();
  auto found = std::find_if(servers.begin(), servers.end(), [number](auto* s) { return s->number == number; });
  return found == servers.end() ? nullptr : *found;
}

void server_slots::take(server& s, answer_to then) {
  if (auto why = msg::refusal_to_start(s.entry); why.code != errc::none)
    return then(std::move(why));
  s.last_used = routes_.now();
  if (s.may_lose_slot) // else it would start again when another one has its slot
    return undecided_[s.number].push_back(std::move(then));
  if (s.has_slot) // there may be more than `max_`: those of retired ones come on top
    return then({});
  // the last runs of a retired one end soon: it searches for no slot, which would be under its successor's name
  if (!s.is_retired() && taken() >= max_) {
    auto wanted = std::make_shared<search>(search{s.entry.name, s.number, {}, std::move(then)});
    for (auto& [name, other] : all_.now())
      if (other.has_slot && !other.may_lose_slot && !other.entry.eager)
        wanted->candidates.push_back(name);
    auto used_later = [this](auto& a, auto& b) { return all_.find(a)->last_used > all_.find(b)->last_used; };
    std::sort(wanted->candidates.begin(), wanted->candidates.end(), used_later);
    return go_on(wanted);
  }
  s.has_slot = true;
  msg::ensure_in_tests([&] { return taken() <= max_ || s.is_retired(); }, "a slot is taken only where one is free");
  then({});
}

/// One candidate after the other.
void server_slots::go_on(const std::shared_ptr<search>& search) {
  auto* s = all_.find(search->wanted);
  if (s && s->number != search->number)
    s = nullptr;
  if (s && s->has_slot)
    return search->then({});
  if (s && taken() < max_) {
    s->has_slot = true;
    msg::ensure_in_tests([this] { return taken() <= max_; }, "a slot is taken only where one is free");
    return search->then({});
  }
  if (search->candidates.empty() || is_over_ || !s) {
    fault why{errc::overloaded,
              "server '" + search->wanted + "' can not be started: " + std::to_string(max_)
                + " servers run and are in use, which is the limit (servers.maxRunning); try again later"};
    return search->then(std::move(why).at(search->wanted));
  }
  auto* unused = all_.find(search->candidates.back());
  search->candidates.pop_back();
  if (!unused || unused->may_lose_slot)
    return go_on(search);
  ask_for_slot(*unused, [this, search] { go_on(search); });
}

/// Nothing is sent to it meanwhile: what it answers holds when it is heard.
void server_slots::ask_for_slot(server& of, std::function<void()> then) {
  of.may_lose_slot = true;
  routes_.stop_if_idle(of, [this, then = std::move(then), name = of.entry.name, number = of.number](bool is_stopped) {
    if (auto* asked = numbered(number)) {
      asked->may_lose_slot = false;
      asked->has_slot = asked->has_slot && !is_stopped;
    }
    then();
    answered(number, name);
  });
}

void server_slots::has_ended(server& s) {
  if (s.has_slot && !s.may_lose_slot) // else the answer is on its way
    ask_for_slot(s, [] {});
}

/// Those who wanted to use it meanwhile ask once more: it runs still, or wants a slot itself.
void server_slots::answered(uint64_t number, const std::string& name) {
  auto waiting = undecided_.extract(number);
  if (!waiting)
    return;
  for (auto& then : waiting.mapped()) {
    if (auto* s = numbered(number))
      take(*s, std::move(then));
    else
      then(fault{errc::unknown_server, "server '" + name + "' is not configured any more"}.at(name));
  }
}

} // namespace servers
