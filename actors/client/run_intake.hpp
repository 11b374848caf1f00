// Which calls of the tools that run programs become runs.
#pragma once

#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "messages/servers.hpp"
#include "proxy/surface/arguments.hpp"
#include "proxy/surface/results.hpp"
#include "proxy/surface/surface.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <utility>
#include <vector>

namespace client {

/// A call that was looked at.
struct taken_call {
  msg::fault refused;            ///< errc::none: it may run
  msg::run_request request;      ///< as far as the arguments say it
  surface::presentation present; ///< of the report, or of the refusal: without `chars_max`
};

class run_intake {
public:
  /// The problems say why there is no runtime; empty: there is one.
  run_intake(surface::run_limits limits, std::string typescript_problem, std::string python_problem)
    : limits_(limits),
      typescript_problem_(std::move(typescript_problem)),
      python_problem_(std::move(python_problem)) {}

  surface::available_runtimes runtimes() const { return {typescript_problem_.empty(), python_problem_.empty()}; }
  taken_call take(const surface::tool& t, const boost::json::object& arguments) const;
  /// The format of what is said of a call whose arguments do not count.
  surface::output_format format_of(const surface::tool& t) const;

private:
  surface::run_limits limits_;
  std::string typescript_problem_;
  std::string python_problem_;
};

/// errc::none: all that the run wants are configured.
msg::fault check_servers(const std::vector<std::string>& wanted, const std::vector<msg::server_status>& known);

/// Why nothing is done for programs of ours: of this process, which an entry leads to by its address, or of another one
/// that has started it. Whatever is between: a shell, env, a container, a proxy. Here neither the allowlist of the run
/// outside nor its limits would hold.
msg::fault nested_refusal();

} // namespace client
