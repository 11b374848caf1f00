#include "actors/bridge/http_clients.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <array>
#include <sys/random.h>
#include <tuple>
#include <utility>
#include <vector>

namespace bridge {

namespace {

/// Visible ASCII, as the specification wants of sessions; 160 random bits. Empty: the kernel gives none.
std::string random_word() {
  constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuv";
  std::array<uint8_t, 32> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    return {};
  std::string out;
  for (auto byte : random)
    out += digits[byte % digits.size()];
  return out;
}

/// A client that has come back for its call may have made a mistake, and come once more.
constexpr std::chrono::seconds used_state_max{60};

mcp::http_reply::time_point now() { return std::chrono::steady_clock::now(); }

} // namespace

http_clients::http_clients(const config::http_settings& settings, std::function<asio::any_io_executor()> line,
                           std::function<void(const http_client&)> ended, std::function<bool(uint64_t)> is_connected)
  : settings_(settings),
    line_(std::move(line)),
    ended_(std::move(ended)),
    is_connected_(std::move(is_connected)),
    process_(random_word()) {}

std::string http_clients::sessionless_owner(const http_identity& who) const {
  return who.token.empty() ? "connection " + process_ + "-" + std::to_string(who.connection) : "token " + who.token;
}

http_client_ptr http_clients::find(std::string_view session_id, const http_identity& who) const {
  for (auto& [number, c] : clients_)
    if (!c->session_id.empty() && c->session_id == session_id)
      return c->token == who.token ? c : nullptr;
  return nullptr;
}

http_client_ptr http_clients::find(const http_identity& who, questions during) const {
  auto owner = sessionless_owner(who);
  http_client_ptr retired;
  for (auto& [number, c] : clients_) {
    if (!c->session_id.empty() || c->opening.owner != owner)
      continue;
    if (!c->is_retired)
      return c;
    retired = c;
  }
  return during == questions::possible ? nullptr : retired;
}

http_client_ptr http_clients::find_parked(std::string_view state, const http_identity& who) const {
  if (!who.token.empty())
    return nullptr;
  for (auto& [number, c] : clients_) {
    auto found = c->session_id.empty() && c->token.empty() ? c->parked.find(state) : c->parked.end();
    if (found == c->parked.end())
      continue;
    c->tcp_connection = who.connection;
    found->second = std::min(found->second, now() + used_state_max); // it is good once, if all else is as it was
    return c;
  }
  return nullptr;
}

http_client_ptr http_clients::numbered(uint32_t connection) const {
  auto found = clients_.find(connection);
  return found == clients_.end() ? nullptr : found->second;
}

http_client_ptr http_clients::begin_session(const http_identity& who) {
  auto id = random_word();
  if (id.empty() || !make_room(who.token))
    return nullptr;
  // The session's id is told to nobody else, and no later session has it.
  auto made = add(who, who.token.empty() ? "session " + id : sessionless_owner(who));
  made->session_id = std::move(id);
  return made;
}

http_client_ptr http_clients::begin(const http_identity& who) {
  bool is_known = !who.token.empty() || !process_.empty();
  return is_known && make_room(who.token) ? add(who, sessionless_owner(who)) : nullptr;
}

http_client_ptr http_clients::add(const http_identity& who, std::string owner) {
  auto made = std::make_shared<http_client>();
  auto number = ++last_connection_;
  auto& client = numbers_[owner];
  if (client == 0)
    client = ++last_client_;
  made->opening = {number, client, std::move(owner), !who.token.empty()};
  made->token = who.token;
  made->tcp_connection = who.connection;
  made->writing = line_();
  made->used = now();
  auto lost = [weak = std::weak_ptr<http_client>{made}](mcp::stream_number stream) {
    if (auto c = weak.lock(); c && c->session)
      caf::anon_send(c->session, msg::closed_atom::value, stream);
  };
  made->streams = std::make_shared<mcp::http_streams>(now, std::move(lost));
  clients_.emplace(number, made);
  return made;
}

/// For one of that token. Of those without a request goes who is of the party that has most (those without a token are
/// one), and there who has asked for least: somebody who only opens sessions drives out nobody who works. Who listens
/// to what may come gives way to a smaller party only.
bool http_clients::make_room(const std::string& token) {
  if (clients_.size() < settings_.sessions_max)
    return true;
  std::map<std::string_view, size_t> parties;
  for (auto& [number, c] : clients_)
    ++parties[c->token];
  auto its_own = parties[token] + 1;
  using rank = std::tuple<bool, size_t, bool, uint64_t, time_point>; // the least goes
  const http_client* last = nullptr;
  rank least;
  for (auto& [number, c] : clients_) {
    auto of_party = parties[c->token];
    bool listens = c->streams->count() > 0;
    if (c->streams->has_requests() || (listens && of_party <= its_own))
      continue;
    rank its{!is_gone(*c, now()), clients_.size() - of_party, listens, c->requests, c->used};
    if (!last || its < least) {
      last = c.get();
      least = its;
    }
  }
  if (!last)
    return false;
  end(last->opening.connection);
  return true;
}

void http_clients::end(uint32_t connection) {
  auto gone = clients_.extract(connection);
  if (!gone)
    return;
  auto& c = *gone.mapped();
  auto& owner = c.opening.owner;
  if (std::none_of(clients_.begin(), clients_.end(), [&](auto& other) { return other.second->opening.owner == owner; }))
    numbers_.erase(owner);
  ended_(c);
  c.streams->end();
}

/// Without a session and without a token a client has nothing but its connection.
bool http_clients::is_gone(const http_client& c, time_point now) const {
  bool is_known_by_connection = c.session_id.empty() && c.token.empty() && c.tcp_connection != any_connection;
  bool is_waited_for = std::any_of(c.parked.begin(), c.parked.end(), [&](auto& call) { return call.second > now; });
  if (is_known_by_connection && !is_waited_for && !is_connected_(c.tcp_connection))
    return true;
  if (c.is_retired && !is_waited_for && c.streams->count() == 0)
    return true;
  return c.streams->attached() == 0 && now - c.used > settings_.session_idle_max;
}

void http_clients::sweep(const std::function<bool(const std::string& token)>& is_revoked) {
  std::vector<uint32_t> gone;
  for (auto& [number, c] : clients_) {
    if (c->streams->attached() > 0)
      c->used = now();
    if (is_gone(*c, now()) || (!c->token.empty() && is_revoked(c->token)))
      gone.push_back(number);
  }
  for (auto number : gone)
    end(number);
}

void http_clients::keep_alive() {
  for (auto& [number, c] : clients_)
    c->streams->keep_alive();
}

void http_clients::close_streams() {
  for (auto& [number, c] : clients_)
    c->streams->end();
}

size_t http_clients::unread_bytes() const {
  size_t out = 0;
  for (auto& [number, c] : clients_)
    out += c->unread_bytes();
  return out;
}

} // namespace bridge
