#include "tests/simulation/servers.hpp"

#include "mcp/jsonrpc.hpp"
#include "proxy/allowlist.hpp"
#include "tests/simulation/rights.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

namespace json = boost::json;

namespace {

constexpr uint64_t ends_slowly_max_ms = 6'000;
constexpr int method_not_found = -32601, internal_error = -32603;

json::object text_content(const std::string& text) { return {{"content", {{{"type", "text"}, {"text", text}}}}}; }

bool matches(std::string_view pattern, std::string_view name) {
  auto star = pattern.find('*');
  return star == pattern.npos ? pattern == name : name.starts_with(pattern.substr(0, star));
}

} // namespace

simulated_server::simulated_server(servers& all, const msg::server_entry& entry, msg::child_server_actor owner,
                                   uint64_t generation, std::optional<mcp::connection_events> heard)
  : all_(all),
    world_(all.in),
    name_(entry.name),
    args_(entry.args.empty() ? "" : entry.args.front()),
    is_remote_(entry.transport != msg::transport_kind::stdio),
    number_(++all.started),
    owner_(std::move(owner)),
    generation_(generation),
    heard_(std::move(heard)),
    says_(all.in.new_line()),
    hears_(all.in.new_line()) {
  world_.expect(msg::is_trusted(entry), "a server is started that nobody has approved");
  all_.latest[owner_.id()] = generation_;
  if (is_well() || world_.is_calm)
    return;
  hangs_ = world_.luck.one_in(16);
  refuses_start_ = world_.luck.one_in(12);
}

bool simulated_server::send(msg::spliced_text message, uint64_t, mcp::request_labels labels) {
  if (refuses_ && runs() && !world_.is_calm)
    return false;
  world_.later(
    hears_,
    [me = shared_from_this(), text = message.text(), about = std::move(labels.about)] {
      if (me->runs() && (!me->hangs_ || me->world_.is_calm))
        me->hear(json::parse(text).as_object(), about);
    },
    pace());
  return true;
}

bool simulated_server::take_back(uint64_t) { return false; }

void simulated_server::stop() {
  is_told_to_stop_ = true;
  world_.tell("stops " + name_);
  world_.later(
    0, [me = shared_from_this()] { me->die("exit code 0"); }, haste::prompt);
}

void simulated_server::kill() { die("signal 9"); }

/// What it said before is heard before.
void simulated_server::die(std::string how) {
  if (!runs())
    return;
  is_ending_ = true;
  world_.tell(name_ + " ends");
  how += " <process " + std::to_string(number_) + ">";
  if (all_.loses_end(*this))
    return world_.tell("nobody is ever told");
  if (!world_.is_calm && !is_well() && world_.luck.one_in(15))
    world_.late.emplace_back([me = shared_from_this(), how] { me->heard_end(how); });
  else
    tell_end(std::move(how));
}

/// Of some the machine takes its time to say that they are gone.
void simulated_server::tell_end(std::string how) {
  auto heard = [me = shared_from_this(), how = std::move(how)] { me->heard_end(how); };
  if (!world_.is_calm && !is_well() && world_.luck.one_in(2))
    world_.later_by(std::chrono::milliseconds{static_cast<int64_t>(world_.luck.below(ends_slowly_max_ms))}, heard);
  else
    world_.later(says_, heard, pace());
}

void simulated_server::heard_end(const std::string& how) {
  for (auto& [key, call] : calls_)
    world_.dead_calls.emplace(call.mark, call.number);
  if (auto to = std::exchange(owner_, nullptr)) {
    if (all_.latest[to.id()] > generation_) {
      world_.tell("the end of an old process of " + name_ + " is told");
      world_.old_ends.insert(how.substr(how.find('<')));
    }
    msg::fault why{end_is_, "ended with " + how};
    if (auto through = std::exchange(heard_, std::nullopt))
      through->closed(std::move(why));
    else
      caf::anon_send(to, msg::closed_atom::value, generation_, std::move(why));
  }
  std::erase(all_.all, shared_from_this());
}

void simulated_server::misbehave() {
  if (!runs() || is_well())
    return;
  auto note = [this](const char* what) { world_.tell(name_ + " " + what); };
  if (is_remote_ && world_.luck.one_in(3))
    return note("knows nobody any more"), all_.people.expire(name_);
  switch (world_.luck.below(10)) {
    case 0:
    case 8:
    case 9: return note("dies"), die("signal 11");
    case 1: return note("hangs"), void(hangs_ = true);
    case 2: return note("reads nothing"), void(refuses_ = true);
    case 3: return note("answers badly"), void(is_bad_ = true);
    case 4: {
      note("prints");
      world_.later(says_, [me = shared_from_this()] {
        if (me->heard_)
          me->all_.injected.read(me->heard_->non_protocol_line("Loading..."));
        else if (me->owner_)
          caf::anon_send(me->owner_, msg::non_protocol_atom::value, me->generation_, std::string{"Loading..."});
      });
      return;
    }
    case 5: return note("answers nobody"), answer(987'654, text_content("nobody has asked"));
    default:
      note("has other tools");
      ++all_.tool_lists;
      say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  }
}

void simulated_server::kill_actor() {
  if (owner_ && !is_well())
    caf::anon_send_exit(owner_, caf::exit_reason::unhandled_exception);
}

size_t simulated_server::open_calls() const {
  bool may_not_hear = hangs_ || refuses_ || (heard_ && !is_well()); // that calls are cancelled
  if (may_not_hear)
    return 0;
  return static_cast<size_t>(
    std::count_if(calls_.begin(), calls_.end(), [](auto& c) { return !c.second.is_cancelled; }));
}

void simulated_server::hear(const json::object& message, const mcp::request_subject& about) {
  auto* method = message.if_contains("method");
  if (!method)
    return; // an answer to a question of ours
  auto* id = message.if_contains("id");
  if (!id) {
    if (*method == "notifications/cancelled")
      if (auto found = calls_.find(static_cast<uint64_t>(message.at("params").at("requestId").as_int64()));
          found != calls_.end())
        found->second.is_cancelled = true;
    return;
  }
  if (is_remote_ && all_.people.refuses(name_, owner_, generation_, about))
    return want_login(message);
  hear_request(message);
}

/// As the connection over HTTP tells it: who can not begin has ended.
void simulated_server::want_login(const json::object& request) {
  world_.tell(name_ + " wants a login");
  if (request.at("method") != "initialize")
    return refuse(request.at("id"), mcp::rpc_error::login_wanted, "wants a login");
  end_is_ = msg::errc::needs_login;
  die("a wish for a login");
}

std::string simulated_server::login_wanted() const {
  return is_remote_ && all_.people.is_wanted(name_) ? "server '" + name_ + "' wants a login" : std::string{};
}

void simulated_server::hear_request(const json::object& message) {
  auto *method = message.if_contains("method"), *id = message.if_contains("id");
  if (*method == "initialize" && refuses_start_ && !world_.is_calm) {
    refuse(*id, internal_error, "it can not be started like that");
  } else if (*method == "initialize") {
    json::object capabilities{{"tools", {{"listChanged", true}}}};
    answer(*id, {{"protocolVersion", "2025-11-25"},
                 {"capabilities", std::move(capabilities)},
                 {"serverInfo", {{"name", name_}, {"version", "1"}}}});
  } else if (*method == "tools/list") {
    answer(*id, {{"tools", tools()}});
  } else if (*method == "tools/call") {
    take_call(message);
  } else {
    refuse(*id, method_not_found, "no such method");
  }
}

json::array simulated_server::tools() const {
  json::object schema{{"type", "object"},
                      {"properties", {{"mark", {{"type", "string"}}}, {"number", {{"type", "integer"}}}}},
                      {"required", {"mark", "number"}}};
  json::array out;
  for (auto name : {"echo", "write"})
    out.push_back(
      {{"name", name}, {"description", std::string{name} + " of " + name_ + args_}, {"inputSchema", schema}});
  if (!is_well() && all_.tool_lists % 2 == 1)
    out.push_back({{"name", "gone"}, {"description", "comes and goes"}, {"inputSchema", schema}});
  return out;
}

void simulated_server::take_call(const json::object& message) {
  auto& params = message.at("params").as_object();
  auto* arguments = params.if_contains("arguments");
  auto* number = arguments ? arguments->as_object().if_contains("number") : nullptr;
  if (!number || !number->is_int64()) {
    // One that has announced other tools and does not tell them gets calls as they are.
    world_.expect(!is_well(), "a server gets arguments that its schema does not permit: " + json::serialize(params));
    return refuse(message.at("id"), internal_error, "a number is wanted");
  }
  auto mark = std::string{arguments->at("mark").as_string()};
  auto id = message.at("id");
  auto key = static_cast<uint64_t>(id.as_int64());
  auto text = "echo " + mark + " " + std::to_string(number->as_int64()) + " of " + name_;
  bool is_new = known_.insert(key).second;
  if (!is_new && heard_ && !is_well()) // a fault has sent it twice: so it is answered
    return answer(id, text_content(text));
  world_.expect(is_new, "two calls of a server have one id");
  check_right(params, mark);
  ++all_.calls[name_];
  calls_.emplace(key, open_call{mark, static_cast<uint64_t>(number->as_int64()), text});
  world_.expect(open_calls() <= all_.calls_at_once_max, "a server has more calls at once than it may have");
  world_.tell(name_ + " is called by " + mark);
  auto last = [me = shared_from_this(), id, key] { me->answer_call(id, key); };
  world_.later(0, last, pace());
}

/// By what the client has asked for, and a person has agreed to.
void simulated_server::check_right(const json::object& params, const std::string& mark) {
  auto found = world_.runs.find(mark);
  if (found == world_.runs.end())
    return world_.broken("a server is called by no program of a client");
  auto& run = found->second;
  auto tool = std::string{params.at("name").as_string()};
  auto whole = "mcp__" + name_ + "__" + tool;
  world_.expect(
    run.everything
      || std::any_of(run.allowed.begin(), run.allowed.end(), [&](auto& pattern) { return matches(pattern, whole); }),
    "a program calls what its client has not allowed it: " + whole);
  ++run.sent;
  if (name_ == confirmed_server && tool == "write") {
    world_.expect(run.agreements > 0, "a call is made to which no person has agreed");
    run.agreements -= run.agreements > 0 ? 1 : 0;
  }
}

void simulated_server::answer_call(const json::value& id, uint64_t key) {
  if (!runs() || (hangs_ && !world_.is_calm))
    return;
  auto call = calls_.extract(key);
  if (!call)
    return;
  auto& text = call.mapped().text;
  if (is_bad_ && !world_.is_calm && world_.luck.one_in(2))
    return answer_badly(id, text);
  answer(id, text_content(text));
}

void simulated_server::answer_badly(const json::value& id, const std::string& text) {
  switch (world_.luck.below(6)) {
    case 0: return refuse(id, internal_error, "of the server");
    case 1: return answer(id, text_content(text)), answer(id, text_content("a second answer"));
    case 2: return answer(id, {{"isError", true}, {"content", {{{"type", "text"}, {"text", "of the tool"}}}}});
    case 3: return answer(id, 17);
    case 4: return say(json::array{1, "no message"});
    default: return; // never
  }
}

void simulated_server::answer(const json::value& id, json::value result) {
  say({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void simulated_server::refuse(const json::value& id, int code, std::string why) {
  say({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", std::move(why)}}}});
}

void simulated_server::say(json::value message) {
  world_.later(
    says_,
    [me = shared_from_this(), message = std::move(message)]() mutable {
      if (me->heard_)
        me->all_.injected.read(me->heard_->received(msg::document{std::move(message)}, 0));
      else if (me->owner_)
        caf::anon_send(me->owner_, msg::received_atom::value, me->generation_, msg::document{std::move(message)},
                       uint64_t{0});
    },
    pace());
}

actors::connection_factory servers::factory() {
  return [this](const msg::server_entry& entry, msg::child_server_actor owner,
                uint64_t generation) -> msg::outcome<std::shared_ptr<mcp::connection>> {
    if (entry.name != "well" && !in.is_calm && in.luck.one_in(12))
      return msg::fault{msg::errc::server_start_failed, "there is no such program"};
    if (!injected.are_on())
      return std::shared_ptr<mcp::connection>{start(entry, owner, generation, {})};
    auto open = [&](mcp::connection_events heard) -> msg::outcome<std::shared_ptr<mcp::connection>> {
      return std::shared_ptr<mcp::connection>{start(entry, owner, generation, std::move(heard))};
    };
    return injected.put_on(entry.name, owner, generation, open);
  };
}

std::shared_ptr<simulated_server> servers::start(const msg::server_entry& entry, const msg::child_server_actor& owner,
                                                 uint64_t generation, std::optional<mcp::connection_events> heard) {
  auto made = std::make_shared<simulated_server>(*this, entry, owner, generation, std::move(heard));
  all.push_back(made);
  in.tell("starts " + entry.name);
  return made;
}

/// One that has something to do, rather.
std::shared_ptr<simulated_server> servers::any() {
  std::shared_ptr<simulated_server> found;
  for (int tries = 0; tries < 4 && !all.empty() && (!found || found->open_calls() == 0); ++tries)
    found = all[in.luck.below(all.size())];
  return found;
}

size_t servers::running() const {
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), [](auto& s) { return s->runs(); }));
}

/// One may be lost, and takes the place of a server for good: others have to have some left.
bool servers::loses_end(const simulated_server& of) {
  constexpr uint32_t places_least = 3;
  if (has_lost_end_ || in.is_calm || of.name() == "well" || at_once_max < places_least || !in.luck.one_in(8))
    return false;
  has_lost_end_ = true;
  std::erase_if(all, [&](auto& s) { return s.get() == &of; });
  return true;
}

bool servers::has_twins() const {
  std::set<std::string> names;
  return !std::all_of(all.begin(), all.end(),
                      [&](auto& s) { return !s->runs() || s->is_told_to_stop() || names.insert(s->name()).second; });
}

size_t servers::wanted() const {
  return static_cast<size_t>(
    std::count_if(all.begin(), all.end(), [](auto& s) { return s->runs() && !s->is_told_to_stop(); }));
}

msg::server_entries some_entries(chance luck) {
  chance of_transport{luck};
  msg::server_entries out;
  for (auto name : {"well", "a", "b", confirmed_server, foreign_server}) {
    msg::server_entry e;
    e.name = name;
    e.command = "simulated";
    if (e.name == foreign_server)
      e.trust = luck.one_of({msg::trust_level::unapproved, msg::trust_level::changed, msg::trust_level::rejected});
    else if (e.name != "well" && luck.one_in(4))
      e.args = {std::to_string(luck.below(2))};
    if (e.name != "well" && e.name != foreign_server && of_transport.one_in(2))
      e.transport = msg::transport_kind::automatic;
    if (e.name == "well" || e.name == foreign_server || !luck.one_in(12))
      out.push_back(std::move(e));
  }
  return out;
}

} // namespace simulation
