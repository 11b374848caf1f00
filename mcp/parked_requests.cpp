#include "mcp/parked_requests.hpp"

#include "mcp/server_questions.hpp"
#include "messages/invariant.hpp"
#include "text/json_beginning.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

/// Tells questions of parked calls from requests to a client, which are counted from 1.
constexpr uint64_t parked_question = uint64_t{1} << 63;
constexpr size_t shown_responses_bytes_max = 80;

rpc_refusal wrong_return(const std::string& what) { return {rpc_error::invalid_params, "Invalid params: " + what, {}}; }

std::string shown_responses(const json::value& responses) {
  return text::quoted_json(responses, shown_responses_bytes_max);
}

/// Whether a client that can do that is asked it: the newest request says what it can do.
bool may_be_asked(const msg::client_abilities& abilities, const parked_requests::question& asked) {
  auto kind = server_questions::kind_of(asked.method, asked.params.value().if_object());
  return !kind || can_be_asked(abilities, *kind);
}

msg::outcome<msg::document> response_in(const msg::document& message, const json::value& response) {
  if (response.is_object())
    return message.part(response);
  return fault{errc::protocol_violation,
               "a member of 'inputResponses' must be an object, not " + shown_responses(response)};
}

} // namespace

// ---- asking ----------------------------------------------------------------------------------

uint64_t parked_requests::ask(request_number during, const std::shared_ptr<const requester>& from,
                              const std::string& call, question asked) {
  if (!has_room(request(during), asked))
    return 0;
  auto& r = requests_[during];
  r.call = call;
  r.from = from;
  return ask_more(during, std::move(asked));
}

uint64_t parked_requests::ask_more(request_number during, question asked) {
  auto found = requests_.find(during);
  if (found == requests_.end() || found->second.kept || !has_room(&found->second, asked))
    return 0;
  auto& r = found->second;
  auto number = ++last_question_ | parked_question;
  r.questions.emplace(number, open_question{std::move(asked), "q" + std::to_string(++r.last_key)});
  return number;
}

bool parked_requests::has_room(const parked_request* of, const question& asked) const {
  auto bytes = asked.params.text_bytes();
  size_t parked = of && (of->is_away || of->is_returning) ? 0 : 1;
  for (auto& [number, r] : requests_) {
    parked += r.is_away || r.is_returning ? 1 : 0;
    for (auto& [of_question, open] : r.questions)
      bytes += open.asked.params.text_bytes();
  }
  return seal_.is_usable() && parked <= parked_requests_max && bytes <= parked_questions_bytes_max;
}

void parked_requests::withdraw(uint64_t number) {
  for (auto& [of, r] : requests_)
    if (take(of, number))
      return;
}

std::optional<parked_requests::question> parked_requests::take(request_number number, uint64_t of) {
  auto found = requests_.find(number);
  auto open =
    found == requests_.end() ? decltype(parked_request::questions)::node_type{} : found->second.questions.extract(of);
  return open ? std::optional{std::move(open.mapped().asked)} : std::nullopt;
}

// ---- going and coming back -------------------------------------------------------------------

json::object parked_requests::park(request_number number, time_point now) {
  auto found = requests_.find(number);
  msg::ensure(found != requests_.end() && !found->second.questions.empty(), "who is sent away has something to answer");
  auto& r = found->second;
  r.is_away = true;
  r.until = now + wait_;
  r.kept_to = now + parked_request_max;
  json::object asked;
  for (auto& [of, open] : r.questions) {
    open.is_told = true;
    json::object one{{"method", open.asked.method}};
    if (!open.asked.params.value().is_null())
      one["params"] = open.asked.params.value();
    asked[open.key] = std::move(one);
  }
  return {{"inputRequests", std::move(asked)}, {"requestState", seal_.seal({number, ++r.round, r.until})}};
}

parked_requests::returning parked_requests::find(const json::value* state, const json::value* responses,
                                                 const call_digest& call, time_point now) const {
  if (responses && !responses->is_object())
    return {0, wrong_return("'inputResponses' must be an object, not " + shown_responses(*responses))};
  if (!state)
    return {0,
            wrong_return("'inputResponses' without 'requestState' answer nothing; every question has come with one")};
  auto opened = state->is_string() ? seal_.open(state->get_string()) : std::nullopt;
  if (!opened)
    return {0, wrong_return("'requestState' is none that this server has given to this client; call without it")};
  auto* r = request(opened->number);
  bool is_its = r && r->is_away && r->round == opened->round;
  if (now >= (is_its ? end_of(*r) : opened->until))
    return {0, wrong_return("'requestState' has expired: answers are waited for " + wait_text() + "; call without it")};
  if (!is_its)
    return {0, wrong_return("'requestState' was used already: each is good for one call")};
  if (r->call != call.text())
    return {0, wrong_return("'requestState' is of a call of another tool, or with other arguments")};
  return {opened->number, {}};
}

void parked_requests::come_back(request_number number, std::shared_ptr<const requester> from,
                                const msg::document& message, const json::object* responses) {
  auto& back = requests_.at(number);
  back.is_away = false;
  back.is_returning = true;
  back.from = from;
  std::vector<std::pair<uint64_t, const json::value*>> told; // as it is now: more may be asked meanwhile
  for (auto& [of, open] : back.questions)
    if (open.is_told)
      told.emplace_back(of, responses ? responses->if_contains(open.key) : nullptr);
  for (auto& [of, response] : told)
    if (auto answers = response ? take(number, of) : std::nullopt)
      answers->done(response_in(message, *response));
  for (auto& [of, response] : told) {
    auto* r = request(number);
    auto left = r ? r->questions.find(of) : decltype(parked_request::questions)::const_iterator{};
    if (!r || left == r->questions.end())
      continue;
    if (may_be_asked(from->abilities, left->second.asked))
      continue;
    auto fails = take(number, of);
    fails->done(fault{errc::model_failed, "the client came back without the capability to answer " + fails->method});
  }
  if (auto found = requests_.find(number); found != requests_.end())
    found->second.is_returning = false;
}

// ---- the end ---------------------------------------------------------------------------------

bool parked_requests::keep(request_number number, kept_answer answer) {
  if (!is_away(number))
    return false;
  if (has_kept(number))
    return true; // the first word counts
  auto bytes = answer.result.held_bytes();
  for (auto& [other, r] : requests_)
    bytes += r.kept ? r.kept->result.held_bytes() : 0;
  if (bytes > kept_answers_bytes_max)
    answer = {{},
              {},
              {rpc_error::internal_error,
               "the call has ended while its questions waited for the client, and of results of such calls "
                 + std::to_string(kept_answers_bytes_max >> 20) + " MiB are kept; this one had no room",
               {}}};
  auto& r = requests_.at(number);
  r.kept = std::move(answer);
  for (auto& [of, open] : std::exchange(r.questions, {}))
    open.asked.done(fault{errc::cancelled, "the call is over"});
  return true;
}

std::optional<kept_answer> parked_requests::take_kept(request_number number) {
  auto found = requests_.find(number);
  return found == requests_.end() ? std::nullopt : std::exchange(found->second.kept, std::nullopt);
}

void parked_requests::end(request_number number, const std::string& why) {
  auto gone = requests_.extract(number);
  if (!gone)
    return;
  for (auto& [of, open] : gone.mapped().questions)
    open.asked.done(fault{errc::cancelled, why});
}

/// Who asked may have gone on without an answer meanwhile: then there is something to tell.
parked_requests::time_point parked_requests::end_of(const parked_request& r) {
  bool is_waited_for =
    std::any_of(r.questions.begin(), r.questions.end(), [](auto& each) { return each.second.is_told; });
  return is_waited_for ? r.until : r.kept_to;
}

std::string parked_requests::wait_text() const {
  auto in = [this](int64_t ms, const char* unit) {
    auto count = wait_.count() / ms;
    return std::to_string(count) + unit + (count == 1 ? "" : "s");
  };
  if (wait_.count() % 60'000 == 0)
    return in(60'000, " minute");
  return wait_.count() % 1'000 == 0 ? in(1'000, " second") : std::to_string(wait_.count()) + " ms";
}

std::vector<request_number> parked_requests::expired(time_point now) const {
  std::vector<request_number> out;
  for (auto& [number, r] : requests_)
    if (r.is_away && now >= end_of(r))
      out.push_back(number);
  return out;
}

std::optional<parked_requests::time_point> parked_requests::next_expiry() const {
  std::optional<time_point> out;
  for (auto& [number, r] : requests_)
    if (r.is_away)
      out = out ? std::min(*out, end_of(r)) : end_of(r);
  return out;
}

// ---- what is there ---------------------------------------------------------------------------

const parked_requests::parked_request* parked_requests::request(request_number number) const {
  auto found = requests_.find(number);
  return found == requests_.end() ? nullptr : &found->second;
}

bool parked_requests::is_away(request_number number) const {
  auto* r = request(number);
  return r && r->is_away;
}

bool parked_requests::is_returning(request_number number) const {
  auto* r = request(number);
  return r && r->is_returning;
}

bool parked_requests::has_kept(request_number number) const {
  auto* r = request(number);
  return r && r->kept;
}

bool parked_requests::has_questions(request_number number) const {
  auto* r = request(number);
  return r && !r->questions.empty();
}

const requester* parked_requests::asker(request_number number) const {
  auto* r = request(number);
  return r ? r->from.get() : nullptr;
}

size_t parked_requests::question_count() const {
  size_t out = 0;
  for (auto& [number, r] : requests_)
    out += r.questions.size();
  return out;
}

} // namespace mcp
