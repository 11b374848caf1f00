#include "actors/catalog.hpp"

#include "actors/reply_promise.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

namespace actors {

using msg::catalog_operation;
using msg::errc;
using msg::fault;

namespace {

msg::catalog_request request_of(catalog_operation operation, const msg::tool_ref& tool = {}) {
  msg::catalog_request r;
  r.operation = operation;
  r.server = tool.server;
  r.tool = tool.tool;
  return r;
}

// What no run and no client waits for has its own share of the time.
constexpr uint64_t of_servers = std::numeric_limits<uint64_t>::max(); ///< their lists
constexpr uint64_t of_results = of_servers - 1;                       ///< what is learned of them

/// Of the time, at least: who asks much that takes no time at all has turns like others.
constexpr std::chrono::microseconds turn_least{1};

auto is_list_of(const msg::server_entry& server) {
  return [&server](auto& waiting) {
    return waiting.request.operation == catalog_operation::update && waiting.request.entries.front() == server;
  };
}

std::function<void(msg::catalog_answer)> both(std::function<void(msg::catalog_answer)> first,
                                              std::function<void(msg::catalog_answer)> second) {
  return [first = std::move(first), second = std::move(second)](const msg::catalog_answer& result) {
    first(result);
    second(result);
  };
}

} // namespace

template <class T>
caf::result<msg::outcome<T>> catalog_state::ask(msg::catalog_request request, T answer::*part, uint64_t run) {
  auto& all = queue_.all();
  auto of_run = std::count_if(all.begin(), all.end(), [run](auto& w) { return run != 0 && w.run == run; });
  if (static_cast<size_t>(of_run) >= (options_.requests_max + 1) / 2) // the rest is for others
    return msg::outcome<T>{
      fault{errc::overloaded, "this run has " + std::to_string(of_run)
                                + " questions to the catalog of tools open, which is the limit; await some first"}};
  if (queue_.size() >= options_.requests_max)
    return msg::outcome<T>{fault{errc::overloaded, "the catalog of tools is busy: " + std::to_string(queue_.size())
                                                     + " requests wait, which is the limit; try again"}};
  auto promise = reply_promise<msg::outcome<T>>{self_};
  auto deliver = [promise, part](answer result) mutable {
    promise.deliver(result.error.code == errc::none ? msg::outcome<T>{std::move(result.*part)}
                                                    : msg::outcome<T>{std::move(result.error)});
  };
  push(std::move(request), std::move(deliver), run);
  return promise;
}

/// A list that waits already is replaced, and its sender hears of the new one: there are never more of them than
/// servers.
caf::result<msg::outcome<msg::reviewed_tools>> catalog_state::update(msg::server_entry& server,
                                                                     msg::listed_tools& tools) {
  using reviewed = msg::outcome<msg::reviewed_tools>;
  auto promise = reply_promise<reviewed>{self_};
  auto deliver = [promise](answer result) mutable {
    promise.deliver(result.error.code == errc::none ? reviewed{std::move(result.reviewed)}
                                                    : reviewed{std::move(result.error)});
  };
  auto& all = queue_.all();
  auto waiting = all.empty() ? all.end() : std::find_if(std::next(all.begin()), all.end(), is_list_of(server));
  if (waiting != all.end()) {
    waiting->request.tools = std::move(tools);
    waiting->deliver = both(std::move(waiting->deliver), deliver);
    return promise;
  }
  auto r = request_of(catalog_operation::update, {"", server.name, ""});
  r.entries.push_back(std::move(server));
  r.tools = std::move(tools);
  push(std::move(r), std::move(deliver), of_servers);
  save_later();
  return promise;
}

/// A list of the same server that has come meanwhile stands for it: two that took turns would each undo what was done
/// for the other.
bool catalog_state::replaced(waiting_request& unfinished) {
  if (unfinished.request.operation != catalog_operation::update)
    return false;
  auto& all = queue_.all();
  auto newer = std::find_if(all.begin(), all.end(), is_list_of(unfinished.request.entries.front()));
  if (newer != all.end())
    newer->deliver = both(std::move(unfinished.deliver), std::move(newer->deliver));
  return newer != all.end();
}

void catalog_state::save_later() {
  if (!std::exchange(will_save_, true))
    self_->delayed_send(self_, options_.save_delay, msg::tick_atom::value);
}

caf::result<bool> catalog_state::finish() {
  auto promise = reply_promise<bool>{self_};
  push(request_of(catalog_operation::save), [promise](const answer& result) mutable {
    if (result.error.code != errc::none)
      spdlog::error("the catalog of tools was not written: {}", result.error.message);
    promise.deliver(result.error.code == errc::none);
  });
  return promise;
}

void catalog_state::push(msg::catalog_request request, std::function<void(answer)> deliver, uint64_t run) {
  queue_.push({std::move(request), std::move(deliver), run});
}

/// The one at work is told to end, and answers as ever.
void catalog_state::run_over(uint64_t run) {
  auto& all = queue_.all();
  had_.erase(run);
  if (run == 0 || all.empty())
    return;
  if (all.front().run == run)
    *all.front().is_over = true;
  answer cancelled;
  cancelled.error = fault{errc::cancelled, "the run has ended"};
  auto first =
    std::stable_partition(std::next(all.begin()), all.end(), [&](auto& waiting) { return waiting.run != run; });
  std::for_each(first, all.end(), [&](auto& waiting) { waiting.deliver(cancelled); });
  all.erase(first, all.end());
}

catalog_state::duration catalog_state::had_by(uint64_t run) const {
  auto had = had_.find(run);
  return had == had_.end() ? level_ : std::max(had->second, level_);
}

/// Of the run that has had least of the time since it began to ask: a short question waits for no long ones, and
/// however many wait, none has all of it. Another configuration comes first, because lists are held against it, and
/// what is to be saved is what was told before.
void catalog_state::choose_first(std::deque<waiting_request>& all) {
  auto first_of = [&](catalog_operation operation) {
    return std::find_if(all.begin(), all.end(), [&](auto& w) { return w.request.operation == operation; });
  };
  bool lists_wait = first_of(catalog_operation::update) != all.end();
  auto turn = [&](const waiting_request& w) { // of two that have had as much, whoever had none yet comes first
    return std::tuple{lists_wait && w.request.operation == catalog_operation::save, had_by(w.run),
                      had_.contains(w.run)};
  };
  auto next = first_of(catalog_operation::reload);
  if (next == all.end())
    next = std::min_element(all.begin(), all.end(), [&](auto& a, auto& b) { return turn(a) < turn(b); });
  std::rotate(all.begin(), next, std::next(next));
  level_ = had_by(all.front().run);
  begun_ = self_->clock().now();
}

void catalog_state::count_turn(uint64_t run) {
  had_[run] = had_by(run) + std::max<duration>(self_->clock().now() - begun_, turn_least);
  if (queue_.all().empty())
    had_.clear(); // whoever comes next waits for nobody
}

void catalog_state::begin(waiting_request& request, uint64_t number) {
  auto me = caf::actor_cast<msg::catalog_actor>(self_);
  request.request.is_over = request.is_over;
  auto operation = request.request.operation;
  bool may_go_on = operation == catalog_operation::update || operation == catalog_operation::search;
  options_.carry_out(may_go_on ? request.request : std::move(request.request), [me, number](answer result) {
    caf::anon_send(me, msg::reply_atom::value, number, std::move(result));
  });
}

void catalog_state::finished(uint64_t number, answer& result) {
  auto done = queue_.take_done(number);
  if (!done)
    return;
  if (!*done->is_over)
    count_turn(done->run);
  if (done->request.operation == catalog_operation::search && !result.goes_on)
    search_problem_ = result.error.code == errc::internal ? result.error.message : std::string{};
  done->request.so_far = std::move(result.so_far);
  if (!result.goes_on)
    done->deliver(std::move(result));
  else if (!replaced(*done)) {
    if (queue_.all().empty())
      return queue_.push(std::move(*done));
    queue_.all().push_back(std::move(*done)); // others have a turn
  }
  queue_.go_on();
}

msg::catalog_actor::behavior_type catalog_state::make_behavior(catalog_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) {
    answer ended{{errc::shutting_down, "the server is being stopped"}};
    for (auto& waiting : queue_.take_all())
      waiting.deliver(ended);
    self_->quit(std::move(m.reason));
  });
  return {
    [this](msg::reload_atom, msg::server_entries& entries) {
      auto r = request_of(catalog_operation::reload);
      r.entries = std::move(entries);
      push(std::move(r), [](const answer&) {});
      save_later();
    },
    [this](msg::tools_atom, msg::server_entry& server, msg::listed_tools& tools) { return update(server, tools); },
    [this](msg::search_atom, msg::tool_query& query) {
      save_later(); // the first question may have made the index anew
      auto r = request_of(catalog_operation::search);
      r.query = std::move(query);
      auto run = r.query.run;
      return ask(std::move(r), &answer::found, run);
    },
    [this](msg::resolve_atom, const msg::tool_ref& tool, msg::tool_filter& allowed) {
      auto r = request_of(catalog_operation::resolve, tool);
      r.allowed = std::move(allowed);
      return ask(std::move(r), &answer::tool, tool.run);
    },
    [this](msg::servers_atom, uint64_t run) {
      return ask(request_of(catalog_operation::servers), &answer::servers, run);
    },
    [this](msg::observed_atom, const msg::tool_ref& tool) {
      return ask(request_of(catalog_operation::observed, tool), &answer::schema, tool.run);
    },
    [this](msg::observe_atom, const msg::tool_ref& tool, msg::document& result) {
      if (queue_.size() >= options_.requests_max)
        return; // it will be learned again
      auto r = request_of(catalog_operation::observe, tool);
      r.value = std::move(result);
      auto report = [](const answer& a) {
        if (a.error.code != errc::none && a.error.code != errc::shutting_down)
          spdlog::debug("nothing was learned of a result: {}", a.error.message);
      };
      push(std::move(r), report, of_results);
    },
    [this](msg::finish_atom, uint64_t run) { run_over(run); },
    [this](msg::status_atom) { return search_problem_; },
    [this](msg::finish_atom) { return finish(); },
    [this](msg::reply_atom, uint64_t number, answer& result) { finished(number, result); },
    [this](msg::tick_atom) {
      will_save_ = false;
      push(request_of(catalog_operation::save), [](const answer& result) {
        if (result.error.code != errc::none && result.error.code != errc::shutting_down)
          spdlog::warn("the index of the catalog was not saved, so the next start takes longer: {}",
                       result.error.message);
      });
    },
  };
}

msg::catalog_actor::behavior_type catalog(msg::catalog_actor::stateful_pointer<catalog_state> self,
                                          catalog_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
