#include "tests/simulation/logins.hpp"

#include "mcp/http_sent_message.hpp"

#include <memory>
#include <utility>

namespace simulation {

namespace {

constexpr uint64_t login_max_ms = 6'000;

/// One that a person was asked for.
class login_at : public std::enable_shared_from_this<login_at> {
public:
  explicit login_at(child::login_events to) : to_(std::move(to)) {}

  void show_page() {
    if (!is_over_)
      to_.page({"https://issuer.example/authorize", "Log in at a simulated server"});
  }
  /// False: it had ended before.
  bool end(msg::fault why) {
    if (std::exchange(is_over_, true))
      return false;
    std::exchange(to_, {}).ended(std::move(why));
    return true;
  }
  void stop() {
    is_over_ = true;
    to_ = {};
  }

private:
  child::login_events to_;
  bool is_over_ = false;
};

} // namespace

bool logins::refuses(const std::string& server, const msg::child_server_actor& owner, uint64_t generation,
                     const mcp::request_subject& about) {
  if (world_.is_calm) {
    expired_.clear();
    wanted_.clear();
    return false;
  }
  auto is_refused = [&] {
    bool by_fault = injected_.refuses_login(server, owner, generation, about);
    return by_fault || expired_.contains(server);
  };
  bool is_wanted = is_refused();
  for (int renewals = 0; is_wanted && renewals < mcp::http_renewals_max && world_.luck.one_in(2); ++renewals)
    is_wanted = is_refused();
  if (is_wanted)
    wanted_.insert(server);
  else
    wanted_.erase(server);
  return is_wanted;
}

child::login_factory logins::factory() {
  return [this](const msg::server_entry& entry, child::login_events events) -> std::function<void()> {
    world_.expect(msg::is_trusted(entry), "a person is asked to log in at a server that nobody has approved");
    world_.expect(entry.transport != msg::transport_kind::stdio, "a person is asked to log in at a process");
    world_.tell("a login at " + entry.name + " begins");
    auto one = std::make_shared<login_at>(std::move(events));
    if (!world_.luck.one_in(6))
      world_.later(0, [one] { one->show_page(); });
    auto fails = world_.luck.one_in(3);
    auto wait = std::chrono::milliseconds{static_cast<int64_t>(world_.luck.below(login_max_ms))};
    world_.later_by(wait, [this, one, fails, name = entry.name] {
      auto why = fails ? msg::fault{msg::errc::needs_login, "nobody came back"} : msg::fault{};
      if (one->end(std::move(why)) && !fails)
        expired_.erase(name);
    });
    return [one] { one->stop(); };
  };
}

} // namespace simulation
