#include "tests/simulation/clients.hpp"

#include "tests/simulation/rights.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace simulation {

namespace json = boost::json;

namespace {

constexpr int64_t timeout_least_ms = 1'000, timeout_more_ms = 4'000;

std::string luck_text(uint64_t number) {
  std::array<char, 20> out{};
  std::snprintf(out.data(), out.size(), "%llx", static_cast<unsigned long long>(number));
  return out.data();
}

/// "... (server 'c') x 3, beyond the ..."; one is not counted.
uint64_t announced_in(const std::string& question) {
  constexpr std::string_view before = ") x ";
  auto at = question.find(before);
  return at == question.npos ? 1 : std::strtoull(question.c_str() + at + before.size(), nullptr, 10);
}

} // namespace

// ---- what it says ----------------------------------------------------------------------------

void client::say(json::value message, mcp::stream_number stream) {
  if (session && !is_gone_)
    caf::anon_send(session, msg::received_atom::value, msg::document{std::move(message)}, uint64_t{stream});
}

int64_t client::say_request(const std::string& method, json::object params, request r) {
  if (is_gone_)
    return 0;
  auto id = ++last_id_;
  if (connection_ > 1) // over HTTP each request has a stream of its own
    r.stream = ++last_stream_;
  if (r.wants_progress)
    params["_meta"] = {{"progressToken", id}};
  world_.tell("client " + std::to_string(connection_) + " says " + std::to_string(id) + " " + method);
  auto stream = r.stream;
  requests_.emplace(id, std::move(r));
  say({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}, stream);
  return id;
}

void client::introduce_itself() {
  json::object abilities;
  if (can_be_asked) {
    abilities["elicitation"] = {{"form", json::object{}}, {"url", json::object{}}};
    abilities["sampling"] = json::object{};
  }
  say_request("initialize",
              {{"protocolVersion", "2025-11-25"},
               {"capabilities", std::move(abilities)},
               {"clientInfo", {{"name", "simulated"}, {"version", "1"}}}},
              {});
}

json::object client::arguments_of_run(request& r) {
  auto& luck = world_.luck;
  auto& run = world_.runs[r.mark];
  json::object arguments{{"code", "// run " + r.mark + " " + luck_text(luck.next() & 0xffffffff)},
                         {"timeoutMs", timeout_least_ms + static_cast<int64_t>(luck.below(timeout_more_ms))}};
  run.owner = owner;
  run.client = connection_;
  if (luck.one_in(5)) {
    run.everything = false;
    run.allowed = {luck.one_of({"mcp__well__*", "mcp__a__echo", "mcp__*"})};
    arguments["allowedTools"] = json::array(run.allowed.begin(), run.allowed.end());
  }
  if (luck.one_in(3))
    arguments["session"] = run.session = luck.one_of({"s", "t"});
  if (arguments.contains("session") && luck.one_in(5))
    arguments["resetSession"] = true;
  if (luck.one_in(2))
    arguments["enableSampling"] = true;
  r.wants_progress = luck.one_in(2);
  return arguments;
}

void client::run_something() {
  request r;
  r.mark = "r" + std::to_string(world_.runs.size() + 1) + "x";
  auto arguments = arguments_of_run(r);
  auto tool = world_.luck.one_of({"run-typescript-code", "run-typescript-code", "run-python-code"});
  world_.runs[r.mark].is_python = tool == std::string_view{"run-python-code"};
  say_request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}}, std::move(r));
}

std::string client::run_plainly(const known_run& like) {
  request r;
  r.mark = "r" + std::to_string(world_.runs.size() + 1) + "x";
  auto mark = r.mark;
  auto& run = world_.runs[mark];
  run.owner = owner;
  run.client = connection_;
  run.session = like.session;
  json::object arguments{{"code", "// run " + mark + " plain"}};
  if (!run.session.empty())
    arguments["session"] = run.session;
  say_request(
    "tools/call",
    {{"name", like.is_python ? "run-python-code" : "run-typescript-code"}, {"arguments", std::move(arguments)}},
    std::move(r));
  return mark;
}

void client::ask_something() {
  switch (world_.luck.below(6)) {
    case 0: return void(say_request("tools/list", {}, {}));
    case 1: return void(say_request("ping", {}, {}));
    case 2: return void(say_request("no/such", {}, {}));
    case 3: return say(json::object{{"jsonrpc", "2.0"}, {"id", 99'999}, {"result", json::object{}}}, 0);
    default: {
      auto tool = world_.luck.one_of({"health", "list_servers", "search_tools", "no such tool"});
      json::object arguments;
      if (tool == std::string_view{"search_tools"})
        arguments["query"] = "echo";
      say_request("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}}, {});
    }
  }
}

int64_t client::some_open_request() {
  std::vector<int64_t> open;
  for (auto& [id, r] : requests_)
    if (r.answers == 0 && !r.is_given_up && id > 1)
      open.push_back(id);
  return open.empty() ? 0 : open[world_.luck.below(open.size())];
}

void client::cancel_something() {
  auto id = some_open_request();
  if (id == 0)
    return;
  world_.tell("client " + std::to_string(connection_) + " cancels " + std::to_string(id));
  requests_.at(id).is_given_up = true;
  say({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}}}}, 0);
}

void client::leave_stream() {
  auto id = some_open_request();
  if (id == 0 || connection_ == 1 || !session)
    return;
  auto& r = requests_.at(id);
  r.is_given_up = true;
  caf::anon_send(session, msg::closed_atom::value, uint64_t{r.stream});
}

void client::vanish() {
  is_gone_ = true;
  session = nullptr;
  for (auto& [id, r] : requests_)
    r.is_given_up = true;
}

// ---- what it hears ---------------------------------------------------------------------------

void client::hear(const mcp::outgoing& sent) {
  if (sent.what == mcp::outgoing::kind::none)
    return;
  auto parsed = json::parse(sent.text.text());
  if (!parsed.is_object())
    return world_.broken("a client gets what is no message: " + json::serialize(parsed));
  auto& message = parsed.as_object();
  if (message.contains("method") && message.contains("id"))
    take_question(message);
  else if (message.contains("id"))
    take_answer(message, sent);
  else if (message.at("method") == "notifications/progress") {
    auto found = requests_.find(message.at("params").at("progressToken").as_int64());
    world_.expect(found != requests_.end() && found->second.wants_progress && found->second.answers == 0,
                  "a client is told of the progress of what is answered, or was not to be told of");
  }
}

void client::take_answer(const json::object& message, const mcp::outgoing& sent) {
  auto* id = message.at("id").if_int64();
  auto found = id ? requests_.find(*id) : requests_.end();
  if (found == requests_.end())
    return world_.broken("a client gets an answer to what it has not asked: " + json::serialize(message));
  auto& r = found->second;
  ++r.answers;
  r.answer = json::serialize(message.contains("result") ? message.at("result") : message.at("error"));
  world_.tell("client " + std::to_string(connection_) + " hears " + std::to_string(*id)
              + (message.contains("error")                            ? " error"
                 : r.answer.find("\"isError\":true") == r.answer.npos ? " well"
                                                                      : " failed"));
  world_.expect(r.answers == 1, "a request is answered twice");
  world_.expect(sent.stream == r.stream, "an answer goes to the stream of another request");
  if (!r.mark.empty())
    check_result(r, message);
}

/// Of what its own program has said.
void client::check_result(const request& r, const json::object&) {
  world_.runs[r.mark].told =
    r.answer.find("\"isError\":true") == r.answer.npos ? known_run::end::success : known_run::end::failure;
  auto is_success = r.answer.find("\"isError\":true") == r.answer.npos && r.answer.find("good") != r.answer.npos;
  if (!is_success)
    return;
  ++runs_reported;
  world_.expect(r.answer.find(r.mark) != r.answer.npos, "a client gets the result of another run: " + r.answer);
}

// ---- what it is asked ------------------------------------------------------------------------

void client::take_question(const json::object& message) {
  world_.tell("client " + std::to_string(connection_) + " is asked " + std::string{message.at("method").as_string()});
  if (message.at("method") == "sampling/createMessage")
    count_question(world_, json::serialize(message.at("params")));
  world_.later(0, [me = shared_from_this(), message] {
    if (!me->world_.is_calm && me->world_.luck.one_in(6))
      return; // never answers
    auto answer = me->answer_to(message);
    me->say(answer, 0);
    if (me->world_.luck.one_in(10))
      me->say(answer, 0); // twice
  });
}

json::object client::answer_to(const json::object& question) {
  auto& luck = world_.luck;
  json::object out{{"jsonrpc", "2.0"}, {"id", question.at("id")}};
  if (luck.one_in(8)) {
    out["error"] = {{"code", -1}, {"message", "the person has left"}};
  } else if (question.at("method") == "elicitation/create") {
    auto action = luck.one_of({"accept", "accept", "accept", "accept", "decline", "cancel"});
    if (action == std::string_view{"accept"})
      agree(question.at("params").as_object());
    out["result"] = {{"action", action}};
    if (action == std::string_view{"accept"})
      out["result"].as_object()["content"] = {{"answer", "this"}};
  } else if (question.at("method") == "sampling/createMessage") {
    out["result"] = {{"role", "assistant"}, {"model", "m"}, {"content", {{"type", "text"}, {"text", "hello"}}}};
  } else {
    out["result"] = luck.one_in(2) ? json::value(json::object{}) : json::value(17);
  }
  return out;
}

/// To each call that the question names, or to so many as were announced.
void client::agree(const json::object& params) {
  auto text = json::serialize(params);
  bool is_of_all = text.find("approve ALL calls") != text.npos;
  if (is_of_all || text.find("A program announces calls") != text.npos)
    return agree_beforehand(is_of_all ? all_agreed : announced_in(text));
  for (auto& [mark, run] : world_.runs)
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1))
      ++run.agreements;
}

/// The question does not say whose it is: each of those that it may be of.
void client::agree_beforehand(uint64_t count) {
  for (auto& [mark, run] : world_.runs)
    if (run.client == connection_ && run.announced == count)
      run.agreements += count;
}

// ---- whether all is answered ------------------------------------------------------------------

size_t client::unanswered() const {
  return static_cast<size_t>(std::count_if(requests_.begin(), requests_.end(),
                                           [](auto& r) { return r.second.answers == 0 && !r.second.is_given_up; }));
}

std::string client::answer_of(const std::string& mark) const {
  for (auto& [id, r] : requests_)
    if (r.mark == mark && r.answers == 1)
      return r.answer;
  return {};
}

void client::check_answers() {
  for (auto& [id, r] : requests_)
    if (r.answers == 0 && !r.is_given_up)
      world_.broken("request " + std::to_string(id) + " of client " + std::to_string(connection_)
                    + " is never answered");
}

} // namespace simulation
