#include "cli/tool_call.hpp"

#include "actors/bridge/ask.hpp"
#include "actors/bridge/background.hpp"
#include "actors/client/run_intake.hpp"
#include "actors/run/record.hpp"
#include "cli/confirm.hpp"
#include "cli/exit_codes.hpp"
#include "cli/recordings.hpp"
#include "cli/verb_process.hpp"
#include "faults/injector.hpp"
#include "messages/limits.hpp"
#include "process/offload.hpp"
#include "proxy/names.hpp"
#include "proxy/word_arguments.hpp"
#include "text/json_text.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <caf/all.hpp>

#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace cli {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// The call has a number like that of a run, and none else is in this process.
constexpr uint64_t run_number = 1;
constexpr msg::call_key only_call{run_number, 1};
/// A server may have to be started to know what a tool takes.
constexpr milliseconds description_max = msg::limits::child_handshake_timeout_max + milliseconds{30'000};
/// Its name in the record.
constexpr auto call_name_in_record = "code-executor call";

const json::string* text_member(const json::object& in, std::string_view name) {
  auto* found = in.if_contains(name);
  return found ? found->if_string() : nullptr;
}

/// What a block says to who reads text; empty: nothing.
std::string text_of_block(const json::value& block) {
  auto* object = block.if_object();
  if (!object)
    return {};
  if (auto* text = text_member(*object, "text"))
    return std::string{*text};
  if (auto* uri = text_member(*object, "uri"))
    return std::string{*uri};
  auto* resource = object->if_contains("resource");
  return resource ? text_of_block(*resource) : std::string{};
}

class tool_call final : public verb_process {
public:
  tool_call(verb_parts parts, call_to_make what) : verb_process(std::move(parts)), what_(std::move(what)) {}

private:
  void adapt(actors::supervisor_options& o) override {
    o.configuration.watch = nullptr; // what is configured now counts
    o.servers_started = [this](const msg::connector_actor& connector, const msg::audit_log_actor& record) {
      connector_ = connector;
      record_ = record;
    };
  }

  void forget_actors() override {
    connector_ = nullptr;
    record_ = nullptr;
  }

  void interrupted() override { cancel(); }

  void cancel() {
    if (!connector_)
      return;
    caf::anon_send(connector_, msg::cancel_atom::value, only_call);
    caf::anon_send(connector_, msg::finish_atom::value, run_number);
  }

  msg::tool_ref tool() const { return {{}, what_.server, what_.tool, msg::child_method::call_tool, 0}; }

  asio::awaitable<int> carry_out() override {
    if (is_nested())
      co_return fails(client::nested_refusal());
    if (what_.arguments.value().is_null()) {
      auto known = co_await bridge::ask<msg::outcome<msg::tool_info>>(
        dependencies_.port, connector_, description_max, msg::describe_atom::value, tool(), msg::tool_filter());
      auto wrong = take_words(known.ok() ? std::move(known.value) : msg::outcome<msg::tool_info>{known.error});
      if (wrong != EXIT_SUCCESS)
        co_return wrong;
    }
    auto answer = co_await call();
    if (answer.error.code == errc::not_approved) {
      auto agreed = co_await ask_person(answer.error);
      if (agreed)
        answer = co_await call();
    }
    tell_record(answer);
    tell_faults();
    if (!answer.ok())
      co_return fails(answer.error);
    co_return co_await show(answer.value);
  }

  int take_words(const msg::outcome<msg::tool_info>& known) {
    if (!known.ok())
      return fails(known.error);
    auto* definition = known.value.definition.value().if_object();
    auto* schema = definition ? definition->if_contains("inputSchema") : nullptr;
    auto arguments = proxy::read_word_arguments(what_.words, schema ? *schema : json::value{});
    if (!arguments.ok()) {
      complain("call: " + proxy::full_name(known.value.server, known.value.name) + ": " + arguments.error.message);
      return exit_wrong_use;
    }
    what_.arguments = msg::document{json::value(std::move(arguments.value))};
    return EXIT_SUCCESS;
  }

  asio::awaitable<msg::outcome<msg::tool_result>> call() {
    msg::tool_request asked;
    asked.key = only_call;
    asked.tool = tool();
    asked.arguments = what_.arguments;
    asked.patience_ms = static_cast<uint32_t>(what_.timeout.count());
    asked.agreed = agreed_;
    if (dependencies_.faults)
      watcher_of(dependencies_.faults, dependencies_.recordings.to)(asked.tool, asked.arguments);
    begun_ = steady_clock::now();
    auto answer = co_await bridge::ask<msg::outcome<msg::tool_result>>(dependencies_.port, connector_, what_.timeout,
                                                                       msg::call_atom::value, std::move(asked));
    if (answer.ok())
      co_return std::move(answer.value);
    cancel();
    auto time = std::to_string(what_.timeout.count());
    co_return fault{errc::call_timeout, "it was not answered within " + time + " ms (--timeout)"}.at(what_.server,
                                                                                                     what_.tool);
  }

  /// security.confirm: whoever types is the person.
  asio::awaitable<bool> ask_person(const fault& what) {
    if (!is_attended())
      co_return false;
    auto name = proxy::full_name(what.server, what.tool);
    auto ask = [name] {
      std::cout << text::printable(name) << " needs your approval (security.confirm).\n";
      return person_approves();
    };
    auto said = co_await process::offload(threads_.host.get_executor(), std::move(ask));
    if (said.ok() && said.value)
      agreed_ = {what.server, what.tool};
    co_return said.ok() && said.value;
  }

  /// As a program's call, but for the run that there is not.
  void tell_record(const msg::outcome<msg::tool_result>& answer) {
    msg::run_request of;
    of.id = run_number;
    of.client_name = call_name_in_record;
    actors::run::open_call call;
    call.ref = tool();
    call.arguments = actors::run::keep_arguments(what_.arguments, nullptr);
    call.server = answer.ok() ? answer.value.server : answer.error.server;
    auto& named = answer.ok() ? answer.value.tool : answer.error.tool;
    call.full_name =
      proxy::full_name(call.server.empty() ? what_.server : call.server, named.empty() ? what_.tool : named);
    auto took = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begun_);
    actors::run::record lines;
    auto line = lines.of_call(of, call, failure_of(answer), took);
    if (line && settings_.audit.enabled)
      caf::anon_send(record_, msg::audit_atom::value, std::move(*line));
  }

  void tell_faults() {
    if (!dependencies_.faults)
      return;
    for (auto& [kind, count] : dependencies_.faults->counts())
      if (count > 0)
        notes_.note("injected: " + std::string{kind} + " " + std::to_string(count));
  }

  static fault failure_of(const msg::outcome<msg::tool_result>& answer) {
    if (!answer.ok() || !is_error(answer.value))
      return answer.error;
    return {errc::tool_failed, texts_of(answer.value)};
  }

  static const json::object& result_of(const msg::tool_result& answer) {
    static const json::object none;
    auto* object = answer.envelope.value().if_object();
    return object ? *object : none;
  }

  static bool is_error(const msg::tool_result& answer) {
    auto* said = result_of(answer).if_contains("isError");
    return said && *said == json::value(true);
  }

  static std::string texts_of(const msg::tool_result& answer) {
    std::string out;
    auto* content = result_of(answer).if_contains("content");
    if (content && content->is_array())
      for (auto& block : content->get_array())
        if (auto text = text_of_block(block); !text.empty())
          out += text.ends_with('\n') ? text : text + "\n";
    return out;
  }

  /// Blocks that are not text: there is nothing of them on stdout.
  void tell_others(const msg::tool_result& answer) {
    auto* content = result_of(answer).if_contains("content");
    if (!content || !content->is_array())
      return;
    for (auto& block : content->get_array())
      if (auto* object = block.if_object(); object && text_of_block(block).empty() && !text_member(*object, "text")) {
        auto* type = text_member(*object, "type");
        notes_.note("[" + std::string{type ? std::string_view{*type} : "a block"} + ": --json prints it]");
      }
  }

  asio::awaitable<int> show(const msg::tool_result& answer) {
    if (!answer.warning.empty())
      notes_.note("Warning: " + answer.warning + ".");
    auto failed = is_error(answer);
    auto& result = result_of(answer);
    auto* structured = result.if_contains("structuredContent");
    std::string text;
    if (what_.form == output_form::json) {
      text = text::printable(text::to_text(answer.envelope.value())) + "\n";
    } else if (failed) {
      auto said = texts_of(answer);
      notes_.note(said.empty() ? text::to_text(result) : said);
    } else {
      tell_others(answer);
      text =
        structured ? text::printable(text::to_text(*structured)) + "\n" : shown_to(STDOUT_FILENO, texts_of(answer));
    }
    auto printed = co_await print(std::move(text));
    co_return failed ? EXIT_FAILURE : printed;
  }

  int fails(const fault& why) {
    std::string near;
    for (auto& name : why.suggestions)
      near += (near.empty() ? "" : ", ") + name;
    bool is_said = near.empty() || why.message.find(why.suggestions.front()) != std::string::npos;
    complain("call: " + why.message + (is_said ? "" : "; nearest: " + near));
    return EXIT_FAILURE;
  }

  call_to_make what_;
  msg::connector_actor connector_;
  msg::audit_log_actor record_;
  msg::consent agreed_;
  steady_clock::time_point begun_;
};

} // namespace

int make_call(const config::environment& environment, const config::settings& settings,
              const config::variable_lookup& variables, call_to_make what) {
  auto own = settings_of_verb(settings);
  return run_verb(environment, own, variables, {}, [&what](verb_parts parts) {
    return tool_call{std::move(parts), std::move(what)}.run();
  });
}

} // namespace cli
