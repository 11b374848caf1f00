#include "mcp/client_calls.hpp"

#include "mcp/fields.hpp"
#include "mcp/header_parameters.hpp"
#include "mcp/result_kind.hpp"
#include "mcp/server_log.hpp"
#include "mcp/told_error.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <utility>

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

/// Calls that were given up and never answered, of one connection; and clients of more than these.
constexpr size_t given_up_max = 1'000;
/// No client: with it among those who may be meant, none is asked.
constexpr uint64_t nobody = 0;

/// Of a call that was refused until a person has been somewhere; the server has not carried it out.
std::string advice_on_visits(const input_round& visits, const masking& masked) {
  std::string out = "; nothing was done. A person has to open this first, then the call can be made again: ";
  for (auto& each : visits.questions())
    out +=
      (&each == &visits.questions().front() ? "" : ", ")
      + masked_excerpt(string_in(each.params.value().if_object(), "url"), msg::limits::child_quote_bytes_max, masked);
  return out;
}

double number_or_zero(const json::object& object, std::string_view key) {
  auto* v = object.if_contains(key);
  json::error_code ec;
  return v ? v->to_number<double>(ec) : 0.0;
}

} // namespace

client_calls::client_calls(std::string server, const client_callbacks& callbacks, client_wire wire,
                           server_questions& questions)
  : server_(std::move(server)),
    callbacks_(callbacks),
    wire_(std::move(wire)),
    rounds_(
      server_, questions,
      {[this](input_rounds::waiting_call call, const json::object& more) { call_again(std::move(call), more); },
       [this](msg::call_key key, fault why) { callbacks_.answered(key, std::move(why).at(server_)); },
       [this](std::chrono::milliseconds then) { callbacks_.paused ? callbacks_.paused(then) : rounds_.go_on({}); }}) {}

bool client_calls::call(const msg::tool_call& call) {
  want_log(call.asker.log);
  auto id = wire_.next_id();
  if (!send_call(id, call))
    return false;
  bool is_listing = call.method == msg::child_method::list_resources || call.method == msg::child_method::list_prompts;
  open_call open{call.key, call.method, std::nullopt, call.asker, std::nullopt};
  if (is_listing)
    open.listing.emplace(server_, call.method);
  else if (!has_handshake(spoken_) || call.asker.abilities.opens_urls) // else it is never made again
    open.again = input_rounds::waiting_call{call};
  keep(id, std::move(open));
  return true;
}

void client_calls::keep(int64_t id, open_call call) {
  ids_.emplace(call.key, id);
  calls_.emplace(id, std::move(call));
}

/// First: the server has it before the call. Others want to hear of warnings, and so do we: it is never asked for less.
void client_calls::want_log(const msg::log_wish& wish) {
  auto level = std::min(wish.from, msg::unasked_log.from);
  if (levels_ == level_requests::unknown || !wish.is_asked || level >= told_level_)
    return;
  auto id = wire_.next_id();
  if (!wire_.send(make_own_request(spoken_, id, "logging/setLevel", json::object{{"level", to_string(level)}}), id))
    return;
  told_level_ = level;
  level_requests_.insert(id);
}

/// The server has been told what it wanted to know.
void client_calls::call_again(input_rounds::waiting_call call, const json::object& more) {
  auto id = wire_.next_id();
  auto key = call.call.key;
  if (!send_call(id, call.call, more))
    return answer_unread(key);
  open_call open{key, call.call.method, std::nullopt, call.call.asker, std::nullopt};
  open.again = std::move(call);
  keep(id, std::move(open));
}

/// Of a request that follows on the first one.
void client_calls::answer_unread(msg::call_key key) const {
  callbacks_.answered(key, fault{errc::overloaded, "server '" + server_ + "' does not read its requests"}.at(server_));
}

std::optional<asked_call> client_calls::asked_in(int64_t during) const {
  if (during != 0) {
    auto found = calls_.find(during);
    return found == calls_.end() ? std::nullopt : std::optional{asked_call{found->second.key}};
  }
  auto last = std::max_element(calls_.begin(), calls_.end(), [](auto& a, auto& b) { return a.first < b.first; });
  if (last == calls_.end())
    return std::nullopt;
  auto client = last->second.asker.client;
  auto is_its = [client](uint64_t other) { return other == client; };
  bool is_of_one =
    std::all_of(calls_.begin(), calls_.end(), [&](auto& call) { return is_its(call.second.asker.client); })
    && std::all_of(given_up_.begin(), given_up_.end(), [&](auto& call) { return is_its(call.second); })
    && std::all_of(forgotten_.begin(), forgotten_.end(), is_its);
  return is_of_one
           ? std::optional{asked_call{last->second.key, calls_.size() + given_up_.size() + forgotten_.size() == 1}}
           : std::nullopt;
}

bool client_calls::send_call(int64_t id, const msg::tool_call& call, const json::object& more) {
  auto request = make_call(spoken_, id, call, more);
  if (auto wanted = headers_.find(call.tool); wanted != headers_.end() && !request.labels.is_empty())
    request.labels.parameters = headers_of(wanted->second, call.arguments.value());
  return wire_.send(std::move(request), id);
}

bool client_calls::cancel(msg::call_key key, std::string_view reason) {
  if (rounds_.drop(key))
    return true; // it has got it, and does nothing for it now
  auto found = ids_.extract(key);
  if (!found)
    return false;
  auto id = found.mapped();
  uint64_t client = 0;
  if (auto call = calls_.extract(id)) {
    client = call.mapped().asker.client;
    drop_pages(call.mapped());
  }
  if (callbacks_.take_back && callbacks_.take_back(id))
    return false;
  wire_.send(
    make_own_notification(spoken_, "notifications/cancelled", json::object{{"requestId", id}, {"reason", reason}}), 0);
  cancelled_.emplace(id, key);
  remember_given_up(id, client);
  return true;
}

void client_calls::forget_cancelled(const std::function<bool(msg::call_key)>& is_kept) {
  std::erase_if(cancelled_, [&](auto& call) { return !is_kept(call.second); });
}

/// The server may work on it, and ask, for as long as it has not answered; most never do.
void client_calls::remember_given_up(int64_t id, uint64_t client) {
  if (given_up_.size() < given_up_max)
    given_up_.emplace(id, client);
  else
    forgotten_.insert(forgotten_.size() < given_up_max ? client : nobody);
}

/// False: that is not the number of a call that was cancelled.
bool client_calls::ends_cancelled(int64_t id) {
  given_up_.erase(id);
  auto call = cancelled_.extract(id);
  if (call && callbacks_.ended)
    callbacks_.ended(call.mapped());
  return !call.empty();
}

/// For a call that ends without them.
void client_calls::drop_pages(open_call& call) const {
  if (call.listing && callbacks_.items_dropped)
    callbacks_.items_dropped(call.listing->release());
}

void client_calls::answer_error(open_call call, const json::value& error) {
  auto code = error_code(&error);
  if (code == rpc_error::header_mismatch)
    callbacks_.tools_changed(); // the schema that says what goes into headers is another one
  auto text = told_error(error, msg::limits::child_error_bytes_max, callbacks_.masked);
  if (call.method != msg::child_method::call_tool) // a tool's name says whose it is; "not found" alone says nothing
    text = std::string{to_string(call.method)} + " of server '" + server_ + "' failed: " + text;
  if (code == rpc_error::missing_capability) // of the client of the run, which it does not know
    text = "server '" + server_ + "' wants to ask what the client of this run can not answer: " + text;
  if (auto visits = code == rpc_error::visit_wanted ? input_round::of_visits(error) : std::nullopt) {
    text += advice_on_visits(*visits, callbacks_.masked);
    if (call.again && has_handshake(spoken_) && call.again->rounds == 0)
      return rounds_.begin_visits(std::move(*call.again), std::move(*visits), std::move(text));
  }
  callbacks_.answered(
    call.key,
    fault{code == rpc_error::login_wanted ? errc::needs_login : errc::tool_failed, std::move(text)}.at(server_));
}

void client_calls::answer(open_call call, const message_view& response, const msg::document& message) {
  if (response.error && call.listing && call.listing->may_be_refused())
    return callbacks_.items_listed(call.key, call.listing->release());
  if (response.error || !response.result->is_object())
    drop_pages(call);
  if (response.error)
    return answer_error(std::move(call), *response.error);
  if (!response.result->is_object())
    return callbacks_.answered(
      call.key, fault{errc::protocol_violation, "server '" + server_ + "' answered a call with no object"}.at(server_));
  auto& result = response.result->get_object();
  if (call.again && input_round::is_one(spoken_, result))
    return rounds_.begin(std::move(*call.again), result);
  if (auto problem = unusable_result(spoken_, result); !problem.empty()) {
    drop_pages(call);
    return callbacks_.answered(call.key,
                               fault{errc::protocol_violation, "server '" + server_ + "' " + problem}.at(server_));
  }
  if (call.listing)
    return take_list_page(std::move(call), response, message);
  callbacks_.answered(call.key, message.part(*response.result));
}

void client_calls::take_list_page(open_call call, const message_view& response, const msg::document& message) {
  auto step = call.listing->take(response.result->get_object(), message);
  if (step.problem.code != errc::none) {
    drop_pages(call);
    return callbacks_.answered(call.key, std::move(step.problem));
  }
  if (step.is_over)
    return callbacks_.items_listed(call.key, call.listing->release());
  request_list_page(std::move(call), step.cursor);
}

void client_calls::request_list_page(open_call call, std::string_view cursor) {
  json::value params = json::object{};
  if (!cursor.empty())
    params = json::object{{"cursor", cursor}};
  auto id = wire_.next_id();
  if (!wire_.send(make_own_request(spoken_, id, call.listing->request(), params), id)) {
    drop_pages(call);
    return answer_unread(call.key);
  }
  keep(id, std::move(call));
}

bool client_calls::take(int64_t id, const message_view& response, const msg::document& message) {
  if (ends_cancelled(id) || level_requests_.erase(id) > 0)
    return true;
  auto call = calls_.extract(id);
  if (!call)
    return false;
  ids_.erase(call.mapped().key);
  answer(std::move(call.mapped()), response, message);
  return true;
}

bool client_calls::fail(int64_t id, fault why) {
  if (ends_cancelled(id) || level_requests_.erase(id) > 0)
    return true;
  auto call = calls_.extract(id);
  if (!call)
    return false;
  auto key = call.mapped().key;
  ids_.erase(key);
  drop_pages(call.mapped());
  callbacks_.answered(key, std::move(why));
  return true;
}

void client_calls::progressed(const json::object& params) const {
  auto* token = params.if_contains("progressToken");
  auto found = token && token->is_int64() ? calls_.find(token->get_int64()) : calls_.end();
  if (found != calls_.end())
    callbacks_.progressed(
      {found->second.key, number_or_zero(params, "progress"), number_or_zero(params, "total"),
       masked_excerpt(string_or(params, "message"), msg::limits::child_quote_bytes_max, callbacks_.masked)});
}

/// Of a server with one stream for all it is the last call. Clients with a handshake do not mind which run that is.
void client_calls::logged(const json::object& params, int64_t during) const {
  auto level = msg::log_level_of(string_or(params, "level", "info"));
  auto in = callbacks_.logged_in_call ? asked_in(during) : std::nullopt;
  if (!in || !level || *level < calls_.at(ids_.at(in->key)).asker.log.from)
    return;
  bool is_of_one_run = during != 0 || std::all_of(calls_.begin(), calls_.end(), [&](auto& call) {
                         return call.second.key.run == in->key.run;
                       });
  callbacks_.logged_in_call({in->key, is_of_one_run, *level, told_logger(server_, params, callbacks_.masked),
                             told_log_data(params.if_contains("data"), callbacks_.masked)});
}

void client_calls::fail_all(const fault& why) {
  auto calls = std::exchange(calls_, {});
  ids_.clear();
  cancelled_.clear();
  given_up_.clear();
  forgotten_.clear();
  level_requests_.clear();
  for (auto& [id, call] : calls) {
    drop_pages(call);
    callbacks_.answered(call.key, why);
  }
  for (auto& key : rounds_.drop_all())
    callbacks_.answered(key, why);
}

} // namespace mcp
