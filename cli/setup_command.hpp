// `code-executor setup`: puts this program into the clients that are installed, takes it out, and undoes that.
#pragma once

#include "cli/doctor.hpp"
#include "cli/setup_steps.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"
#include "setup/client_look.hpp"
#include "setup/plan.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

class setup_words {
public:
  setup_words(CLI::App& app, bool& as_json);
  setup_words(const setup_words&) = delete; // the options write into it
  setup_words& operator=(const setup_words&) = delete;

  bool wanted() const;
  /// The exit code: 0; 1 if something could not be done, or was answered by a no; 2 if the words are wrong, or nobody
  /// said yes.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, output_form form) const;

private:
  int undo(const setup_surroundings& around, output_form form) const;
  /// `steps`: what is still to be done, after it.
  int ask_and_write(const setup_surroundings& around, const std::vector<setup::client_look>& looks,
                    setup_steps& steps) const;
  int set_up(const setup_surroundings& around, output_form form, setup_steps& steps) const;
  std::vector<setup::client_look> looks(const setup_surroundings& around) const;
  std::vector<setup::client_choice> usual_choices(const std::vector<setup::client_look>& looks) const;
  std::string unknown_client() const;
  /// Nothing: it was left.
  std::optional<wished_steps> ask_of_more(const setup_surroundings& around) const;
  wished_steps usual_steps(const setup_surroundings& around) const;
  /// The fault says which word is wrong.
  msg::outcome<std::vector<provider_key>> read_keys(const config::variable_lookup& variables) const;

  CLI::App* command_;
  std::vector<std::string> names_;
  bool is_agreed_ = false, is_dry_ = false, is_undo_ = false, is_remove_ = false, is_behind_ = false;
  bool writes_settings_ = false, reads_tools_ = false;
  std::optional<std::string> wrappers_;
  std::string sync_;
  std::vector<std::string> key_words_;
};

} // namespace cli
