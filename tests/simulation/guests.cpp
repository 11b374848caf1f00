#include "tests/simulation/guests.hpp"

#include "messages/limits.hpp"
#include "tests/simulation/rights.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace simulation {

namespace json = boost::json;

namespace {

constexpr int hexadecimal = 16;
constexpr int killed_code = 137;
/// Of a value that a program saves: so much that its sandbox is told. What holds it takes twice of it at most.
constexpr size_t large_bytes = msg::limits::held_bytes_step + msg::limits::held_bytes_step / 2;
/// All that a program without such values makes the server hold.
constexpr uint64_t small_bytes_max = 64u << 10;
constexpr std::array<std::string_view, 7> methods_of_discovery{"search",   "servers",     "schema",     "signature",
                                                               "discover", "memory_save", "memory_load"};

program read_program(std::string_view code) {
  program p;
  constexpr std::string_view head = "// run ";
  if (!code.starts_with(head))
    return p;
  code.remove_prefix(head.size());
  auto space = code.find(' ');
  uint64_t luck = 0;
  auto number = code.substr(space + 1);
  std::from_chars(number.data(), number.data() + number.size(), luck, hexadecimal);
  p.mark = code.substr(0, space);
  p.luck = chance{luck};
  p.is_plain = number == "plain";
  p.left = p.is_plain ? 1 : p.luck.below(10);
  p.at_once = 1 + p.luck.below(3);
  if (!p.is_plain && p.luck.one_in(6)) {
    p.writes = true;
    p.announces = p.luck.one_in(8) ? all_agreed : 1 + p.luck.below(3);
    p.left = 3 + p.luck.below(5);
  }
  p.is_over = false;
  return p;
}

} // namespace

simulated_guest::simulated_guest(guests& all, msg::guest_request wish, msg::sandbox_actor owner)
  : all_(all),
    world_(all.in),
    wish_(std::move(wish)),
    owner_(std::move(owner)),
    line_(all.in.new_line()),
    hears_(all.in.new_line()) {}

void simulated_guest::later(std::function<void()> act) {
  world_.later(0, [me = shared_from_this(), act = std::move(act)] {
    if (me->lives() && (!me->hangs_ || me->world_.is_calm))
      act();
  });
}

void simulated_guest::begin() { say({{"type", "ready"}}); }

void simulated_guest::say(json::object frame) {
  world_.later(line_, [me = shared_from_this(), frame = std::move(frame)]() mutable {
    if (me->owner_)
      caf::anon_send(me->owner_, msg::frame_atom::value, msg::document{json::value(std::move(frame))});
  });
}

void simulated_guest::hold_at_most(uint64_t bytes_max, uint64_t elsewhere) {
  elsewhere_ = elsewhere;
  if (bytes_max > 0 && elsewhere > bytes_max)
    die(killed_code);
}

bool simulated_guest::send(msg::spliced_text frame) {
  if (!lives())
    return false;
  auto told = json::parse(frame.text()).as_object();
  if (auto* id = told.if_contains("id"))
    if (auto asked = open_.find(id->as_int64()); asked != open_.end()) {
      asked->second.is_told = true;
      check_held_bytes();
    }
  world_.later(hears_, [me = shared_from_this(), told = std::move(told)] {
    if (me->lives())
      me->hear(told);
  });
  return true;
}

/// What is held is that of requests that have no answer; less than a step is not told.
void simulated_guest::check_held_bytes() {
  uint64_t most = small_bytes_max + msg::limits::held_bytes_step;
  for (auto& [id, asked] : open_)
    if (!asked.is_told)
      most += 2 * asked.bytes;
  world_.expect(elsewhere_ <= most, std::to_string(elsewhere_) + " bytes are held for a program whose requests need "
                                      + std::to_string(most) + " at most");
}

void simulated_guest::check_calls_of_dead() {
  if (!has_program() || program_.is_over)
    return;
  for (auto& [id, asked] : open_)
    world_.expect(asked.is_told || !world_.dead_calls.contains({program_.mark, asked.number}),
                  "a call is not answered although its server has died");
}

msg::guest_output simulated_guest::collect() {
  world_.expect(open_.empty() || program_.is_over, "the output of a program is collected before it has ended");
  program_.mark.clear();
  msg::guest_output out;
  out.output.head = "printed\n";
  return out;
}

msg::guest_output simulated_guest::finish() {
  die(killed_code);
  return collect();
}

/// How it has ended comes after all that it has said.
void simulated_guest::die(int code) {
  if (!lives())
    return;
  is_ending_ = true;
  program_.is_over = true;
  msg::guest_exit how;
  how.code = code;
  auto heard = [me = shared_from_this(), how] {
    if (auto to = std::exchange(me->owner_, nullptr))
      caf::anon_send(to, msg::exit_atom::value, how);
    std::erase(me->all_.all, me);
  };
  if (!world_.is_calm && world_.luck.one_in(30))
    world_.late.emplace_back(heard);
  else
    world_.later(line_, heard);
}

void simulated_guest::hear(const json::object& frame) {
  auto type = std::string{frame.at("type").as_string()};
  if (type == "warm_up")
    say({{"type", "warm"}});
  else if (type == "run")
    run(frame);
  else if (type == "reply")
    take_reply(frame);
  else
    world_.broken("a guest is told an unknown frame: " + json::serialize(frame));
}

void simulated_guest::kill_actor() {
  if (owner_)
    caf::anon_send_exit(owner_, caf::exit_reason::kill);
}

/// A guest serves one run, or the runs of one session of one owner.
void simulated_guest::check_owner(const json::object& frame) {
  auto& run = world_.runs[program_.mark];
  ++run.begins;
  ++programs_;
  world_.expect(run.session == wish_.session, "a program gets a guest of another session than it has asked for");
  world_.expect(run.session.empty() || run.owner == wish_.owner, "a program gets a guest of another owner");
  world_.expect(programs_ == 1 || is_of_session(), "a guest gets a second program");
  world_.expect(frame.contains("keep") == is_of_session(), "a guest is not told whether it stays");
}

void simulated_guest::run(const json::object& frame) {
  world_.expect(program_.mark.empty(), "a guest gets a program while it has another one");
  world_.expect(program_.is_over, "a guest gets a program before the last one is over");
  program_ = read_program(std::string{frame.at("code").as_string()});
  world_.expect(!program_.mark.empty(), "a guest gets a program that no client has sent");
  world_.expect(elsewhere_ == 0, "bytes are held for a program that has not begun");
  world_.tell("begins " + program_.mark);
  open_.clear();
  check_owner(frame);
  if (frame.contains("keep"))
    say({{"type", "begun"}});
  go_on();
}

void simulated_guest::go_on() {
  if (program_.is_over)
    return;
  while (program_.left > 0 && open_.size() < program_.at_once && !program_.is_announcing) {
    --program_.left;
    ask_something();
    if (program_.is_over)
      return;
  }
  if (open_.empty() && program_.left == 0)
    later([this, of = program_.mark] {
      if (of == program_.mark)
        end_program();
    });
}

void simulated_guest::ask_something() {
  question asked;
  auto params = program_.is_plain        ? plain_call(asked)
                : program_.announces > 0 ? announcement(asked)
                : program_.writes        ? confirmed_call(asked)
                                         : something(asked);
  auto id = ++last_id_;
  if (asked.method == "display")
    return say({{"type", "display"}, {"block", std::move(params)}});
  asked.number = static_cast<uint64_t>(id);
  open_.emplace(id, asked);
  world_.tell(program_.mark + " asks for " + asked.method + " " + asked.server);
  say({{"type", "request"}, {"id", id}, {"method", asked.method}, {"params", std::move(params)}});
}

/// What it asks for, mostly a call of a tool.
json::object simulated_guest::something(question& asked) {
  switch (program_.luck.below(12)) {
    case 0: asked.method = "ask"; return {{"message", "which one?"}};
    case 1: {
      asked.method = "sample";
      json::object message{{"role", "user"}, {"content", "hello of " + program_.mark}};
      return {{"messages", {std::move(message)}}, {"maxTokens", 20}};
    }
    case 2: {
      asked.method = methods_of_discovery[program_.luck.below(methods_of_discovery.size())];
      json::object params{{"query", "echo"}, {"search", "echo"}, {"server", "well"},
                          {"tool", "echo"},  {"key", "k"},       {"value", 1}};
      if (asked.method == "memory_save" && program_.luck.one_in(2)) {
        asked.bytes = large_bytes;
        params["value"] = std::string(large_bytes, 'x');
      }
      return params;
    }
    case 3: asked.method = "display"; return {{"type", "text"}, {"text", std::string(200, 'x')}};
    default: return call(asked);
  }
}

json::object simulated_guest::plain_call(question& asked) {
  asked.method = "call";
  asked.server = "well";
  return {{"server", "well"}, {"tool", "echo"}, {"args", {{"mark", program_.mark}, {"number", last_id_ + 1}}}};
}

/// Nothing else is done before it is answered.
json::object simulated_guest::announcement(question& asked) {
  asked.method = "approve";
  program_.is_announcing = true;
  auto count = world_.runs[program_.mark].announced = std::exchange(program_.announces, 0);
  if (count == all_agreed)
    return {};
  return {{"summary", std::string{confirmed_tool} + " x " + std::to_string(count)}};
}

json::object simulated_guest::confirmed_call(question& asked) {
  asked.method = "call";
  asked.server = confirmed_server;
  return {{"server", asked.server}, {"tool", "write"}, {"args", {{"mark", program_.mark}, {"number", last_id_ + 1}}}};
}

json::object simulated_guest::call(question& asked) {
  auto& luck = program_.luck;
  asked.method = "call";
  asked.server = luck.one_of({"well", "well", "a", "a", "a", "b", "b"});
  if (luck.one_in(15))
    asked.server = luck.one_of({"nobody", foreign_server});
  auto tool = luck.one_of({"echo", "echo", "echo", "write"});
  if (luck.one_in(8)) {
    asked.server = confirmed_server;
    tool = "write";
  }
  if (luck.one_in(12))
    tool = "gone";
  json::object arguments{{"mark", program_.mark}, {"number", last_id_ + 1}};
  if (luck.one_in(12))
    arguments["number"] = "no number"; // what the schema does not permit
  return {{"server", asked.server}, {"tool", tool}, {"args", std::move(arguments)}};
}

void simulated_guest::take_reply(const json::object& frame) {
  auto asked = open_.extract(frame.at("id").as_int64());
  if (program_.is_over)
    return;
  if (!asked)
    return world_.broken("a guest gets an answer to what it has not asked, or a second one");
  auto& q = asked.mapped();
  check_reply(q, frame);
  go_on();
}

void simulated_guest::check_reply(const question& asked, const json::object& frame) {
  auto* error = frame.if_contains("error");
  ++(error ? program_.bad : program_.good);
  if (asked.method == "approve") {
    program_.is_announcing = false;
    world_.runs[program_.mark].announced = 0;
  }
  if (error) {
    world_.tell(program_.mark + " fails " + std::string{error->at("code").as_string()});
    auto text = json::serialize(*error);
    for (auto& end : world_.old_ends)
      world_.expect(text.find(end) == text.npos, "the end of an old process is told as that of a later one: " + text);
    if (asked.server == "well")
      check_fault_of_well(error->as_object());
    return;
  }
  world_.tell(program_.mark + " has " + asked.method);
  if (asked.method != "call")
    return;
  auto text = json::serialize(frame.at("result"));
  if (world_.has_faults && asked.server != "well") // which change what is answered
    return check_whose(text);
  auto own = "echo " + program_.mark + " " + std::to_string(asked.number) + " of " + asked.server;
  world_.expect(text.find(own) != text.npos, "a program gets another answer than its own: " + text + ", not " + own);
}

/// Whatever faults have left of it.
void simulated_guest::check_whose(const std::string& text) {
  constexpr std::string_view head = "echo r";
  for (auto at = text.find(head); at != text.npos; at = text.find(head, at + 1)) {
    auto mark = text.substr(at + head.size() - 1);
    auto end = mark.find_first_not_of("rx0123456789");
    if (end != mark.npos && mark[end] == ' ') // else it is cut off
      world_.expect(mark.substr(0, end) == program_.mark, "a program gets the answer of another one: " + text);
  }
}

/// Nothing is wrong with that server: what fails is of the call, or of the run.
void simulated_guest::check_fault_of_well(const json::object& error) {
  auto code = std::string{error.at("code").as_string()};
  constexpr std::array<std::string_view, 8> never{"server_died",        "server_start_failed", "server_unavailable",
                                                  "protocol_violation", "unknown_server",      "tool_failed",
                                                  "tool_changed",       "call_timeout"};
  if (!world_.was_disturbed && std::find(never.begin(), never.end(), code) != never.end())
    world_.broken("a call of the server that is well fails: " + json::serialize(error));
}

void simulated_guest::end_program() {
  if (program_.is_over)
    return;
  if (!world_.is_calm && program_.luck.one_in(15))
    return; // never ends
  program_.is_over = true;
  world_.tell(program_.mark + " is over");
  switch (program_.luck.below(world_.is_calm ? 6 : 9)) {
    case 6: return die(static_cast<int>(program_.luck.below(3)));
    case 7: return say({{"type", "nonsense"}});
    case 8: return say({{"type", "done"}, {"error", {{"name", "Error"}, {"message", "of the program"}}}});
    default:
      say({{"type", "done"}, {"result", {{"mark", program_.mark}, {"good", program_.good}, {"bad", program_.bad}}}});
  }
}

actors::guest_factory guests::factory() {
  return
    [this](const msg::guest_request& wish, msg::sandbox_actor owner) -> msg::outcome<std::shared_ptr<sandbox::guest>> {
      if (start_fails && !in.is_calm && in.luck.one_in(3))
        return msg::fault{msg::errc::overloaded, "no more processes"};
      auto made = std::make_shared<simulated_guest>(*this, wish, std::move(owner));
      all.push_back(made);
      made->begin();
      return std::shared_ptr<sandbox::guest>{made};
    };
}

size_t guests::alive() const {
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), [](auto& g) { return g->lives(); }));
}

std::shared_ptr<simulated_guest> guests::any() { return all.empty() ? nullptr : all[in.luck.below(all.size())]; }

} // namespace simulation
