#include "sandbox/egress/egress_connection.hpp"

#include "process/no_throw.hpp"
#include "sandbox/egress/address.hpp"

#include <asio/co_spawn.hpp>
#include <asio/write.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace egress {

namespace {

using asio::awaitable;
using asio::ip::tcp;
namespace limits = msg::limits;
using process::no_throw;

} // namespace

egress_guest::egress_guest(asio::any_io_executor e, egress_settings s)
  : executor(std::move(e)),
    settings(std::move(s)),
    lookup_free(executor, asio::steady_timer::time_point::max()) {}

egress_connection::egress_connection(std::shared_ptr<egress_guest> guest, tcp::socket client,
                                     std::function<void(egress_connection*)> ended)
  : guest_(std::move(guest)),
    client_(std::move(client)),
    server_(guest_->executor),
    alarm_(guest_->executor),
    answer_(guest_->executor, clock::time_point::max()),
    ended_(std::move(ended)),
    deadline_(clock::time_point::max()) {}

void egress_connection::start() {
  asio::error_code ignored;
  client_.set_option(tcp::no_delay{true}, ignored);
  spawn(watch(shared_from_this()));
  spawn(run(shared_from_this()));
}

void egress_connection::spawn(awaitable<void> work) {
  auto done = [self = shared_from_this()](const std::exception_ptr& failed) {
    if (failed)
      self->finish("the proxy failed");
  };
  asio::co_spawn(guest_->executor, std::move(work), done);
}

void egress_connection::finish(std::string_view reason) {
  if (finished_)
    return;
  finished_ = true;
  report(reason);
  asio::error_code ignored;
  client_.close(ignored);
  server_.close(ignored);
  alarm_.cancel();
  give_up_lookup();
  ended_(this);
}

void egress_connection::give_up_lookup() {
  answer_.cancel();
  stop_lookup_.emit(asio::cancellation_type::terminal);
}

void egress_connection::report(std::string_view reason) {
  if (std::exchange(reported_, true) || !was_used_)
    return;
  record_.reason = reason;
  record_.duration = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - began_);
  guest_->settings.log(record_);
}

// ---- time --------------------------------------------------------------------------------------

void egress_connection::enter(phase next, std::chrono::milliseconds time) {
  phase_ = next;
  timed_out_ = false;
  deadline_ = clock::now() + time;
  alarm_.cancel();
}

awaitable<void> egress_connection::watch([[maybe_unused]] self_pointer self) {
  while (!finished_) {
    alarm_.expires_at(deadline_);
    co_await alarm_.async_wait(no_throw);
    if (!finished_ && clock::now() >= deadline_)
      on_deadline();
  }
}

/// Wakes what is being waited for; the coroutine that waits then says why it gives up.
void egress_connection::on_deadline() {
  timed_out_ = true;
  deadline_ = clock::time_point::max();
  asio::error_code ignored;
  switch (phase_) {
    case phase::reading: client_.cancel(ignored); return;
    case phase::looking_up: give_up_lookup(); return;
    case phase::dialling: server_.close(ignored); return;
    case phase::open:
      finish("nothing was sent for " + std::to_string(guest_->settings.bounds.idle.count() / 1'000) + " s");
      return;
    case phase::answering: finish({}); return;
  }
}

// ---- from the request to the connection -----------------------------------------------------------

awaitable<void> egress_connection::run([[maybe_unused]] self_pointer self) {
  addresses found;
  auto refused = co_await read_head();
  if (refused.status == 0 && !finished_)
    refused = co_await look_up(found);
  if (refused.status == 0 && !finished_)
    refused = co_await dial(found);
  if (finished_)
    co_return;
  if (refused.status != 0)
    co_await answer(refused);
  else if (request_.method == "CONNECT")
    co_await open_tunnel();
  else
    co_await forward_request();
}

awaitable<egress_connection::refusal> egress_connection::read_head() {
  enter(phase::reading, guest_->settings.bounds.head);
  buffer chunk;
  refusal refused;
  auto end = find_head_end(unread_);
  for (size_t scanned = 0;
       !end.bytes && !end.broken && unread_.size() < limits::egress_head_bytes_max && !timed_out_;) {
    auto [ec, n] = co_await client_.async_read_some(asio::buffer(chunk), no_throw);
    if (ec && !timed_out_) {
      finish("the guest ended its request in the middle");
      co_return refused;
    }
    was_used_ = was_used_ || n > 0;
    unread_.append(chunk.data(), n);
    end = find_head_end(unread_, scanned);
    scanned = unread_.size();
  }
  if (end.broken)
    refused = {400, "the request is malformed: it is no HTTP, or a line of it ends with a bare LF"};
  else if (!end.bytes)
    refused =
      timed_out_ ? refusal{408, "the request took too long"} : refusal{431, "the head of the request is too long"};
  else if (auto parsed = parse_request(std::string_view{unread_}.substr(0, *end.bytes)); parsed.ok())
    request_ = std::move(parsed.value);
  else
    refused = {400, "the request is malformed: " + parsed.error.message};
  record_.host = request_.to.name;
  record_.port = request_.port;
  unread_.erase(0, end.bytes.value_or(0));
  co_return refused;
}

awaitable<egress_connection::refusal> egress_connection::look_up(addresses& found) {
  refusal refused;
  auto& to = request_.to;
  if (auto fault = check_connection(guest_->settings.rules, to, request_.port); fault.code != msg::errc::none) {
    refused = {403, fault.message};
    co_return refused;
  }
  record_.allowed = true;
  if (to.literal) {
    found = {*to.literal};
    co_return check(found);
  }
  enter(phase::looking_up, guest_->settings.bounds.lookup);
  spawn(ask_world(shared_from_this()));
  while (!is_resolved_ && !timed_out_ && !finished_) {
    answer_.expires_at(clock::time_point::max());
    co_await answer_.async_wait(no_throw);
  }
  if (!is_resolved_) {
    refused = {504, "looking up " + to.name + " took too long"};
    co_return refused;
  }
  if (resolved_.addresses.empty()) {
    refused = {502, to.name + " can not be looked up: " + resolved_.problem};
    co_return refused;
  }
  found = std::move(resolved_.addresses);
  co_return check(found);
}

/// Goes on after the connection has given up: only then is the place of the lookup free again.
awaitable<void> egress_connection::ask_world([[maybe_unused]] self_pointer self) {
  auto guest = guest_;
  while (guest->lookups >= limits::egress_lookups_max)
    co_await guest->lookup_free.async_wait(no_throw);
  if (phase_ == phase::looking_up && !timed_out_ && !finished_) {
    ++guest->lookups;
    auto name = request_.to.name;
    try {
      resolved_ = co_await guest->settings.dependencies.resolve(name, stop_lookup_.slot());
    } catch (const std::exception& e) {
      resolved_.problem = e.what();
    }
    --guest->lookups;
    is_resolved_ = true;
    answer_.cancel();
  }
  guest->lookup_free.cancel_one();
}

/// One address that is not public condemns the name: it is either misconfigured or tries to lead somewhere else. So
/// does one of our own among those that are to be dialled, the only ones that are left in `found`: a question to the
/// kernel for each. The guest learns what kind of address it is, and not which; the log has it.
egress_connection::refusal egress_connection::check(addresses& found) {
  auto refuse = [this](const asio::ip::address& a, std::string_view why) -> refusal {
    record_.address = a.to_string();
    record_.allowed = false;
    return {403, with_port(request_.to, request_.port) + " is out of reach: it leads to " + std::string{why}
                   + "; no permission or setting allows that"};
  };
  found.resize(std::min(found.size(), limits::egress_addresses_max));
  for (auto& a : found)
    if (auto why = why_not_public(a); !why.empty())
      return refuse(a, why);
  found.resize(std::min(found.size(), limits::egress_dial_addresses_max));
  for (auto& a : found)
    if (guest_->settings.dependencies.is_ours(a))
      return refuse(a, "an address of the server's own machine");
  return {};
}

awaitable<egress_connection::refusal> egress_connection::dial(const addresses& to) {
  refusal refused;
  for (size_t i = 0; i < to.size() && !finished_; ++i) {
    enter(phase::dialling, guest_->settings.bounds.dial);
    tcp::endpoint endpoint{to[i], request_.port};
    record_.address = to[i].to_string();
    auto ec = co_await guest_->settings.dependencies.dial(server_, endpoint);
    if (!ec && !timed_out_ && !finished_) {
      server_.set_option(tcp::no_delay{true}, ec);
      refused.status = 0;
      break;
    }
    asio::error_code ignored;
    server_.close(ignored);
    auto host = with_port(request_.to, request_.port);
    refused = timed_out_ ? refusal{504, host + " does not answer"}
                         : refusal{502, host + " can not be reached: " + ec.message()};
  }
  co_return refused;
}

// ---- answers of our own -----------------------------------------------------------------------------

/// The reason is also the reason phrase: some clients show nothing else of a refused CONNECT.
awaitable<void> egress_connection::answer(const refusal& why) {
  report(why.reason);
  enter(phase::answering, limits::egress_answer_timeout);
  auto reason = why.reason;
  for (auto& c : reason)
    c = c < ' ' ? ' ' : c; // of a resolver, say
  auto body = "code-executor: " + reason + "\n";
  auto text = "HTTP/1.1 " + std::to_string(why.status) + " " + reason
              + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + std::to_string(body.size())
              + "\r\nConnection: close\r\n\r\n" + body;
  co_await asio::async_write(client_, asio::buffer(text), no_throw);
  co_await linger();
}

/// Ends the connection so that the client gets all that was written: closing with unread bytes would reset it.
awaitable<void> egress_connection::linger() {
  enter(phase::answering, limits::egress_answer_timeout);
  asio::error_code ec;
  server_.close(ec);
  client_.cancel(ec); // a body that is still being sent
  client_.shutdown(tcp::socket::shutdown_send, ec);
  buffer chunk;
  for (size_t discarded = 0; !ec && !finished_ && discarded < limits::egress_discard_bytes_max;) {
    auto [failed, n] = co_await client_.async_read_some(asio::buffer(chunk), no_throw);
    ec = failed;
    discarded += n;
  }
  finish({});
}

// ---- CONNECT ---------------------------------------------------------------------------------------

awaitable<void> egress_connection::open_tunnel() {
  enter(phase::open, guest_->settings.bounds.idle);
  std::string_view established = "HTTP/1.1 200 Connection established\r\n\r\n";
  // A client that is gone is noticed by the pumps.
  co_await asio::async_write(client_, asio::buffer(established), no_throw);
  auto early = std::exchange(unread_, {});
  auto [ec, n] = co_await asio::async_write(server_, asio::buffer(early), no_throw);
  record_.bytes_out += n;
  directions_ = 2;
  spawn(pump(shared_from_this(), server_, client_, record_.bytes_in));
  co_await pump(shared_from_this(), client_, server_, record_.bytes_out);
}

/// One direction, to its end; the other one may go on.
awaitable<void> egress_connection::pump([[maybe_unused]] self_pointer self, tcp::socket& from, tcp::socket& to,
                                        uint64_t& count) {
  buffer chunk;
  asio::error_code ec;
  while (!ec && !finished_) {
    touch();
    auto [failed, n] = co_await from.async_read_some(asio::buffer(chunk), no_throw);
    touch();
    ec = failed;
    if (ec)
      break;
    auto [write_failed, written] = co_await asio::async_write(to, asio::buffer(chunk.data(), n), no_throw);
    ec = write_failed;
    count += written;
  }
  if (finished_)
    co_return;
  if (ec != asio::error::eof) {
    finish(ec.message());
    co_return;
  }
  to.shutdown(tcp::socket::shutdown_send, ec);
  if (--directions_ == 0)
    finish({});
}

} // namespace egress
