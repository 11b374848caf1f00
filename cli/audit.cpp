#include "cli/audit.hpp"

#include "audit/key.hpp"
#include "audit/line.hpp"
#include "audit/reader.hpp"
#include "audit/verify.hpp"
#include "cli/audit_follow.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "text/numbers.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

namespace cli {

namespace json = boost::json;

namespace {

using text::printable; // names come from others, and a terminal obeys some characters

std::string text_at(const json::object& line, std::string_view key) {
  auto* v = line.if_contains(key);
  return v && v->is_string() ? printable(v->get_string()) : std::string{};
}

std::string number_at(const json::object& line, std::string_view key, const char* unit) {
  auto* v = line.if_contains(key);
  if (!v || !v->is_number())
    return {};
  auto tenths = text::whole_part<int64_t>(std::round(v->to_number<double>() * 10));
  return tenths && *tenths >= 0 ? std::to_string(*tenths / 10) + "." + std::to_string(*tenths % 10) + unit
                                : std::string{};
}

std::string names_at(const json::object& line, std::string_view key) {
  auto* v = line.if_contains(key);
  if (!v || !v->is_array() || v->get_array().empty())
    return {};
  return std::to_string(v->get_array().size()) + (v->get_array().size() == 1 ? " tool" : " tools");
}

/// One line for people; empty: it is no line of the record.
std::string as_text(const std::string& raw) {
  json::error_code ec;
  auto value = json::parse(raw, ec);
  if (ec || !value.is_object())
    return {};
  auto& line = value.get_object();
  auto* success = line.if_contains("success");
  bool failed = success && success->is_bool() && !success->get_bool();
  auto tool =
    text_at(line, "server") + (line.contains("tool") && line.contains("server") ? "/" : "") + text_at(line, "tool");
  std::string out = text_at(line, "timestamp") + "  " + text_at(line, "event");
  for (auto& part : {text_at(line, "runId"), text_at(line, "clientId"), text_at(line, "executor"), tool,
                     text_at(line, "host"), text_at(line, "state"), names_at(line, "toolsCalled"),
                     number_at(line, "durationMs", " ms"), std::string{failed ? "failed" : ""}, text_at(line, "error")})
    if (!part.empty())
      out += "  " + part;
  return out;
}

/// As it is written: its digest is that of these bytes. A terminal gets the same JSON: what it would obey can only
/// stand in strings, where its escape means the same.
void print_line(const std::string& raw) {
  bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  std::cout << (is_terminal ? printable(raw) : raw) << "\n";
}

void print(const std::string& raw, output_form form) {
  if (form == output_form::json)
    print_line(raw);
  else if (auto text = as_text(raw); !text.empty())
    std::cout << text << "\n";
}

audit::place place_in(const config::settings& settings) {
  return audit::place_of(settings.audit.path, settings.state_folder);
}

/// Whether there can be a record at all; else it has said why not.
bool has_slot(const audit::place& where) {
  if (where.folder.empty())
    std::cerr << "code-executor: there is no audit log: HOME is not set; set stateDir or CODE_EXECUTOR_STATE_DIR\n";
  return !where.folder.empty();
}

json::array as_json(const std::vector<audit::finding>& findings) {
  json::array out;
  for (auto& f : findings)
    out.push_back(json::object{{"file", f.file}, {"line", f.line}, {"what", f.what}});
  return out;
}

void print(const std::vector<audit::finding>& findings, const char* kind) {
  for (auto& f : findings)
    std::cout << printable(f.file) << ":" << f.line << ": " << kind << printable(f.what) << "\n";
}

} // namespace

audit_words::audit_words(CLI::App& app)
  : command_(app.add_subcommand("audit", "read the audit log, or check that nobody has changed it")),
    tail_(command_->add_subcommand("tail", "show its last lines")),
    show_(command_->add_subcommand("show", "show all that belongs to a run")) {
  command_->require_subcommand(1);
  tail_->add_option("-n,--lines", lines_, "how many")->check(CLI::Range(size_t{1}, audit_lines_max));
  tail_->add_flag("-f,--follow", follows_, "go on with what is written, until interrupted");
  show_->add_option("run", run_, "its id: the runId of its lines")->required();
  auto* verify = command_->add_subcommand("verify", "find lines that were changed, or are missing or in another order");
  verify->add_option("path", path_, "a folder or a file; without it: those of the settings");
  for (auto* word : {tail_, show_, verify})
    word->add_flag("--json", as_json_,
                   word == verify ? "print one JSON document"
                                  : "print the lines as they are; on a terminal, with escapes for what it would obey");
}

bool audit_words::wanted() const { return command_->parsed(); }

int audit_words::run(const config::settings& settings) const {
  auto form = as_json_ ? output_form::json : output_form::text;
  if (tail_->parsed())
    return audit_tail(settings, lines_, follows_ ? tail_end::follow : tail_end::stop, form);
  return show_->parsed() ? audit_show(settings, run_, form) : audit_verify(settings, path_, form);
}

int audit_tail(const config::settings& settings, size_t lines, tail_end end, output_form form) {
  auto where = place_in(settings);
  if (!has_slot(where))
    return EXIT_FAILURE;
  for (auto& line : audit::last_lines(where, lines))
    print(line, form);
  if (end == tail_end::follow)
    follow_audit(where, [form](const std::string& line) { print(line, form); });
  return EXIT_SUCCESS;
}

int audit_show(const config::settings& settings, const std::string& run, output_form form) {
  auto where = place_in(settings);
  if (!has_slot(where))
    return EXIT_FAILURE;
  uint64_t count = 0;
  audit::lines_of_run(where, run, [&](const std::string& line) {
    ++count;
    print(line, form);
  });
  if (count == 0)
    std::cerr << "code-executor: the audit log has nothing of a run '" << printable(run)
              << "'; code-executor audit tail shows runs and their ids\n";
  return count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int audit_verify(const config::settings& settings, const std::string& path, output_form form) {
  msg::outcome<audit::verdict> checked;
  if (!path.empty())
    checked = audit::verify_path(path, audit::key_file(settings.state_folder));
  else if (auto where = place_in(settings); has_slot(where))
    checked = audit::verify(where, audit::key_file(settings.state_folder));
  else
    return EXIT_FAILURE;
  if (!checked.ok()) {
    std::cerr << "code-executor: " << printable(checked.error.message) << "\n";
    return exit_wrong_use;
  }
  auto& v = checked.value;
  if (form == output_form::json) {
    print_document(json::object{{"ok", v.ok()},
                                {"files", v.files},
                                {"lines", v.lines},
                                {"problemCount", v.problem_count},
                                {"problems", as_json(v.problems)},
                                {"notes", as_json(v.notes)}});
    return v.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  print(v.problems, "");
  print(v.notes, "note: ");
  std::cout << v.lines << " lines in " << v.files << (v.files == 1 ? " file: " : " files: ")
            << (v.ok() ? "whole" : std::to_string(v.problem_count) + (v.problem_count == 1 ? " problem" : " problems"))
            << "\n";
  return v.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace cli
