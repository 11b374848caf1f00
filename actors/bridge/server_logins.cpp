#include "actors/bridge/server_logins.hpp"

#include "login/login_flow.hpp"
#include "login/person_question.hpp"
#include "process/offload.hpp"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/post.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace bridge {

using msg::errc;
using msg::fault;

namespace {

/// Where a person can log in by hand; else why nobody can.
msg::outcome<login::target> target_of(dependencies& w, const msg::server_entry& entry) {
  auto launch = config::make_http_launch(entry, w.environment, w.variables);
  if (!launch.ok())
    return std::move(launch.error);
  if (!config::takes_login(launch.value) || launch.value.login.is_for_machines || w.state_folder.empty())
    return fault{errc::not_allowed, "server '" + entry.name + "' is not one that a person logs in at from here"};
  return login_target(entry.name, std::move(launch.value));
}

} // namespace

login::target login_target(std::string server, config::http_launch launch) {
  login::target at{std::move(server), std::move(launch.url), {}, std::move(launch.login)};
  for (auto& [name, value] : launch.headers)
    at.fields.push_back({std::move(name), std::move(value)});
  return at;
}

login::environment login_environment(dependencies& w) {
  return {w.executor, w.there.work.line(), w.web.client, w.state_folder};
}

child::login_factory make_login_factory(dependencies& w, std::chrono::milliseconds patience) {
  return [&w, patience](const msg::server_entry& entry, child::login_events events) -> std::function<void()> {
    auto at = target_of(w, entry);
    if (!at.ok()) {
      events.ended(std::move(at.error));
      return [] {};
    }
    login::login_wishes wishes;
    wishes.open = [page = events.page, at = at.value](const login::authorization_page& asked) {
      page({asked.url, login::person_question(at, asked)});
    };
    wishes.patience = patience;
    auto signal = std::make_shared<asio::cancellation_signal>();
    auto ended = [signal, tell = std::move(events.ended)](std::exception_ptr failed,
                                                          const msg::outcome<login::login_report>& report) {
      tell(failed ? process::fault_of(failed) : report.error);
    };
    asio::co_spawn(w.executor, login::log_in(login_environment(w), std::move(at.value), std::move(wishes)),
                   asio::bind_cancellation_slot(signal->slot(), std::move(ended)));
    return [executor = w.executor, signal] {
      asio::post(executor, [signal] { signal->emit(asio::cancellation_type::terminal); });
    };
  };
}

} // namespace bridge
