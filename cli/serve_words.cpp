#include "cli/serve_words.hpp"

#include "cli/exit_codes.hpp"
#include "cli/http_address.hpp"
#include "cli/serve.hpp"
#include "process/kept_flags.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <optional>
#include <unistd.h>

namespace cli {

serve_words::serve_words(CLI::App& app) {
  auto* command = app.add_subcommand("serve", "serve MCP on stdin and stdout (the default), and over HTTP");
  http_ = command->add_option("--http", address_, "listen there too, 127.0.0.1:3333 if no ADDRESS:PORT is given")
            ->expected(0, 1)
            ->type_name("[ADDRESS:PORT]");
  command->add_option("--faults", faults_, "inject the faults of this plan, see docs/faults.md")->type_name("FILE");
  command->footer("Example: code-executor serve --http 127.0.0.1:3333");
}

int serve_words::run(const config::environment& environment, const config::settings& settings,
                     const config::variable_lookup& variables) const {
  std::optional<bridge::http_address> where;
  if (http_->count() > 0) {
    auto parsed = parse_http_address(address_);
    if (!parsed.ok()) {
      std::cerr << "code-executor: " << text::printable(parsed.error.message) << "\n";
      return exit_wrong_use;
    }
    where = std::move(parsed.value);
  }
  process::kept_flags in{STDIN_FILENO}, out{STDOUT_FILENO};
  if (faults_.empty())
    return serve(environment, settings, variables, std::move(where));
  auto with_faults = settings;
  with_faults.faults = {{}, faults_, settings.faults.of_runs};
  return serve(environment, with_faults, variables, std::move(where));
}

} // namespace cli
