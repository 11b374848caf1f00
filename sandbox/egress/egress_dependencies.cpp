#include "sandbox/egress/egress_dependencies.hpp"

#include "process/child.hpp"
#include "process/no_throw.hpp"
#include "sandbox/egress/local_route.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <csignal>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace egress {

namespace {

using asio::awaitable;
using asio::ip::address;
using asio::ip::address_v4;
using asio::ip::address_v6;
using asio::ip::tcp;
using process::no_throw;

/// One question to glibc's own resolver threads. asio's resolver has a single thread: one name server that does not
/// answer would stop every guest, and the end of the server would wait for it.
struct lookup {
  explicit lookup(std::string text) : name(std::move(text)), done(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_ADDRCONFIG;
    request.ar_name = name.c_str();
    request.ar_request = &wanted;
  }
  lookup(const lookup&) = delete;
  lookup& operator=(const lookup&) = delete;
  ~lookup() {
    if (request.ar_result)
      ::freeaddrinfo(request.ar_result);
  }

  std::string name;
  addrinfo wanted{};
  gaicb request{};
  process::descriptor done; ///< readable once the answer is there
};
using lookup_pointer = std::shared_ptr<lookup>;

/// On a thread of glibc.
void tell(sigval value) {
  std::unique_ptr<lookup_pointer> finished{static_cast<lookup_pointer*>(value.sival_ptr)};
  uint64_t one = 1;
  [[maybe_unused]] auto ignored = ::write((*finished)->done.get(), &one, sizeof one);
}

/// 0: `l->done` will exec readable.
int begin(const lookup_pointer& l) {
  auto kept = std::make_unique<lookup_pointer>(l); // for tell()
  sigevent when{};
  when.sigev_notify = SIGEV_THREAD;
  when.sigev_notify_function = tell;
  when.sigev_value.sival_ptr = kept.get();
  gaicb* list[] = {&l->request};
  auto failed = ::getaddrinfo_a(GAI_NOWAIT, list, 1, &when);
  if (failed == 0)
    static_cast<void>(kept.release());
  return failed;
}

address address_of(const sockaddr* from) {
  if (from->sa_family == AF_INET)
    return address_v4{ntohl(reinterpret_cast<const sockaddr_in*>(from)->sin_addr.s_addr)};
  address_v6::bytes_type bytes;
  std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr, bytes.size());
  return address_v6{bytes};
}

bool is_internet(const sockaddr* a) { return a && (a->sa_family == AF_INET || a->sa_family == AF_INET6); }

resolved_name answer_of(const lookup& l) {
  resolved_name out;
  if (auto failed = ::gai_error(const_cast<gaicb*>(&l.request)); failed != 0)
    out.problem = ::gai_strerror(failed);
  for (auto* a = l.request.ar_result; a; a = a->ai_next)
    if (is_internet(a->ai_addr))
      out.addresses.push_back(address_of(a->ai_addr));
  if (out.addresses.empty() && out.problem.empty())
    out.problem = "the name has no address";
  return out;
}

awaitable<resolved_name> resolve(asio::any_io_executor executor, std::string name) {
  auto l = std::make_shared<lookup>(std::move(name));
  asio::posix::stream_descriptor done{executor};
  resolved_name failed{{}, "no resources for a lookup"};
  if (!l->done || begin(l) != 0)
    co_return failed;
  asio::error_code ec;
  done.assign(::dup(l->done.get()), ec);
  if (ec)
    co_return failed;
  co_await done.async_wait(asio::posix::descriptor_base::wait_read, no_throw);
  uint64_t count = 0;
  if (::read(l->done.get(), &count, sizeof count) != sizeof count)
    co_return failed; // the server is ending
  co_return answer_of(*l);
}

awaitable<asio::error_code> dial(tcp::socket& socket, tcp::endpoint to) {
  auto [ec] = co_await socket.async_connect(to, no_throw);
  co_return ec;
}

} // namespace

egress_dependencies internet(asio::any_io_executor executor) {
  auto resolve_here = [executor](std::string name) { return resolve(executor, std::move(name)); };
  return {resolve_here, is_routed_to_us, dial};
}

} // namespace egress
