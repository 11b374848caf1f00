#include "cli/setup_report.hpp"

#include "cli/print_document.hpp"
#include "setup/running.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace cli {

namespace json = boost::json;
using setup::entry_change;

namespace {

/// Where there is no terminal.
constexpr size_t usual_columns = 100;
constexpr size_t columns_min = 20;

size_t terminal_columns() {
  winsize size{};
  bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::max<size_t>(size.ws_col, columns_min) : usual_columns;
}

/// With `~` for the home folder.
std::string short_path(const std::string& path, const config::environment& env) {
  bool is_below = !env.home.empty() && path.starts_with(env.home) && path.substr(env.home.size()).starts_with('/');
  return is_below ? "~" + path.substr(env.home.size()) : path;
}

std::string state_of(const setup::client_look& look) {
  if (!look.problem.empty())
    return "can not be read";
  return !look.own_names.empty() ? "is there" : look.has_other_program ? "another program" : "is not there";
}

using table_row = std::array<std::string, 4>;

void print_columns(const std::vector<table_row>& rows, const std::array<size_t, 4>& widths) {
  for (auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size())
        line.append(widths[i] + 2 - std::min(widths[i] + 2, row[i].size()), ' ');
    }
    std::cout << line << "\n";
  }
}

std::string change_text(const setup::client_plan& plan) {
  if (!plan.problem.empty())
    return "left as it is: " + plan.problem;
  switch (plan.change) {
    case entry_change::added: return "code-executor is added";
    case entry_change::replaced: return "'code-executor' started another program, and starts this one";
    case entry_change::removed: return "code-executor is taken out";
    case entry_change::none: break;
  }
  return plan.look->own_names.empty() ? "code-executor is not there" : "code-executor is there already";
}

const char* change_name(const setup::client_plan& plan) {
  if (!plan.problem.empty())
    return "failed";
  switch (plan.change) {
    case entry_change::added: return "added";
    case entry_change::replaced: return "replaced";
    case entry_change::removed: return "removed";
    case entry_change::none: break;
  }
  return "none";
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string out;
  for (auto& name : names)
    out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

void print_put(const setup::client_plan& plan) {
  for (auto& put : plan.put) {
    if (put.text == ",")
      continue;
    std::cout << "    line " << put.line << ":\n";
    std::string_view rest = put.text;
    while (!rest.empty()) {
      auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (line.ends_with('\r'))
        line.remove_suffix(1);
      std::cout << "    + " << text::printable(line) << "\n";
    }
  }
}

bool changes_file(const setup::client_plan& plan) { return plan.problem.empty() && plan.after != plan.look->file.text; }

/// The process of a client that runs; 0: there is none.
pid_t process_of(const setup::client& c, const std::map<std::string, pid_t>& running) {
  for (std::string_view names = c.programs; !names.empty();) {
    auto name = names.substr(0, names.find(' '));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    if (auto found = running.find(std::string{name}); found != running.end())
      return found->second;
  }
  return 0;
}

json::array texts(const std::vector<std::string>& from) { return json::array(from.begin(), from.end()); }

std::string failure_of(const setup::written& done, const std::string& path) {
  for (auto& failure : done.failures)
    if (failure.path == path)
      return failure.why.message;
  return {};
}

} // namespace

void print_wrapped(const std::string& text, size_t indent) {
  auto columns = terminal_columns();
  auto shown = text::printable(text);
  std::string_view rest = shown;
  std::string line;
  while (!rest.empty()) {
    auto word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (!line.empty() && line.size() + 1 + word.size() > columns) {
      std::cout << line << "\n";
      line.clear();
    }
    line.append(line.empty() ? std::string(indent, ' ') : " ").append(word);
  }
  std::cout << line << "\n";
}

void print_looks(const std::vector<setup::client_look>& looks, const config::environment& env) {
  std::vector<table_row> rows{{"CLIENT", "SERVERS", "CODE-EXECUTOR", "FILE"}};
  for (auto& look : looks)
    rows.push_back({look.of->label, look.problem.empty() ? std::to_string(look.others.size()) : "?", state_of(look),
                    text::printable(short_path(look.file.path, env))});
  std::array<size_t, 4> widths{};
  for (auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  if (widths[0] + widths[1] + widths[2] + widths[3] + 6 <= terminal_columns())
    return print_columns(rows, widths);
  for (size_t i = 1; i < rows.size(); ++i) {
    print_wrapped(rows[i][0] + ": " + rows[i][1] + (rows[i][1] == "1" ? " server; " : " servers; ") + "code-executor "
                  + (rows[i][2] == "another program" ? "starts another program" : rows[i][2]));
    std::cout << "  " << rows[i][3] << "\n";
  }
}

void print_plan(const setup::setup_plan& plan, const config::environment& env) {
  for (auto& c : plan.clients) {
    print_wrapped(std::string{c.look->of->label} + ": " + change_text(c));
    if (changes_file(c) || !c.problem.empty())
      std::cout << "  " << text::printable(short_path(c.look->file.path, env)) << "\n";
    print_put(c);
    if (!c.moved.empty())
      print_wrapped("behind code-executor: " + joined_names(c.moved), 4);
    for (auto& server : c.staying)
      print_wrapped("stays: " + server.name + ": " + server.why, 4);
  }
  if (!plan.own.added.empty())
    print_wrapped("code-executor: " + short_path(plan.own.file.path, env) + " gets " + joined_names(plan.own.added));
}

void print_plan_document(const setup::setup_plan& plan, const json::object& more, const setup::written* done) {
  auto running = setup::running_programs();
  json::array clients;
  for (auto& c : plan.clients) {
    json::array staying;
    for (auto& server : c.staying)
      staying.push_back(json::object{{"name", server.name}, {"reason", server.why}});
    json::array put;
    for (auto& each : c.put)
      put.push_back(json::object{{"line", each.line}, {"text", each.text}});
    auto problem = done && c.problem.empty() ? failure_of(*done, c.written_path()) : c.problem;
    json::object doc{{"client", c.look->of->name},
                     {"file", c.look->file.path},
                     {"servers", c.look->others.size()},
                     {"change", problem.empty() ? change_name(c) : "failed"},
                     {"put", std::move(put)},
                     {"moved", texts(c.moved)},
                     {"staying", std::move(staying)}};
    if (!problem.empty())
      doc["problem"] = problem;
    if (auto process = process_of(*c.look->of, running); process != 0)
      doc["process"] = process;
    clients.push_back(std::move(doc));
  }
  json::object doc{{"clients", std::move(clients)}, {"written", done && !done->folder.empty()}};
  for (auto& [key, value] : more)
    doc[key] = value;
  doc["servers"] = json::object{{"file", plan.own.file.path}, {"added", texts(plan.own.added)}};
  doc["kept"] = done && !done->folder.empty() ? json::value(json::string{done->folder}) : json::value(nullptr);
  print_document(doc);
}

void print_written(const setup::setup_plan& plan, const setup::written& done, const config::environment& env) {
  for (auto& failure : done.failures)
    print_wrapped("not written: " + failure.why.message);
  if (done.folder.empty())
    return print_wrapped("Nothing was changed.");
  auto running = setup::running_programs();
  for (auto& c : plan.clients)
    if (auto process = process_of(*c.look->of, running);
        process != 0 && changes_file(c) && failure_of(done, c.written_path()).empty())
      print_wrapped(std::string{c.look->of->label} + " runs now (process " + std::to_string(process)
                    + "): restart it, it reads its file at its start.");
  bool removes_any =
    std::any_of(plan.clients.begin(), plan.clients.end(), [](auto& c) { return c.change == entry_change::removed; });
  if (removes_any && plan.own.file.exists)
    print_wrapped("The servers that were put behind code-executor stay in " + short_path(plan.own.file.path, env)
                  + ", which no client reads.");
  print_wrapped("Done. As they were, the files are in " + short_path(done.folder, env)
                + "; `code-executor setup --undo` brings them back.");
}

} // namespace cli
