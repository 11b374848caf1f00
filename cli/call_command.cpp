#include "cli/call_command.hpp"

#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/program_file.hpp"
#include "cli/tool_call.hpp"
#include "cli/verb_process.hpp"
#include "config/units.hpp"
#include "messages/limits.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace cli {

using msg::errc;
using msg::fault;
using std::chrono::milliseconds;

namespace {

/// Of arguments that come on stdin: as much as a program may give.
constexpr size_t arguments_bytes_max = msg::limits::frame_bytes_max;

/// What is one JSON object, on stdin or as the only word. Null: it is not.
msg::outcome<msg::document> read_object(const std::vector<std::string>& words) {
  if (words.size() != 1 || (words[0] != stdin_name && !words[0].starts_with('{')))
    return msg::document{};
  auto text = words[0] == stdin_name ? read_text(words[0], arguments_bytes_max, "the largest message of a program")
                                     : msg::outcome<std::string>{words[0]};
  if (!text.ok())
    return std::move(text.error);
  auto parsed = msg::document::parse(text.value);
  if (!parsed.ok() || !parsed.value.value().is_object())
    return fault{errc::invalid_argument,
                 "the arguments are no JSON object" + (parsed.ok() ? "" : ": " + parsed.error.message)};
  return parsed;
}

} // namespace

call_words::call_words(CLI::App& app, bool& as_json) : command_(app.add_subcommand("call", "call a tool of a server")) {
  command_->add_option("server", server_, "name of the server")->required();
  command_->add_option("tool", tool_, "name of the tool")->required();
  command_
    ->add_option("arguments", arguments_,
                 "name=value, as the tool's schema has their types; or one JSON object; or -: a JSON object on stdin")
    ->type_name("NAME=VALUE");
  command_->add_option("--timeout", timeout_, "30s, 500ms, 2m, or seconds")->type_name("TIME");
  command_->add_option("--faults", faults_, "inject the faults of this plan, see docs/faults.md")->type_name("FILE");
  command_->add_flag("--json", as_json, "print the whole result as one JSON document");
  command_->footer("Example: code-executor call github list_issues repo=a/b state=open");
}

bool call_words::wanted() const { return command_->parsed(); }

int call_words::run(const config::environment& environment, const config::settings& settings,
                    const config::variable_lookup& variables, output_form form) const {
  auto wrong = [](const std::string& what) { return complain("call: " + what, exit_wrong_use); };
  auto& runs = settings.runs;
  auto time = timeout_.empty() ? runs.timeout : config::parse_duration(timeout_).value_or(milliseconds{0});
  if (time < msg::limits::run_timeout_min || time > runs.timeout_max)
    return wrong("--timeout: '" + timeout_ + "' is no time from " + std::to_string(msg::limits::run_timeout_min.count())
                 + "ms to " + std::to_string(runs.timeout_max.count() / 1'000)
                 + "s (security.maxTimeoutMs); write 30s, 2m, or seconds");
  auto object = read_object(arguments_);
  if (!object.ok())
    return wrong(object.error.message);
  bool is_object = object.value.value().is_object();
  call_to_make what{server_, tool_, std::move(object.value), is_object ? std::vector<std::string>{} : arguments_,
                    time,    form};
  return make_call(environment, with_plan(settings, faults_), variables, std::move(what));
}

} // namespace cli
