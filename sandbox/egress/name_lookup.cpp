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
using std::chrono::steady_clock;
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

/// The first ones. One that is not public is enough: the name is refused for it, wherever in a long answer it stands.
std::vector<address> addresses_of(const ares_addrinfo* found) {
  std::vector<address> out;
  for (auto* node = found ? found->nodes : nullptr; node; node = node->ai_next) {
    auto a = address_at(*node);
    if (a && !is_public(*a))
      return {*a};
    if (a && out.size() < limits::egress_addresses_max)
      out.push_back(*a);
  }
  return out;
}

/// c-ares tells of a server that refuses, or fails, the same as of one that is not there.
std::string text_of(int status) {
  return status == ARES_ECONNREFUSED ? "no name server gave an answer: they can not be reached, or refuse, or fail"
                                     : ares_strerror(status);
}

/// A channel of c-ares and its questions, one for each family: some name servers never answer the one for IPv6.
/// Belongs to one thread at a time.
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
    if (failed != ARES_SUCCESS) {
      take(failed, nullptr);
      return settle();
    }
    bool wants_ipv6 = is_ipv6_there();
    open_ = wants_ipv6 ? 2 : 1;
    ask(AF_INET);
    if (wants_ipv6 && answer_.addresses.empty()) // else it stands in /etc/hosts
      ask(AF_INET6);
    else if (wants_ipv6)
      --open_;
    settle();
  }

  void go_on(const lookup_sockets& ready) {
    ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD); // what has taken too long
    for (auto& s : ready)
      ares_process_fd(channel_, s.reads ? s.fd : ARES_SOCKET_BAD, s.writes ? s.fd : ARES_SOCKET_BAD);
    settle();
  }

  bool is_answered() const { return is_settled_; }
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
    std::chrono::microseconds of_servers{std::chrono::seconds{t->tv_sec} + std::chrono::microseconds{t->tv_usec}};
    if (answer_.addresses.empty())
      return of_servers;
    auto of_other = std::chrono::duration_cast<std::chrono::microseconds>(other_family_by_ - steady_clock::now());
    return std::clamp(of_other, std::chrono::microseconds{0}, of_servers);
  }

  void close() {
    if (channel_)
      ares_destroy(std::exchange(channel_, nullptr));
  }

private:
  void ask(int family) {
    ares_addrinfo_hints wanted{};
    wanted.ai_family = family;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = ARES_AI_NOSORT; // which would open a socket for each of 4,000 addresses
    ares_getaddrinfo(channel_, name_.c_str(), nullptr, &wanted, answered, this);
  }

  static void answered(void* self, int status, int, ares_addrinfo* found) {
    std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> owned{found, ares_freeaddrinfo};
    static_cast<name_question*>(self)->take(status, found);
  }

  /// C calls it: an exception waits for settle().
  void take(int status, const ares_addrinfo* found) noexcept {
    if (status == ARES_EDESTRUCTION) // that was close()
      return;
    open_ = open_ > 0 ? open_ - 1 : 0;
    try {
      auto more = addresses_of(found);
      if (answer_.addresses.empty())
        other_family_by_ = steady_clock::now() + limits::egress_other_family_max;
      answer_.addresses.insert(answer_.addresses.end(), more.begin(), more.end());
      if (answer_.problem.empty() || status != ARES_ENODATA)
        answer_.problem = status == ARES_SUCCESS ? "the name has no address" : text_of(status);
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }

  bool is_over() const {
    bool has_enough = !answer_.addresses.empty() && steady_clock::now() >= other_family_by_;
    return open_ == 0 || has_enough || thrown_;
  }

  void settle() {
    if (!is_over())
      return;
    is_settled_ = true;
    close();
    if (thrown_)
      std::rethrow_exception(std::exchange(thrown_, {}));
    if (!answer_.addresses.empty())
      answer_.problem.clear();
    refuse_if_any_is_not_public();
    order_by_reach(answer_.addresses);
    answer_.addresses.resize(std::min(answer_.addresses.size(), limits::egress_addresses_max));
  }

  /// One that is not public is told alone, of whichever family it is.
  void refuse_if_any_is_not_public() {
    auto& all = answer_.addresses;
    auto found = std::find_if(all.begin(), all.end(), [](auto& a) { return !is_public(a); });
    if (found != all.end())
      all = {*found};
  }

  std::string name_, name_servers_;
  ares_channel channel_ = nullptr;
  resolved_name answer_;
  int open_ = 0;                             ///< questions without an answer
  steady_clock::time_point other_family_by_; ///< when there is an address
  bool is_settled_ = false;
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
