#include "actors/bridge/http_front.hpp"

#include "actors/bridge/ask.hpp"
#include "mcp/fields.hpp"
#include "messages/http_limits.hpp"
#include "process/json_reader.hpp"
#include "process/no_throw.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace bridge {

namespace limits = msg::limits;

namespace {

/// The actors are there, and answer in microseconds.
constexpr std::chrono::seconds actor_patience{30};
constexpr std::chrono::milliseconds look_pause{500};
constexpr std::chrono::milliseconds close_look_pause{10};
constexpr std::chrono::milliseconds begin_look_pause{1};
constexpr uint16_t too_many_requests = 429;
constexpr uint16_t unavailable_status = 503;

void refuse(const http_front::visit& from, uint16_t status, std::string_view why, const http::header& more = {}) {
  auto fields = from.fields;
  if (!more.name.empty())
    fields.push_back(more);
  from.to->answer(mcp::http_refusal_response(status, mcp::rpc_error::invalid_request, why, std::move(fields)));
}

void refuse_busy(const http_front::visit& from, uint16_t status, std::string_view why) {
  refuse(from, status, why, {"Retry-After", "1"});
}

/// With the id of the request, so that its caller hears of it.
void refuse(const http_front::visit& from, const mcp::message_view& message, const mcp::http_refusal& why) {
  auto error = mcp::make_error(message.id, why.error.code, why.error.message, why.error.data);
  from.to->answer(mcp::json_response(why.status, error.text(), from.fields));
}

/// What to do about it, for a person and for a model: there are clients that begin no new session by themselves, and
/// show this instead.
std::string session_is_over(std::chrono::milliseconds idle_max) {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(idle_max).count();
  bool is_in_minutes = seconds % 60 == 0;
  auto count = is_in_minutes ? seconds / 60 : seconds;
  return "Not Found: this session is over (the server was restarted, or it was not used for " + std::to_string(count)
         + (is_in_minutes ? " minute" : " second") + (count == 1 ? "" : "s")
         + ", or made room for others): reconnect code-executor in the client, or restart the client";
}

/// Of a client that comes back; empty: it does not.
std::string_view state_of(const mcp::message_view& view) { return mcp::string_in(view.params, "requestState"); }

questions questions_during(const mcp::message_view& view) {
  bool is_able = mcp::read_envelope(view).from.abilities != msg::client_abilities{};
  return is_able ? questions::possible : questions::impossible;
}

/// Older clients do not know what to do with an event without a message.
mcp::resumption resumption_of(const http_client& client) {
  if (client.session_id.empty())
    return mcp::resumption::none;
  return client.spoken == mcp::latest_revision ? mcp::resumption::offered : mcp::resumption::quiet;
}

} // namespace

http_front::http_front(dependencies& w, const config::settings& settings, http_service what)
  : w_(w),
    settings_(settings),
    what_(what),
    tokens_(settings.state_folder),
    clients_(
      settings_.http, [this] { return w_.there.work.line(); },
      [this](const http_client& c) {
        if (clients_actor_)
          caf::anon_send(clients_actor_, msg::closed_atom::value, c.opening.connection);
      },
      [this](uint64_t connection) { return listening_ && listening_->is_connected(connection); }) {}

bool is_on_this_machine(const http_address& where) {
  asio::error_code ec;
  auto address = asio::ip::make_address(where.host, ec);
  return !ec && address.is_loopback();
}

// ---- requests --------------------------------------------------------------------------------

void http_front::handle(http::request request, std::shared_ptr<http::exchange> to) {
  if (auto refused = door_->check(request.head)) // its token may have been taken back while the body came
    return to->answer(std::move(*refused));
  auto fields = door_->fields_for(request.head);
  visit from{std::move(request.head), std::move(to), std::move(fields), {}};
  from.who = {door_->name_of(from.head), what_ == http_service::relay ? any_connection : from.head.connection};
  if (is_closed_ || !clients_actor_)
    return refuse_busy(from, unavailable_status, "Service Unavailable: the server starts or ends");
  if (from.head.method == "GET")
    return get(from);
  if (from.head.method == "DELETE")
    return end_session(from);
  auto ended = [to = from.to](const std::exception_ptr& thrown) {
    if (thrown)
      to->answer({500, {}, {}, {}});
  };
  asio::co_spawn(w_.executor, post(std::move(from), std::move(request.body), std::move(request.held)), ended);
}

void http_front::get(const visit& from) {
  auto id = http::find_header(from.head.fields, mcp::http_field::session);
  if (id.empty())
    return refuse(from, 405, "Method Not Allowed: there is a stream for clients with an Mcp-Session-Id only",
                  {"Allow", "POST"});
  auto client = clients_.find(id, from.who);
  if (!client)
    return refuse(from, 404, session_is_over(settings_.http.session_idle_max));
  client->used = std::chrono::steady_clock::now();
  client->streams->asked();
  if (client->streams->attached() >= settings_.http.streams_max)
    return refuse_busy(from, too_many_requests, "Too Many Requests: server.maxStreams streams of this client are open");
  auto last = http::find_header(from.head.fields, mcp::http_field::last_event);
  if (last.empty()) {
    if (!client->streams->open_own(from.to, from.fields))
      refuse(from, 409, "Conflict: this session has a stream already");
    return;
  }
  auto place = mcp::parse_event_id(last);
  auto done = place ? client->streams->resume(*place, from.to, from.fields) : mcp::resumed::no;
  if (done == mcp::resumed::is_over) // to a stream of events: do not come back
    from.to->answer({204, {}, {}, from.fields});
  else if (done == mcp::resumed::no)
    refuse(from, 400, "Bad Request: Last-Event-ID is none of this session, or what came after it is not kept any more");
}

void http_front::end_session(const visit& from) {
  auto id = http::find_header(from.head.fields, mcp::http_field::session);
  auto client = id.empty() ? nullptr : clients_.find(id, from.who);
  if (!client)
    return id.empty() ? refuse(from, 405, "Method Not Allowed: only sessions can be deleted", {"Allow", "POST"})
                      : refuse(from, 404, session_is_over(settings_.http.session_idle_max));
  clients_.end(client->opening.connection);
  from.to->answer({204, {}, {}, from.fields});
}

/// `held`: counts the body until its message has been taken.
asio::awaitable<void> http_front::post(visit from, std::string body, std::shared_ptr<void> held) {
  using kind = process::json_event::kind;
  auto text_is = what_ == http_service::relay ? msg::spelling::kept : msg::spelling::ours;
  auto line = w_.there.work.line();
  auto read = co_await process::read_json_message(line, body, limits::run_held_bytes_max, text_is);
  body = {};
  if (read.what != kind::message) {
    auto is_malformed = read.what == kind::malformed;
    auto code = is_malformed ? mcp::rpc_error::parse_error : mcp::rpc_error::invalid_request;
    auto why = (is_malformed ? "Parse error: " : "Invalid Request: it could not be read: ") + read.problem;
    from.to->answer(mcp::json_response(400, mcp::make_error({}, code, why).text(), from.fields));
    co_return;
  }
  co_await post_message(std::move(from), std::move(read.value));
  held = nullptr;
}

asio::awaitable<void> http_front::post_message(visit from, msg::document message) {
  auto client = co_await client_for(from, message);
  if (!client)
    co_return; // it has heard why
  client->used = std::chrono::steady_clock::now();
  client->streams->asked();
  ++client->requests;
  if (message.value().is_array() && !mcp::has_batches(client->spoken))
    co_return refuse(from, 400, "Invalid Request: batches are part of revision 2025-03-26 only");
  if (!mcp::wants_answer(message.value())) {
    co_await hand_over(client, std::move(message), 0);
    from.to->answer({202, {}, {}, from.fields});
    co_return;
  }
  if (client->streams->count() >= settings_.http.streams_max)
    co_return refuse_busy(from, too_many_requests,
                          "Too Many Requests: server.maxStreams requests of this client are open");
  auto how = resumption_of(*client);
  if (!client->session_id.empty())
    from.fields.push_back({"Mcp-Session-Id", client->session_id});
  auto stream = client->streams->open(from.to, how, std::move(from.fields));
  if (what_ == http_service::relay && client->session_id.empty())
    client->said_headers.emplace(stream, mcp::headers_of_arguments(from.head.fields));
  co_await hand_over(client, std::move(message), stream);
}

/// Why a message is refused, whosever it is.
mcp::http_refusal http_front::problem_of(const visit& from, const msg::document& message,
                                         const mcp::message_view& view) const {
  auto& fields = from.head.fields;
  if (message.value().is_array())
    return mcp::check_session(view, fields);
  if (view.what == mcp::message_view::kind::invalid)
    return {400, {mcp::rpc_error::invalid_request, "Invalid Request: " + view.problem, {}}};
  if (!mcp::is_sessionless(view, fields))
    return mcp::check_session(view, fields);
  auto served = what_ == http_service::relay ? mcp::served_methods::any : mcp::served_methods::ours;
  return mcp::check_sessionless(view, fields, served);
}

mcp::http_refusal http_front::problem_of_session(std::string_view id) const {
  if (id.empty())
    return {400,
            {mcp::rpc_error::invalid_request,
             "Bad Request: there must be an Mcp-Session-Id header; begin with initialize",
             {}}};
  return {404, {mcp::rpc_error::invalid_request, session_is_over(settings_.http.session_idle_max), {}}};
}

/// Null: the message was refused, or there is nothing to do with it.
asio::awaitable<http_client_ptr> http_front::client_for(const visit& from, const msg::document& message) {
  auto view = mcp::classify(message.value());
  auto id = http::find_header(from.head.fields, mcp::http_field::session);
  bool is_alone = !message.value().is_array();
  bool is_sessionless = is_alone && mcp::is_sessionless(view, from.head.fields);
  if (auto wrong = problem_of(from, message, view)) {
    refuse(from, view, wrong);
    co_return nullptr;
  }
  if (is_sessionless && view.what != mcp::message_view::kind::request) { // there is nothing that it could be about
    from.to->answer({202, {}, {}, from.fields});
    co_return nullptr;
  }
  bool begins = is_alone && !is_sessionless && view.method == "initialize";
  auto found = is_sessionless ? clients_.find_parked(state_of(view), from.who) : clients_.find(id, from.who);
  if (!found && is_sessionless)
    found = clients_.find(from.who, questions_during(view));
  if (found && !begins) {
    co_await until_begun(found);
    co_return found;
  }
  if (!is_sessionless && !begins) {
    refuse(from, view, problem_of_session(id));
    co_return nullptr;
  }
  auto made = begins ? clients_.begin_session(from.who) : clients_.begin(from.who);
  bool is_there = false;
  if (made && begins)
    made->spoken = mcp::negotiate(view.params->at("protocolVersion").get_string());
  if (made)
    is_there = co_await begin(made);
  if (is_there)
    co_return made;
  refuse_busy(from, unavailable_status, "Service Unavailable: server.maxSessions clients are there, and all are busy");
  co_return nullptr;
}

asio::awaitable<bool> http_front::begin(http_client_ptr client) {
  look_after_clients();
  auto opening = client->opening;
  auto opened = co_await ask<msg::client_connection_actor>(w_.port, clients_actor_, actor_patience,
                                                           msg::attach_atom::value, std::move(opening));
  if (!opened.ok())
    clients_.end(client->opening.connection);
  client->session = opened.value;
  co_return opened.ok();
}

/// Another request of the same client may have come first.
asio::awaitable<void> http_front::until_begun(http_client_ptr client) {
  asio::steady_timer pause{w_.executor};
  auto deadline = std::chrono::steady_clock::now() + actor_patience;
  while (!client->session && clients_.numbered(client->opening.connection)
         && std::chrono::steady_clock::now() < deadline) {
    pause.expires_after(begin_look_pause);
    co_await pause.async_wait(process::no_throw);
  }
}

/// A session that does not take it is gone; its client hears of that by the end of its streams.
asio::awaitable<void> http_front::hand_over(http_client_ptr client, msg::document message, mcp::stream_number stream) {
  if (!client->session)
    co_return client->streams->end();
  auto taken = co_await ask<bool>(w_.port, client->session, actor_patience, msg::received_atom::value,
                                  std::move(message), uint64_t{stream});
  if (taken.ok())
    co_return;
  clients_.end(client->opening.connection);
  client->streams->end();
}

// ---- time ------------------------------------------------------------------------------------

void http_front::look_after_clients() {
  if (std::exchange(is_looked_after_, true))
    return;
  asio::co_spawn(w_.executor, look_after(), [keep = shared_from_this()](const std::exception_ptr&) {});
}

/// As long as there is one.
asio::awaitable<void> http_front::look_after() {
  asio::steady_timer pause{w_.executor};
  while (clients_.count() > 0 && !is_closed_) {
    clients_.keep_alive();
    clients_.sweep([this](const std::string& token) { return is_over(token); });
    std::erase_if(bearers_, [this](auto& each) { return is_over(each.first); });
    pause.expires_after(look_pause);
    co_await pause.async_wait(process::no_throw);
  }
  is_looked_after_ = false;
}

void http_front::stop_listening() {
  if (listening_)
    listening_->close();
}

asio::awaitable<void> http_front::close() {
  is_closed_ = true;
  clients_.close_streams();
  asio::steady_timer pause{w_.executor};
  auto deadline = std::chrono::steady_clock::now() + limits::http_close_max;
  while (listening_ && listening_->connections() > 0 && std::chrono::steady_clock::now() < deadline) {
    pause.expires_after(close_look_pause);
    co_await pause.async_wait(process::no_throw);
  }
}

} // namespace bridge
