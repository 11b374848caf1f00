#include "sandbox/launch/guest_template.hpp"

#include "process/descriptor_message.hpp"
#include "process/inside.hpp"
#include "process/no_throw.hpp"
#include "sandbox/launch/forked_guest.hpp"
#include "text/printable.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fcntl.h>
#include <system_error>
#include <utility>

namespace sandbox {

namespace {

using asio::awaitable;
using process::no_throw;

/// Bubblewrap's two, guest-init, and guests that have not joined their own cgroup yet.
constexpr uint32_t template_processes = 16;
constexpr size_t complaint_bytes_max = 500;
constexpr std::string_view first_word{"f"};

/// prepare_forking_template() wants a file of a cache; one that is not there is as good as none.
constexpr const char* no_cache = "-";
constexpr size_t command_with_cache = 6;

/// To its end, so that it never waits for us.
awaitable<void> read_complaint(asio::any_io_executor executor, process::descriptor from,
                               std::shared_ptr<std::string> complaint) {
  asio::posix::stream_descriptor pipe{executor, from.release()};
  char chunk[4'096];
  for (;;) {
    auto [ec, size] = co_await pipe.async_read_some(asio::buffer(chunk), no_throw);
    if (ec)
      co_return;
    complaint->append(chunk, std::min(size, complaint_bytes_max - complaint->size()));
  }
}

/// A fork mounts its own temp folders, over whatever the template has there.
bool lies_in_temp(const mount& m) {
  return process::inside(m.to.text(), "/tmp") || process::inside(m.to.text(), "/dev/shm");
}

} // namespace

const std::string& guest_template::program_of(const isolation_tools& tools) const {
  return lang_ == msg::language::python ? tools.guest_fork : tools.guest_spawn;
}

void guest_template::want(const guest_environment& environment, const box& what, const isolation_tools& tools) {
  if (state_ != state::absent || program_of(tools).empty() || tools.isolated.mode != isolation_mode::namespaces
      || std::chrono::steady_clock::now() < no_start_before_)
    return;
  if (std::any_of(what.mounts.begin(), what.mounts.end(), lies_in_temp)) {
    problem_ = "what programs need lies in /tmp or /dev/shm, which each of them has for itself";
    return;
  }
  state_ = state::starting;
  auto begin = [self = shared_from_this(), environment, what, tools] { self->start(environment, what, tools); };
  if (environment.turns)
    environment.turns->enter(begin);
  else
    begin();
}

void guest_template::start(const guest_environment& environment, const box& what, const isolation_tools& tools) {
  ++number_;
  msg::fault failed;
  try {
    failed = launch(environment, what, tools);
  } catch (const std::system_error& e) { // no descriptors
    failed = {msg::errc::overloaded, e.what()};
  }
  if (failed.code != msg::errc::none)
    give_up(number_, failed.message);
}

msg::outcome<prepared_box> guest_template::prepare_own(const box& what, const isolation_tools& tools) const {
  auto own = what;
  own.cpu_seconds = msg::limits::session_cpu_seconds_max; // an order may say less
  if (lang_ == msg::language::typescript)
    return prepare_starting_template(own, tools);
  if (own.command.size() < command_with_cache)
    own.command.emplace_back(no_cache);
  return prepare_forking_template(own, tools, preloaded_);
}

msg::fault guest_template::launch(const guest_environment& environment, const box& what, const isolation_tools& tools) {
  auto prepared = prepare_own(what, tools);
  if (!prepared.ok())
    return std::move(prepared.error);
  auto [ours, theirs] = process::make_message_sockets();
  auto err = process::make_pipe();
  process::descriptor nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  auto& launch = prepared.value.launch; // 1 is a pipe as in its guests: the interpreter remembers what it is
  launch.descriptors.insert(launch.descriptors.end(),
                            {{nothing.get(), 0}, {err.write.get(), 1}, {err.write.get(), 2}, {theirs.get(), 3}});
  auto started = start_box(environment, cgroup_limits_of(what, template_processes), launch);
  if (!started.ok())
    return std::move(started.error);
  const auto& executor = environment.executor;
  auto when_deaf = [weak = weak_from_this(), number = number_] {
    if (auto self = weak.lock())
      self->give_up(number, "it does not carry out its orders");
  };
  process_ = std::make_shared<template_process>(
    template_process{std::move(started.value), asio::posix::stream_descriptor{executor, ours.release()}, what, tools,
                     when_deaf, lang_ == msg::language::typescript});
  std::vector<int> filter;
  if (tools.isolated.filter)
    filter.push_back(tools.isolated.filter->get());
  if (process::send_message(process_->orders.native_handle(), first_word, filter) != 0)
    return {msg::errc::server_died, "it takes no orders"};
  complaint_ = std::make_shared<std::string>();
  asio::co_spawn(executor, read_complaint(executor, std::move(err.read), complaint_), asio::detached);
  asio::co_spawn(executor, listen(weak_from_this(), process_, environment, number_), asio::detached);
  return {};
}

/// It says one word, when guests can be made; after it comes its end.
awaitable<void> guest_template::listen(std::weak_ptr<guest_template> to, std::weak_ptr<template_process> process,
                                       guest_environment environment, uint64_t number) {
  for (bool was_ready = false;; was_ready = true) {
    process::received_message word;
    if (auto from = process.lock())
      word = co_await process::next_message(from->orders, 1);
    auto self = to.lock();
    if (!self || self->number_ != number)
      co_return;
    if (word.error != 0 || word.text.empty() || was_ready)
      co_return self->give_up(number, was_ready ? "it has ended" : "it ended before it was ready");
    self->state_ = state::ready;
    self->problem_.clear();
    order_ahead(environment, *self->process_);
    spdlog::debug("guests of {} are made by a template", to_string(self->lang_));
  }
}

void guest_template::give_up(uint64_t number, const std::string& why) {
  if (number != number_)
    return;
  ++number_;
  state_ = state::absent;
  no_start_before_ = std::chrono::steady_clock::now() + template_retry;
  auto complaint = complaint_ ? *complaint_ : std::string{};
  while (complaint.ends_with('\n'))
    complaint.pop_back();
  problem_ = complaint.empty() ? why : why + ": " + text::printable(complaint);
  spdlog::warn("guests of {} are started one by one, which takes longer: the template of guests: {}", to_string(lang_),
               problem_);
  asio::error_code ignored;
  if (auto from = std::exchange(process_, nullptr))
    from->orders.cancel(ignored); // nobody listens to it any more
}

std::string guest_template::status() const {
  if (state_ == state::ready)
    return "ready";
  if (state_ == state::starting)
    return "starting";
  return problem_.empty() ? "not needed yet" : "none: " + problem_;
}

msg::outcome<std::shared_ptr<guest>> guest_template::fork(const guest_environment& environment, uint32_t cpu_seconds,
                                                          guest_events events) {
  return fork_guest(environment, process_, cpu_seconds, std::move(events));
}

} // namespace sandbox
