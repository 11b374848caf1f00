#include "socket_watch.hpp"

#include <curl/curl.h>

#include <cerrno>
#include <fcntl.h>

namespace http {

namespace {

static_assert(CURL_POLL_IN == CURL_CSELECT_IN && CURL_POLL_OUT == CURL_CSELECT_OUT
              && CURL_POLL_INOUT == (CURL_POLL_IN | CURL_POLL_OUT));

} // namespace

asio::error_code socket_watch::open(int socket) {
  auto own = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  if (own < 0)
    return {errno, asio::error::get_system_category()};
  asio::error_code failed;
  descriptor_.assign(own, failed);
  if (failed)
    ::close(own);
  return failed;
}

void socket_watch::want(int what) {
  wanted_ = what;
  wait();
}

void socket_watch::close() {
  wanted_ = 0;
  asio::error_code ignored;
  descriptor_.close(ignored);
}

void socket_watch::wait() {
  using base = asio::posix::descriptor_base;
  wait_for(base::wait_read, CURL_CSELECT_IN, &socket_watch::reading_);
  wait_for(base::wait_write, CURL_CSELECT_OUT, &socket_watch::writing_);
}

void socket_watch::wait_for(asio::posix::descriptor_base::wait_type type, int what, bool socket_watch::*waiting) {
  if ((wanted_ & what) == 0 || this->*waiting)
    return;
  this->*waiting = true;
  descriptor_.async_wait(type, [self = shared_from_this(), what, waiting](asio::error_code failed) {
    self.get()->*waiting = false;
    if (failed || (self->wanted_ & what) == 0)
      return;
    self->ready_(what);
    self->wait();
  });
}

} // namespace http
