// A session of a client, and those that it works with.
#pragma once

#include "actors/client_session.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/unexpected.hpp"
#include "tests/unit/support/values.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <map>
#include <set>

namespace testing_support {

using namespace std::literals;
namespace json = boost::json;
namespace limits = msg::limits;
using kept_answer = msg::outcome<msg::artifact_answer>;

struct client_session_test : deterministic {
  std::vector<json::object> answers;
  std::vector<msg::artifact_request> asked; ///< of the store of outputs
  std::vector<caf::typed_response_promise<kept_answer>> open;
  msg::run_report report; ///< of every run
  msg::admission_actor admission;
  msg::artifacts_actor outputs;
  msg::client_session_actor session;
  msg::connector_actor connector;
  std::vector<caf::typed_response_promise<msg::server_list>> looking_up; ///< servers
  size_t runs = 0;
  bool goes_on = false; ///< every run, until going_on is answered
  std::vector<caf::typed_response_promise<msg::run_report>> going_on;
  std::vector<uint64_t> cancelled, ids;

  client_session_test() {
    connector = sys.spawn([this](msg::connector_actor::pointer s) { return look_up_later(s); });
    admission = sys.spawn([this](msg::admission_actor::pointer s) { return report_at_once(s); });
    outputs = sys.spawn([this](msg::artifacts_actor::pointer s) { return keep_waiting(s); });
    session = connect(1);
    report.status = msg::run_status::success;
    initialize();
  }
  /// Of all clients.
  std::shared_ptr<mcp::request_number> numbers = std::make_shared<mcp::request_number>(0);

  /// For so many messages there is no memory.
  size_t unsendable = 0;

  msg::client_session_actor connect(uint32_t number) {
    actors::client_session_options o;
    o.admission = admission;
    o.outputs = outputs;
    o.connector = connector;
    o.connection = number;
    o.numbers = numbers;
    o.send = [this](mcp::outgoing sent) {
      if (unsendable > 0 && unsendable-- > 0)
        throw std::bad_alloc{};
      answers.push_back(json::parse(sent.text.text()).as_object());
    };
    return sys.spawn(actors::client_session, std::move(o));
  }
  void initialize() {
    says(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
    answers.clear();
  }
  ~client_session_test() override {
    open.clear();
    looking_up.clear();
    self->send_exit(connector, caf::exit_reason::user_shutdown);
    connector = nullptr;
    self->send_exit(session, caf::exit_reason::user_shutdown);
    self->send_exit(admission, caf::exit_reason::user_shutdown);
    self->send_exit(outputs, caf::exit_reason::user_shutdown);
    session = nullptr;
    admission = nullptr;
    outputs = nullptr;
    settle();
  }
  msg::admission_actor::behavior_type report_at_once(msg::admission_actor::pointer s) {
    return {
      [this, s](msg::run_atom, const msg::run_request& run, const msg::run_listener&) -> caf::result<msg::run_report> {
        ++runs;
        ids.push_back(run.id);
        return goes_on
                 ? caf::result<msg::run_report>{going_on.emplace_back(s->make_response_promise<msg::run_report>())}
                 : report;
      },
      [this](msg::cancel_atom, uint64_t run) { cancelled.push_back(run); },
      [](msg::rest_atom, uint64_t) { return true; },
      [](msg::go_on_atom, uint64_t) {},
      [](msg::tick_atom, uint64_t) {},
      [](msg::status_atom) { return unexpected("status", msg::admission_status{}); },
      [](msg::stop_atom) { return unexpected("stop", true); },
      [this](msg::deadline_atom, uint64_t) { // the test's word for: it has ended
        for (auto& promise : std::exchange(going_on, {}))
          promise.deliver(report);
      },
    };
  }
  /// What it was told of the run meanwhile: numbers and words.
  std::vector<std::pair<double, std::string>> progress() const {
    std::vector<std::pair<double, std::string>> all;
    for (auto& said : answers)
      if (said.contains("method") && said.at("method") == "notifications/progress")
        all.emplace_back(said.at("params").at("progress").to_number<double>(),
                         said.at("params").at("message").as_string());
    return all;
  }
  msg::connector_actor::behavior_type look_up_later(msg::connector_actor::pointer s) {
    using tool = msg::outcome<msg::tool_info>;
    return {
      [](msg::attach_atom, uint64_t, const msg::client_abilities&) {},
      [](msg::reload_atom, const msg::server_entries&) { return unexpected("reload", msg::server_changes{}); },
      [](msg::describe_atom, const msg::tool_ref&, const msg::tool_filter&) { return unexpected("describe", tool{}); },
      [](msg::observe_atom, const msg::tool_ref&, const msg::document&) { unexpected("observe"); },
      [](msg::call_atom, const msg::tool_request&) { return unexpected("call", msg::outcome<msg::tool_result>{}); },
      [](msg::login_atom, const msg::login_request&) { return unexpected("login", msg::outcome<bool>{true}); },
      [](msg::cancel_atom, msg::call_key) { unexpected("cancel"); },
      [](msg::finish_atom, uint64_t) { unexpected("finish"); },
      [](msg::phase_atom, const std::vector<msg::tool_ref>&) {
        return unexpected("phase", std::vector<msg::server_start>{});
      },
      [](msg::search_atom, const msg::tool_query&) { return unexpected("search", msg::outcome<msg::tool_matches>{}); },
      [this, s](msg::servers_atom) -> caf::result<msg::server_list> {
        return looking_up.emplace_back(s->make_response_promise<msg::server_list>());
      },
      [](msg::servers_atom, const msg::tool_filter&) { return unexpected("servers", msg::server_list{}); },
      [](msg::tools_atom, const std::string&, const msg::listed_tools&) {
        return unexpected("tools", msg::outcome<std::vector<std::string>>{});
      },
      [this](msg::running_atom, const std::string& name, bool) { // the test's word for: there is that server
        msg::server_status found;
        found.name = name;
        for (auto& promise : std::exchange(looking_up, {}))
          promise.deliver(msg::server_list{found});
      },
      [](msg::checked_atom, uint64_t, const msg::fault&) { unexpected("checked"); },
      [](msg::index_atom, const std::string&) { return unexpected("index", msg::outcome<uint32_t>{0}); },
      [](msg::stop_atom) { return unexpected("stop", true); },
    };
  }
  /// A run that names a server, which is looked up first.
  void run_with_server() {
    says(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_python","arguments":{"code":"1","servers":["kid"]}}})");
  }
  void found(std::string name) {
    caf::anon_send(connector, msg::running_atom::value, std::move(name), true);
    settle();
  }
  msg::artifacts_actor::behavior_type keep_waiting(msg::artifacts_actor::pointer s) {
    return {
      [this, s](msg::outputs_atom, const msg::artifact_request& request) -> caf::result<kept_answer> {
        asked.push_back(request);
        open.push_back(s->make_response_promise<kept_answer>());
        return open.back();
      },
      [](msg::cancel_atom, uint64_t) { unexpected("cancel"); },
      [this](msg::reply_atom, uint64_t number, const kept_answer& answer) { open.at(number).deliver(answer); },
    };
  }
  /// The store's answer to the request of that number.
  void answer(uint64_t number, kept_answer how) {
    caf::anon_send(outputs, msg::reply_atom::value, number, std::move(how));
    settle();
  }
  void says(std::string_view text) {
    caf::anon_send(session, msg::received_atom::value, msg::document{json::parse(text)}, uint64_t{0});
    settle();
  }
  void run() {
    says(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run-python-code","arguments":{"code":"1","timeoutMs":20000}}})");
  }
  /// Of revision 2026-07-28; `more` are members of its parameters.
  void call_without_handshake(const std::string& id, const std::string& more = "") {
    says(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{)" + more
         + R"("name":"run-python-code","arguments":{"code":"1"},"_meta":{)"
           R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}})");
  }
  /// In the middle of the last run.
  void ask_its_model() {
    caf::anon_send(session, msg::sample_atom::value, msg::call_key{ids.back(), 1}, msg::model_request{});
    settle();
  }
  const json::value& structured() const { return answers.at(0).at("result").at("_meta").at("code-executor/report"); }
};

} // namespace testing_support
