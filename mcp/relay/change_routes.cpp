#include "mcp/relay/change_routes.hpp"

#include "mcp/envelope.hpp"
#include "mcp/fields.hpp"
#include "mcp/relay/member_changes.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace mcp::relay {

namespace json = boost::json;

namespace {

constexpr std::string_view acknowledged = "notifications/subscriptions/acknowledged";
constexpr std::string_view resource_updated = "notifications/resources/updated";
/// Of what a server tells of a change: a URI, and perhaps some words of its own.
constexpr size_t told_whole_bytes_max = size_t{64} << 10;

/// A list that changes, in the words of each era.
struct changing_list {
  std::string_view capability;   ///< with `listChanged`
  std::string_view wanted;       ///< in the parameters of `subscriptions/listen`
  std::string_view notification; ///< of both
};
constexpr std::array<changing_list, 3> lists{{
  {"tools", "toolsListChanged", "notifications/tools/list_changed"},
  {"prompts", "promptsListChanged", "notifications/prompts/list_changed"},
  {"resources", "resourcesListChanged", "notifications/resources/list_changed"},
}};

bool is_true(const json::object* in, std::string_view name) {
  auto* found = in ? in->if_contains(name) : nullptr;
  return found && found->is_bool() && found->get_bool();
}

const json::object& wanted_of(const message_view& listen) {
  static const json::object nothing;
  auto* wanted = object_in(listen.params, "notifications");
  return wanted ? *wanted : nothing;
}

bool has_room(size_t count, size_t bytes, std::string_view uri) {
  return count < subscribed_resources_max && uri.size() <= subscribed_uri_bytes_max
         && bytes + uri.size() <= subscribed_bytes_max;
}

void read_uris(const json::object& wanted, std::set<std::string, std::less<>>& to) {
  auto* list = wanted.if_contains("resourceSubscriptions");
  if (!list || !list->is_array())
    return;
  size_t bytes = 0;
  for (auto& uri : list->get_array())
    if (uri.is_string() && has_room(to.size(), bytes, uri.get_string())) {
      bytes += uri.get_string().size();
      to.emplace(uri.get_string());
    }
}

json::object params_of_protocol(const message_view& notification, json::object meta) {
  json::object out{{"_meta", std::move(meta)}};
  auto uri = string_in(notification.params, "uri");
  if (!uri.empty() && uri.size() <= told_whole_bytes_max)
    out["uri"] = uri;
  return out;
}

json::value subscription_of(const message_view& notification) {
  auto* meta = object_in(notification.params, "_meta");
  auto* id = meta ? meta->if_contains(meta_key::subscription) : nullptr;
  return id ? *id : json::value{};
}

/// The notification, for the subscription of that id. Of a large one, which is said to each subscription anew, only
/// what the protocol has.
msg::spliced_text told_to(const json::value& id, const message_view& notification, const msg::document& message) {
  static const json::object nothing;
  bool is_large = message.text_bytes() > told_whole_bytes_max;
  auto* said = is_large ? nullptr : object_in(notification.params, "_meta");
  auto meta = said ? *said : json::object{};
  meta[meta_key::subscription] = id;
  if (is_large)
    return make_notification(notification.method, params_of_protocol(notification, std::move(meta)));
  member_changes changes;
  changes.set["_meta"] = std::move(meta);
  auto head = R"({"jsonrpc":"2.0","method":)" + text::to_text(json::value(notification.method)) + R"(,"params":)";
  return with_changes(std::move(head), message, notification.params ? *notification.params : nothing,
                      std::move(changes), "}");
}

} // namespace

void change_routes::serve_client() {
  has_client_ = true;
  if (with_.server.is_modern())
    listen_for_client();
}

void change_routes::end(const std::string& why) {
  listening_ = 0;
  watched_.clear();
  for (auto& [number, of] : std::exchange(subscriptions_, {}))
    with_.ended(number, unanswered(0, "the server is gone: " + why));
}

bool change_routes::is_declared(std::string_view list, std::string_view what) const {
  return is_true(object_in(with_.server.capabilities(), list), what);
}

// ---- clients of 2026-07-28 -------------------------------------------------------------------

void change_routes::subscribe(request_number number, const msg::document& message) {
  auto view = classify(message.value());
  auto& of = subscriptions_[number];
  of.id = view.id;
  of.wanted = wanted_of(view);
  read_uris(of.wanted, of.uris);
  if (with_.server.is_modern())
    return relay_listen(number, of, message);
  acknowledge(number, of);
  subscribe_resources(of);
}

/// Each client has a stream of its own at the server.
void change_routes::relay_listen(request_number number, subscription& of, const msg::document& message) {
  auto make = [&](server_request at_server) {
    auto view = classify(message.value());
    auto head =
      R"({"jsonrpc":"2.0","id":)" + std::to_string(at_server) + R"(,"method":"subscriptions/listen","params":)";
    return own_request{with_changes(std::move(head), message, *view.params, {}, "}"), {std::string{view.method}}};
  };
  auto done = [this, number](const message_view&, const msg::document& response) {
    if (subscriptions_.erase(number) > 0)
      with_.ended(number, response);
  };
  of.at_server = with_.server.ask(make, std::move(done));
  if (of.at_server != 0)
    return;
  subscriptions_.erase(number);
  with_.ended(number, unanswered(0, "the server does not read its requests"));
}

/// A server with a handshake tells what it tells: of that, what is wanted.
void change_routes::acknowledge(request_number number, subscription& of) {
  json::object honoured;
  for (auto& list : lists)
    if (is_true(&of.wanted, list.wanted) && is_declared(list.capability, "listChanged"))
      honoured[list.wanted] = true;
  if (!is_declared("resources", "subscribe"))
    of.uris.clear();
  if (!of.uris.empty())
    honoured["resourceSubscriptions"] = json::array(of.uris.begin(), of.uris.end());
  of.wanted = honoured;
  json::object params{{"notifications", std::move(honoured)}, {"_meta", json::object{{meta_key::subscription, of.id}}}};
  auto* request = with_.open.find(number);
  with_.out.send(make_notification(acknowledged, json::value(std::move(params))), request->path.stream,
                 outgoing::kind::notification);
}

void change_routes::subscribe_resources(const subscription& of) {
  for (auto& uri : of.uris)
    if (watched_.size() < subscribed_resources_max && watched_[uri]++ == 0)
      ask_about("resources/subscribe", uri);
}

void change_routes::unsubscribe_resources(const subscription& of) {
  for (auto& uri : of.uris) {
    auto found = watched_.find(uri);
    if (found == watched_.end() || --found->second > 0)
      continue;
    watched_.erase(found);
    ask_about("resources/unsubscribe", uri);
  }
}

/// What it answers to that is of no use: it tells of changes, or it does not.
void change_routes::ask_about(std::string_view method, const std::string& uri) {
  auto make = [&](server_request n) {
    return make_own_request(with_.server.spoken(), static_cast<int64_t>(n), method, json::object{{"uri", uri}});
  };
  with_.server.ask(make, [](const message_view&, const msg::document&) {});
}

bool change_routes::unsubscribe(request_number number) {
  auto found = subscriptions_.extract(number);
  if (!found)
    return false;
  auto& of = found.mapped();
  if (of.at_server != 0)
    with_.server.give_up(of.at_server, "the client has closed its stream");
  else
    unsubscribe_resources(of);
  return true;
}

std::vector<request_number> change_routes::subscriptions() const {
  std::vector<request_number> out;
  out.reserve(subscriptions_.size());
  for (auto& [number, of] : subscriptions_)
    out.push_back(number);
  return out;
}

msg::document change_routes::last_result(const json::value& id, const json::value& server_info) {
  json::object meta{{meta_key::subscription, id}};
  if (!server_info.is_null())
    meta[meta_key::server] = server_info;
  return msg::document{json::value(json::object{{"resultType", "complete"}, {"_meta", std::move(meta)}})};
}

// ---- a client with a handshake, before a server without --------------------------------------

bool change_routes::watch(std::string uri) {
  if (uris_.contains(uri))
    return true;
  size_t bytes = 0;
  for (auto& each : uris_)
    bytes += each.size();
  if (!has_room(uris_.size(), bytes, uri))
    return false;
  uris_.insert(std::move(uri));
  listen_for_client();
  return true;
}

void change_routes::unwatch(const std::string& uri) {
  if (uris_.erase(uri) > 0)
    listen_for_client();
}

void change_routes::listen_again() {
  if (has_client_ && listening_ == 0 && with_.server.serves() && with_.server.is_modern())
    listen_for_client();
}

/// One stream, for all that it wants; another one takes the place of the one before.
void change_routes::listen_for_client() {
  json::object wanted;
  for (auto& list : lists)
    if (is_declared(list.capability, "listChanged"))
      wanted[list.wanted] = true;
  if (!uris_.empty())
    wanted["resourceSubscriptions"] = json::array(uris_.begin(), uris_.end());
  auto before = listening_;
  if (wanted.empty()) {
    listening_ = 0;
  } else {
    json::object params{{"notifications", std::move(wanted)}, {"_meta", modern_meta(with_.server.introduced_as())}};
    auto make = [&](server_request n) {
      return own_request{make_request(n, "subscriptions/listen", msg::document{json::value(params)}),
                         {"subscriptions/listen"}};
    };
    auto asked = with_.server.ask(make, [this](const message_view& response, const msg::document&) {
      boost::system::error_code ec;
      if (response.id.to_number<server_request>(ec) != listening_)
        return;
      listening_ = 0;
      with_.listen_later(std::exchange(pause_, std::min(pause_ * 2, listen_again_max)));
    });
    if (asked == 0) // it reads nothing: what it was asked before stays
      return;
    listening_ = asked;
  }
  if (before != 0)
    with_.server.give_up(before, "it is asked for more");
}

// ---- from the server -------------------------------------------------------------------------

bool change_routes::take(const message_view& notification, const msg::document& message,
                         const std::function<void()>& to_client) {
  auto method = notification.method;
  bool is_list = std::any_of(lists.begin(), lists.end(), [&](auto& list) { return list.notification == method; });
  if (!is_list && method != resource_updated && method != acknowledged)
    return false;
  auto its = subscription_of(notification);
  for (auto& [number, of] : subscriptions_) {
    bool is_its = of.at_server != 0 ? its == json::value(of.at_server) : its.is_null() && wants(of, notification);
    if (is_its)
      tell(number, of, notification, message);
  }
  bool is_for_client = has_client_ && method != acknowledged;
  if (is_for_client && (!with_.server.is_modern() || its == json::value(listening_))) {
    pause_ = listen_again_first;
    to_client();
  }
  return true;
}

void change_routes::tell(request_number number, const subscription& of, const message_view& notification,
                         const msg::document& message) {
  if (auto* request = with_.open.find(number))
    with_.out.send(told_to(of.id, notification, message), request->path.stream, outgoing::kind::notification);
}

bool change_routes::wants(const subscription& of, const message_view& notification) const {
  for (auto& list : lists)
    if (list.notification == notification.method)
      return is_true(&of.wanted, list.wanted);
  return of.uris.contains(string_in(notification.params, "uri"));
}

} // namespace mcp::relay
