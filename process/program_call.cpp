#include "process/program_call.hpp"

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include <exception>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace process {

msg::outcome<command_result> call_program(const std::vector<std::string>& words, std::chrono::milliseconds timeout) {
  launch what;
  what.argv.assign(words.begin(), words.end());
  for (auto** each = environ; each && *each; ++each)
    if (!std::string_view{*each}.starts_with("LC_ALL="))
      what.environment.emplace_back(std::string{*each});
  what.environment.emplace_back(std::string{"LC_ALL=C"});
  asio::io_context io{1};
  msg::outcome<command_result> out = msg::fault{msg::errc::internal, words.front() + ": was not called"};
  auto keep = [&out](const std::exception_ptr& thrown, msg::outcome<command_result> result) {
    if (!thrown)
      out = std::move(result);
  };
  asio::co_spawn(io, run_command(io.get_executor(), std::move(what), timeout), keep);
  io.run();
  return out;
}

} // namespace process
