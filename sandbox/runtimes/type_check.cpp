#include "sandbox/runtimes/type_check.hpp"

#include "process/child.hpp"
#include "process/shortage.hpp"
#include "text/json_text.hpp"

#include <asio/buffer.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace sandbox {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

/// A program of 1 MiB can be wrong in every line; no model reads more.
constexpr size_t answer_bytes_max = 1u << 20;
constexpr const char* script = "/guest/typescript/type_check.ts";

/// The compiler is a process of its own, started by the script: here Deno's permissions are no wall, so there must be
/// one.
box checker_of(box deno, std::chrono::milliseconds timeout) {
  deno.channel_port = 0;
  deno.channel_flags.clear();
  deno.self_contained = false;
  deno.cpu_seconds = static_cast<uint32_t>(timeout.count() / 1'000 + 1);
  deno.command.pop_back();
  for (auto flag : {"--allow-read=/tmp,/guest", "--allow-write=/tmp", "--allow-run=/runtime/deno", script})
    deno.command.emplace_back(flag);
  return deno;
}

/// The whole input as a file that only the child sees.
process::descriptor input_of(const type_check_job& job) {
  process::descriptor file{::memfd_create("type-check", MFD_CLOEXEC)};
  auto text = text::to_text(json::value{{"code", job.code}, {"servers", job.servers}});
  for (size_t written = 0; file && written < text.size();) {
    auto n = ::write(file.get(), text.data() + written, text.size() - written);
    if (n <= 0)
      return {};
    written += static_cast<size_t>(n);
  }
  if (file && ::lseek(file.get(), 0, SEEK_SET) != 0)
    return {};
  return file;
}

/// Without a reading end: errno says why.
process::pipe_ends open_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return {};
  return {process::descriptor{ends[0]}, process::descriptor{ends[1]}};
}

/// Until its end, or until it is too long.
asio::awaitable<std::string> read_all(asio::posix::stream_descriptor& from) {
  std::string out;
  std::array<char, 16'384> piece;
  while (out.size() <= answer_bytes_max) {
    auto [ec, n] =
      co_await from.async_read_some(asio::buffer(piece), asio::experimental::as_tuple(asio::use_awaitable));
    out.append(piece.data(), n);
    if (ec)
      break;
  }
  co_return out;
}

msg::outcome<msg::document> answer_of(const std::string& text) {
  auto parsed = msg::document::parse(text);
  auto* object = parsed.ok() ? parsed.value.value().if_object() : nullptr;
  auto* problems = object ? object->if_contains("problems") : nullptr;
  if (!problems || !problems->is_array())
    return fault{errc::internal,
                 "the type checker gave no answer; it may have had too little memory (sandbox.memoryMb)"};
  auto* failure = object->if_contains("failure");
  if (failure && failure->is_string())
    return fault{errc::internal, "the type checker failed: " + std::string{failure->get_string()}};
  return parsed.value.part(*problems);
}

fault late(std::chrono::milliseconds timeout) {
  auto said =
    "The type check timed out after " + std::to_string(std::min(timeout, type_check_time_max).count()) + " ms";
  return {errc::run_timeout,
          said + (timeout > type_check_time_max ? ", which is the most that it may take" : " (timeoutMs)")};
}

} // namespace

void type_check_stop::stop() {
  stopped_ = true;
  if (running)
    running->kill(SIGKILL);
}

namespace {

asio::awaitable<msg::outcome<msg::document>> check(asio::any_io_executor executor, box deno, isolation_tools tools,
                                                   type_check_job job, std::shared_ptr<type_check_stop> stop) {
  using answer = msg::outcome<msg::document>;
  auto time = std::min(job.timeout, type_check_time_max);
  auto what = checker_of(std::move(deno), time);
  auto prepared = prepare(what, tools);
  if (!prepared.ok())
    co_return answer{prepared.error};
  auto input = input_of(job);
  auto output = open_pipe();
  if (!output.read)
    co_return answer{fault{errc::overloaded, "the type checker can not be started: " + process::error_text(errno)}};
  asio::posix::stream_descriptor from{executor, output.read.release()};
  process::descriptor nothing{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  if (!input || !nothing)
    co_return answer{fault{errc::internal, "the type checker could not be given the program"}};
  auto& launch = prepared.value.launch;
  launch.descriptors.emplace_back(input.get(), 0);
  launch.descriptors.emplace_back(output.write.get(), 1);
  launch.descriptors.emplace_back(nothing.get(), 2);
  auto child = process::start(executor, launch);
  if (!child.ok())
    co_return answer{child.error};
  output.write = {};
  prepared.value.sources.clear();
  stop->running = child.value.get();
  if (stop->is_stopped())
    stop->stop();
  asio::steady_timer clock{executor, time};
  clock.async_wait([stop](asio::error_code ec) {
    if (ec)
      return;
    stop->is_late = true;
    stop->stop();
  });
  auto text = co_await read_all(from);
  stop->running->kill(SIGKILL); // it has said all, or too much
  co_await process::reap_when_ended(*child.value);
  stop->running = nullptr;
  clock.cancel();
  if (stop->is_late)
    co_return answer{late(job.timeout)};
  if (stop->is_stopped())
    co_return answer{fault{errc::cancelled, "the request was cancelled"}};
  co_return answer_of(text);
}

} // namespace

/// The execution that waits for it has no other deadline.
asio::awaitable<msg::outcome<msg::document>> check_types(asio::any_io_executor executor, box deno,
                                                         isolation_tools tools, type_check_job job,
                                                         std::shared_ptr<type_check_stop> stop) {
  using answer = msg::outcome<msg::document>;
  try {
    co_return co_await check(std::move(executor), std::move(deno), std::move(tools), std::move(job), std::move(stop));
  } catch (const std::system_error& e) { // no descriptors left
    co_return answer{fault{errc::overloaded, "the type checker can not be started: " + process::error_text(e)}};
  }
}

} // namespace sandbox
