#include "sandbox/egress/name_lookup.hpp"

#include "messages/limits.hpp"
#include "process/no_throw.hpp"
#include "process/offload.hpp"
#include "sandbox/egress/address.hpp"
#include "sandbox/egress/address_order.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <ares.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <utility>
#include <vector>

namespace egress {

namespace {

using asio::awaitable;
using asio::ip::address;
using asio::ip::address_v4;
using asio::ip::address_v6;
namespace limits = msg::limits;
using process::no_throw;

struct lookup_socket {
  int fd = ARES_SOCKET_BAD;
  bool reads = false;
  bool writes = false;
};
using lookup_sockets = std::vector<lookup_socket>;

std::optional<address> address_at(const ares_addrinfo_node& node) {
  if (node.ai_family == AF_INET)
    return address_v4{ntohl(reinterpret_cast<const sockaddr_in*>(node.ai_addr)->sin_addr.s_addr)};
  if (node.ai_family != AF_INET6)
    return {};
  address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6*>(node.ai_addr)->sin6_addr, bytes.size());
  return address_v6{bytes};
}

/// The first ones of each family, so that one can not push out the other before it is known which are in reach. One
/// that is not public is enough: the name is refused for it, wherever in a long answer it stands.
std::vector<address> addresses_of(const ares_addrinfo* found) {
  std::vector<address> out;
  size_t ipv4 = 0, ipv6 = 0;
  for (auto* node = found ? found->nodes : nullptr; node; node = node->ai_next) {
    auto a = address_at(*node);
    if (a && !is_public(*a))
      return {*a};
    if (a && (a->is_v4() ? ipv4 : ipv6)++ < limits::egress_addresses_max)
      out.push_back(*a);
  }
  return out;
}

/// A channel of c-ares and its one question. Belongs to one thread at a time.
class name_question {
public:
  name_question(std::string name, std::string name_servers)
    : name_(std::move(name)),
      name_servers_(std::move(name_servers)) {}
  name_question(const name_question&) = delete;
  name_question& operator=(const name_question&) = delete;
  ~name_question() { close(); }

  void begin() {
    static const auto library = ares_library_init(ARES_LIB_INIT_ALL);
    ares_options no_search_domains{};
    auto failed =
      library != ARES_SUCCESS ? library : ares_init_options(&channel_, &no_search_domains, ARES_OPT_DOMAINS);
    if (failed == ARES_SUCCESS && !name_servers_.empty())
      failed = ares_set_servers_ports_csv(channel_, name_servers_.c_str());
    if (failed != ARES_SUCCESS)
      return take(failed, nullptr);
    ares_addrinfo_hints wanted{};
    wanted.ai_family = is_ipv6_there() ? AF_UNSPEC : AF_INET;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = ARES_AI_NOSORT; // which would open a socket for each of 4,000 addresses
    ares_getaddrinfo(channel_, name_.c_str(), nullptr, &wanted, answered, this);
    settle();
  }

  void go_on(const lookup_sockets& ready) {
    ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD); // what has taken too long
    for (auto& s : ready)
      ares_process_fd(channel_, s.reads ? s.fd : ARES_SOCKET_BAD, s.writes ? s.fd : ARES_SOCKET_BAD);
    settle();
  }

  bool is_answered() const { return is_answered_; }
  resolved_name& answer() { return answer_; }

  lookup_sockets sockets() const {
    std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> all{};
    auto wanted = static_cast<unsigned>(ares_getsock(channel_, all.data(), static_cast<int>(all.size())));
    lookup_sockets out;
    for (size_t i = 0; i < all.size(); ++i)
      if (bool reads = ARES_GETSOCK_READABLE(wanted, i), writes = ARES_GETSOCK_WRITABLE(wanted, i); reads || writes)
        out.push_back({all[i], reads, writes});
    return out;
  }

  std::chrono::microseconds time_left() const {
    timeval longest{limits::egress_lookup_timeout.count() / 1'000, 0}, left{};
    auto* t = ares_timeout(channel_, &longest, &left);
    return std::chrono::seconds{t->tv_sec} + std::chrono::microseconds{t->tv_usec};
  }

  void close() {
    if (channel_)
      ares_destroy(std::exchange(channel_, nullptr));
  }

private:
  static void answered(void* self, int status, int, ares_addrinfo* found) {
    std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> owned{found, ares_freeaddrinfo};
    static_cast<name_question*>(self)->take(status, found);
  }

  /// C calls it: an exception waits for settle().
  void take(int status, const ares_addrinfo* found) noexcept {
    if (status == ARES_EDESTRUCTION) // that was close()
      return;
    is_answered_ = true;
    try {
      answer_.addresses = addresses_of(found);
      if (answer_.addresses.empty())
        answer_.problem = status == ARES_SUCCESS ? "the name has no address" : ares_strerror(status);
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  void settle() {
    if (!is_answered_)
      return;
    close();
    if (thrown_)
      std::rethrow_exception(std::exchange(thrown_, {}));
    order_by_reach(answer_.addresses);
    answer_.addresses.resize(std::min(answer_.addresses.size(), limits::egress_addresses_max));
  }

  std::string name_, name_servers_;
  ares_channel channel_ = nullptr;
  resolved_name answer_;
  bool is_answered_ = false;
  std::exception_ptr thrown_;
};

/// A socket of c-ares, which closes it.
class borrowed_socket {
public:
  explicit borrowed_socket(const asio::any_io_executor& loop) : descriptor_(loop) {}
  borrowed_socket(const borrowed_socket&) = delete;
  borrowed_socket& operator=(const borrowed_socket&) = delete;
  ~borrowed_socket() {
    if (descriptor_.is_open())
      descriptor_.release();
  }
  asio::posix::stream_descriptor* operator->() { return &descriptor_; }

private:
  asio::posix::stream_descriptor descriptor_;
};

/// What wakes a lookup on the loop: a socket, the time, or that nobody wants it any more.
class lookup_alarm : public std::enable_shared_from_this<lookup_alarm> {
public:
  explicit lookup_alarm(const asio::any_io_executor& loop) : timer_(loop) {}

  void stop() {
    is_stopped_ = true;
    timer_.cancel();
  }
  bool is_stopped() const { return is_stopped_; }

  /// Which of them are ready; none: the time is over, or it is stopped.
  awaitable<lookup_sockets> wait(lookup_sockets sockets, std::chrono::microseconds time) {
    using base = asio::posix::descriptor_base;
    ready_.clear();
    ++turn_;
    std::list<borrowed_socket> watched;
    for (auto& s : sockets) {
      auto& watch = watched.emplace_back(timer_.get_executor());
      asio::error_code failed;
      if (watch->assign(s.fd, failed); failed)
        continue; // no memory for it in the kernel: the time goes on
      if (s.reads)
        watch->async_wait(base::wait_read, waking({s.fd, true, false}));
      if (s.writes)
        watch->async_wait(base::wait_write, waking({s.fd, false, true}));
    }
    timer_.expires_after(time);
    co_await timer_.async_wait(no_throw);
    ++turn_;
    co_return std::move(ready_);
  }

private:
  std::function<void(asio::error_code)> waking(lookup_socket s) {
    return [self = shared_from_this(), turn = turn_, s](asio::error_code failed) {
      if (failed || turn != self->turn_)
        return;
      self->ready_.push_back(s);
      self->timer_.cancel();
    };
  }

  asio::steady_timer timer_;
  bool is_stopped_ = false;
  uint64_t turn_ = 0; ///< others have nothing to wake any more
  lookup_sockets ready_;
};

} // namespace

awaitable<resolved_name> look_up_name(lookup_places where, std::string name, asio::cancellation_slot stop) {
  auto question = std::make_shared<name_question>(std::move(name), std::move(where.name_servers));
  auto alarm = std::make_shared<lookup_alarm>(where.loop);
  if (stop.is_connected())
    stop.assign([alarm](asio::cancellation_type) { alarm->stop(); });
  resolved_name stopped{{}, "nobody waits for it any more"};
  auto begin = [question] { return question->begin(), true; };
  auto done = co_await process::offload(where.worker, begin);
  while (done.ok() && !question->is_answered() && !alarm->is_stopped()) {
    auto ready = co_await alarm->wait(question->sockets(), question->time_left());
    if (alarm->is_stopped())
      break;
    auto go_on = [question, ready] { return question->go_on(ready), true; };
    done = co_await process::offload(where.worker, go_on);
  }
  stop.clear();
  question->close();
  if (!done.ok())
    stopped.problem = done.error.message;
  co_return done.ok() && question->is_answered() ? std::move(question->answer()) : stopped;
}

} // namespace egress
