#include "cli/token.hpp"

#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "config/client_tokens.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdlib>
#include <iostream>
#include <utility>

namespace cli {

namespace json = boost::json;

namespace {

int tell_of(const msg::fault& why) {
  std::cerr << "code-executor: token: " << text::printable(why.message) << "\n";
  return why.code == msg::errc::invalid_argument ? exit_wrong_use : EXIT_FAILURE;
}

std::string time_text(int64_t seconds) { return sqlite::iso_time(sqlite::time_point{std::chrono::seconds{seconds}}); }

int print_new(config::client_tokens& tokens, const std::string& name, output_form form) {
  auto made = tokens.make(name);
  if (!made.ok())
    return tell_of(made.error);
  if (form == output_form::json) {
    print_document(json::object{{"name", name}, {"token", made.value}});
    return EXIT_SUCCESS;
  }
  std::cout << made.value << "\n";
  std::cerr << "This is the only time it is shown. The client sends it as\n  Authorization: Bearer " << made.value
            << "\n";
  return EXIT_SUCCESS;
}

int print_list(config::client_tokens& tokens, output_form form) {
  auto all = tokens.list();
  if (!all.ok())
    return tell_of(all.error);
  json::array out;
  for (auto& each : all.value)
    if (form == output_form::json)
      out.push_back(json::object{{"name", each.name}, {"made", time_text(each.made_s)}});
    else
      std::cout << each.name << "  since " << time_text(each.made_s) << "\n";
  if (form == output_form::json)
    print_document(json::object{{"tokens", std::move(out)}});
  else if (all.value.empty())
    std::cout << "There are no tokens; `code-executor token new NAME` makes one.\n";
  return EXIT_SUCCESS;
}

int print_revoked(config::client_tokens& tokens, const std::string& name, output_form form) {
  auto revoked = tokens.revoke(name);
  if (!revoked.ok())
    return tell_of(revoked.error);
  if (!revoked.value)
    return tell_of({msg::errc::unknown_handle, "there is no token with the name '" + name
                                                 + "'; `code-executor token list` shows those there are"});
  if (form == output_form::json)
    print_document(json::object{{"name", name}, {"revoked", true}});
  else
    std::cout << name << " is revoked; servers that run refuse it within two seconds.\n";
  return EXIT_SUCCESS;
}

} // namespace

token_words::token_words(CLI::App& app, bool& as_json)
  : command_(app.add_subcommand("token", "who may use this server over HTTP (serve --http)")),
    make_(command_->add_subcommand("new", "make a token, show it once, and keep its digest")),
    list_(command_->add_subcommand("list", "the names of all tokens")),
    revoke_(command_->add_subcommand("revoke", "a token counts no more")) {
  command_->require_subcommand(1);
  command_->footer("Example: code-executor token new laptop");
  for (auto* word : {make_, revoke_})
    word->add_option("name", name_, "of the client that has it")->required();
  for (auto* word : {make_, list_, revoke_})
    word->add_flag("--json", as_json, "print one JSON document");
}

bool token_words::wanted() const { return command_->parsed(); }

int token_words::run(const config::settings& settings, output_form form) const {
  config::client_tokens tokens{settings.state_folder};
  auto code = make_->parsed()   ? print_new(tokens, name_, form)
              : list_->parsed() ? print_list(tokens, form)
                                : print_revoked(tokens, name_, form);
  if (auto warning = tokens.take_warning(); !warning.empty())
    std::cerr << "code-executor: " << text::printable(warning) << "\n";
  return code;
}

} // namespace cli
