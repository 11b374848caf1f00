#include "cli/run_command.hpp"

#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/program_file.hpp"
#include "cli/program_run.hpp"
#include "cli/serve_settings.hpp"
#include "cli/verb_process.hpp"
#include "config/units.hpp"
#include "proxy/surface/arguments.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>

#include <utility>

namespace cli {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using msg::language;

run_words::run_words(CLI::App& app, bool& as_json)
  : command_(app.add_subcommand("run", "run a program, which calls the tools of your servers; its output goes to "
                                       "stderr as it comes, its result to stdout")) {
  file_option_ = command_->add_option("file", file_, "the program, .ts, .js or .py; -: stdin")->type_name("FILE");
  code_option_ =
    command_->add_option("-e,--eval", code_, "the program itself")->type_name("CODE")->excludes(file_option_);
  auto* python = command_->add_flag("--python", is_python_, "it is Python, whatever its name");
  command_->add_flag("--typescript", is_typescript_, "it is TypeScript or JavaScript")->excludes(python);
  auto* allow = command_
                  ->add_option("--allow", allow_,
                               "it may call tools with such a name alone (mcp__github__*); may be given several times")
                  ->allow_extra_args(false)
                  ->type_name("PATTERN");
  command_->add_flag("--no-tools", has_no_tools_, "it may call no tool")->excludes(allow);
  command_->add_option("--timeout", timeout_, "30s, 500ms, 2m, or seconds")->type_name("TIME");
  command_->add_option("--read", read_, "it may read that, as far as the settings allow it")
    ->allow_extra_args(false)
    ->type_name("PATH");
  command_->add_option("--write", write_, "it may write that, likewise")->allow_extra_args(false)->type_name("PATH");
  command_->add_option("--net", net_, "it may connect to that host, likewise")
    ->allow_extra_args(false)
    ->type_name("HOST");
  command_->add_flag("--type-check", checks_types_, "TypeScript: nothing is run if the types do not fit the tools");
  command_->add_option("--faults", faults_, "inject the faults of this plan, see docs/faults.md")->type_name("FILE");
  command_->add_flag("--json", as_json, "print the report of the run as one JSON document");
  command_->footer("Example: code-executor run -e \"return await mcp.github.list_issues({repo: 'a/b'})\"");
}

bool run_words::wanted() const { return command_->parsed(); }

msg::outcome<language> run_words::language() const {
  if (is_python_ || is_typescript_)
    return is_python_ ? language::python : language::typescript;
  if (code_option_->count() > 0 || file_ == stdin_name)
    return language::typescript;
  if (auto named = language_of(file_))
    return *named;
  return fault{errc::invalid_argument,
               file_ + ": which language is it? Its name does not say: add --python or --typescript"};
}

msg::outcome<json::object> run_words::arguments(const config::settings& settings, msg::language lang) const {
  json::object out;
  if (code_option_->count() > 0) {
    out["code"] = code_;
  } else {
    auto code = read_text(file_, settings.runs.code_bytes_max, "security.maxCodeSize");
    if (!code.ok())
      return std::move(code.error);
    out["code"] = without_shebang(std::move(code.value), lang);
  }
  auto list = [](const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); };
  if (!allow_.empty() || has_no_tools_)
    out["allowedTools"] = list(allow_);
  if (!timeout_.empty()) {
    auto time = config::parse_duration(timeout_);
    if (!time)
      return fault{errc::invalid_argument,
                   "--timeout: '" + timeout_ + "' is no time; write 30s, 500ms, 2m, or seconds"};
    out["timeoutMs"] = time->count();
  }
  if (!read_.empty() || !write_.empty() || !net_.empty())
    out["permissions"] = json::object{{"read", list(read_)}, {"write", list(write_)}, {"net", list(net_)}};
  if (checks_types_)
    out["typeCheck"] = true;
  return out;
}

int run_words::run(const config::environment& environment, const config::settings& settings,
                   const config::variable_lookup& variables, output_form form) const {
  auto wrong = [](const std::string& what) { return complain("run: " + what, exit_wrong_use); };
  if (file_option_->count() + code_option_->count() == 0)
    return wrong("which program? `run FILE`, `run -e CODE`, or `run -` for stdin");
  auto lang = language();
  if (!lang.ok())
    return wrong(lang.error.message);
  auto given = arguments(settings, lang.value);
  if (!given.ok())
    return wrong(given.error.message);
  auto* tool = surface::find_tool(lang.value == language::python ? "run-python-code" : "run-typescript-code");
  auto parsed = surface::parse_run(*tool, given.value, run_limits_of(settings));
  if (!parsed.ok())
    return wrong(parsed.error.message);
  program_to_run what{tool->name, std::move(given.value), std::chrono::milliseconds{parsed.value.request.timeout_ms},
                      form};
  return run_program(environment, with_plan(settings, faults_), variables, std::move(what));
}

} // namespace cli
