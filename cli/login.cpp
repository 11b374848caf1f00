#include "cli/login.hpp"

#include "actors/bridge/server_logins.hpp"
#include "cli/browser.hpp"
#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/main_loop.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "config/http_launch.hpp"
#include "http/client.hpp"
#include "login/log_out.hpp"
#include "login/login_flow.hpp"
#include "process/offload.hpp"
#include "text/nearest.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/thread_pool.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

namespace json = boost::json;

namespace {

/// A loop of its own, for one piece of work.
class login_process {
public:
  login_process()
    : client_(std::make_shared<http::client>(io_, http::client_options{{}, "code-executor/" CODE_EXECUTOR_VERSION})),
      signals_(io_, SIGINT, SIGTERM, SIGHUP) {}

  login::environment environment(const std::string& state_folder) {
    return {io_.get_executor(), files_.get_executor(), client_, state_folder};
  }

  /// Nothing: it was interrupted.
  template <class Result>
  std::optional<Result> run(asio::awaitable<Result> work) {
    std::optional<Result> out;
    signals_.async_wait([this](asio::error_code failed, int) {
      if (!failed)
        io_.stop();
    });
    asio::co_spawn(io_, std::move(work), [this, &out](std::exception_ptr failed, Result result) {
      if (failed)
        result = Result{process::fault_of(failed)};
      out.emplace(std::move(result));
      io_.stop();
    });
    run_to_the_end(io_);
    return out;
  }

private:
  asio::io_context io_{1};
  asio::thread_pool files_{1};
  std::shared_ptr<http::client> client_;
  asio::signal_set signals_;
};

/// Where a login is; or the exit code, when that was told.
struct found_target {
  std::optional<login::target> at;
  int code = EXIT_SUCCESS;
};

int no_such_server(const std::string& name, const config::server_list& list) {
  std::vector<std::string_view> names;
  names.reserve(list.entries.size());
  for (auto& each : list.entries)
    names.push_back(each.name);
  auto near = text::nearest(name, names, 1);
  return complain(
    "there is no server '" + name + "'"
      + (near.empty() ? "; `code-executor servers` lists those there are" : "; did you mean '" + near.front() + "'?"),
    exit_wrong_use);
}

found_target find_target(const std::string& name, const config::environment& environment,
                         const config::settings& settings, const config::variable_lookup& variables) {
  auto list = find_servers(environment, settings.state_folder);
  auto entry = std::find_if(list.entries.begin(), list.entries.end(), [&](auto& each) { return each.name == name; });
  if (entry == list.entries.end())
    return {{}, no_such_server(name, list)};
  if (entry->transport == msg::transport_kind::stdio)
    return {{},
            complain("server '" + name + "' is a program on this machine; a login is for servers with a `url`",
                     exit_wrong_use)};
  auto launch = config::make_http_launch(*entry, environment, variables);
  if (!launch.ok())
    return {{}, complain("server '" + name + "': " + launch.error.message, EXIT_FAILURE)};
  if (!config::takes_login(launch.value))
    return {{},
            complain("the entry of server '" + name + "' in " + entry->source
                       + (launch.value.login.is_off ? " says that there is no login (`oauth`: false)"
                                                    : " has a header Authorization, which counts; remove it first"),
                     exit_wrong_use)};
  return {bridge::login_target(entry->name, std::move(launch.value))};
}

int print_login(const login::login_report& report, const std::string& server, output_form form) {
  if (form == output_form::json) {
    json::object out{{"server", server}, {"issuer", report.issuer}, {"renewed", report.is_refreshed}};
    out["scopes"] = json::array(report.scopes.begin(), report.scopes.end());
    print_document(out);
    return EXIT_SUCCESS;
  }
  std::cout << "Logged in at '" << text::printable(server) << "' (" << text::printable(report.issuer) << ")"
            << (report.is_refreshed ? "; the login renews itself." : "; it ends with its token.")
            << "\nServers that run use it from now on.\n";
  return EXIT_SUCCESS;
}

int print_logout(const login::log_out_report& report, const std::string& server, output_form form) {
  if (form == output_form::json) {
    print_document(json::object{
      {"server", server}, {"wasLoggedIn", report.was_logged_in}, {"revoked", report.is_revoked}, {"why", report.why}});
    return EXIT_SUCCESS;
  }
  auto name = "'" + text::printable(server) + "'";
  if (!report.was_logged_in)
    std::cout << "There was no login at " << name << ".\n";
  else if (report.is_revoked)
    std::cout << "Logged out at " << name << "; its tokens are revoked.\n";
  else
    std::cout << "Logged out at " << name << ": the tokens are removed here. They could not be revoked there: it "
              << text::printable(report.why) << ".\n";
  return EXIT_SUCCESS;
}

} // namespace

login_words::login_words(CLI::App& app, bool& as_json)
  : login_(app.add_subcommand("login", "log in at a server that wants to know who asks (OAuth)")),
    logout_(app.add_subcommand("logout", "end a login, and remove its tokens")) {
  login_->footer("Example: code-executor login linear --no-browser");
  logout_->footer("Example: code-executor logout linear");
  for (auto* word : {login_, logout_}) {
    word->add_option("server", server_, "name of the server")->required();
    word->add_flag("--json", as_json, "print one JSON document");
  }
  login_->add_flag("!--no-browser", has_browser_, "print the address only; open no browser");
}

bool login_words::wanted() const { return login_->parsed() || logout_->parsed(); }

int login_words::run(const config::environment& environment, const config::settings& settings,
                     const config::variable_lookup& variables, output_form form) const {
  auto found = find_target(server_, environment, settings, variables);
  if (!found.at)
    return found.code;
  if (settings.state_folder.empty())
    return complain("there is no folder for logins: HOME is not set", exit_wrong_use);
  login_process process;
  auto of = process.environment(settings.state_folder);
  if (logout_->parsed()) {
    auto done = process.run(login::log_out(of, *found.at));
    if (!done)
      return exit_interrupted;
    return done->ok() ? print_logout(done->value, server_, form) : complain(done->error.message, EXIT_FAILURE);
  }
  login::login_wishes wishes;
  wishes.open = [&, has_browser = has_browser_](const login::authorization_page& page) {
    std::cerr << "Open this address in a browser to log in:\n\n  " << text::printable(page.url) << "\n\n" << std::flush;
    if (has_browser)
      open_browser(page.url, variables);
  };
  wishes.advise = [](const std::string& advice) {
    std::cerr << "You were registered there before: " << text::printable(advice) << ".\n\n" << std::flush;
  };
  auto done = process.run(login::log_in(of, *found.at, std::move(wishes)));
  if (!done)
    return exit_interrupted;
  return done->ok() ? print_login(done->value, server_, form) : complain(done->error.message, EXIT_FAILURE);
}

} // namespace cli
