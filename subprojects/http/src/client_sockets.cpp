// The part of the client that is called when a socket or the time is ready.
#include "client_core.hpp"

#include <sys/socket.h>
#include <utility>

namespace http {

void client::core::act(curl_socket_t socket, int what) {
  auto self = shared_from_this();
  at_work work{*this};
  {
    inside guard{*this};
    encrypted_at_once_ = 0;
    int running = 0;
    curl_->multi_socket_action(multi_, socket, what, &running);
  }
  if (closed_)
    return;
  take_messages();
  settle();
}

/// Nothing stops libcurl but the end of the connection. Which one it is, nobody tells: all end, which are to the same
/// server in this program.
bool client::core::may_read(size_t bytes) {
  encrypted_at_once_ += bytes;
  if (encrypted_at_once_ <= encrypted_bytes_at_once_max)
    return true;
  encrypted_at_once_ = 0;
  for (auto& [socket, watch] : watches_) {
    sockaddr nowhere{}; // of no family: a reset. After shutdown(), libcurl would read what still comes
    [[maybe_unused]] auto disconnected = ::connect(socket, &nowhere, sizeof nowhere);
  }
  return false;
}

// ---- turns -------------------------------------------------------------------------------------

/// Passes on what libcurl holds of those whose turn it is. It reads on when the loop comes round.
void client::core::begin_turn() {
  auto self = shared_from_this();
  at_work work{*this};
  for (size_t i = 0; i < transfers_of_turn_max && !closed_;) {
    auto transfer = turns_.next();
    if (!transfer)
      break;
    if (!transfer->begin_turn())
      continue;
    ++i;
    inside guard{*this};
    curl_->easy_pause(transfer->easy(), CURLPAUSE_CONT);
  }
  if (closed_)
    return;
  take_messages();
  settle();
}

/// Without memory for it, whatever comes next does it.
void client::core::await_turn() noexcept {
  if (is_turn_awaited_ || turns_.empty() || closed_)
    return;
  try {
    turn_timer_.expires_after(turns_.rest(reading_turns::clock::now()));
    turn_timer_.async_wait([weak = weak_from_this()](asio::error_code failed) {
      auto self = weak.lock();
      if (!self || self->closed_)
        return;
      self->is_turn_awaited_ = false;
      if (!failed)
        self->begin_turn();
    });
    is_turn_awaited_ = true;
  } catch (...) {
  }
}

// ---- sockets and time --------------------------------------------------------------------------

void client::core::take_messages() {
  int left = 0;
  while (auto* message = curl_->multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE)
      continue;
    if (auto* transfer = transfer_of(message->easy_handle))
      guarded(
        *transfer, [&, code = message->data.result] { return transfer->done(code), 0; }, 0);
  }
}

client_transfer* client::core::transfer_of(CURL* easy) const {
  client_transfer* out = nullptr;
  curl_->easy_getinfo(easy, CURLINFO_PRIVATE, &out);
  return out;
}

int client::core::socket_changed(CURL* easy, curl_socket_t socket, int what, void* self, void*) {
  auto& all = *static_cast<core*>(self);
  try {
    all.watch(easy, socket, what);
  } catch (...) {
    if (auto* transfer = all.transfer_of(easy))
      transfer->fail_by_exception();
  }
  return 0; // anything else would end all requests
}

void client::core::watch(CURL* easy, curl_socket_t socket, int what) {
  auto found = watches_.find(socket);
  if (what == CURL_POLL_REMOVE) {
    if (found != watches_.end()) {
      found->second->close();
      watches_.erase(found);
    }
    return;
  }
  if (found == watches_.end()) {
    auto ready = [weak = weak_from_this(), socket](int happened) {
      if (auto self = weak.lock())
        self->act(socket, happened);
    };
    auto opened = std::make_shared<socket_watch>(io_, std::move(ready));
    if (auto failed = opened->open(socket)) {
      if (auto* transfer = transfer_of(easy))
        transfer->fail(client_failure::other, "a connection can not be watched: " + failed.message());
      return;
    }
    found = watches_.emplace(socket, std::move(opened)).first;
  }
  found->second->want(what);
}

int client::core::timer_changed(CURLM*, long ms, void* self) {
  auto& all = *static_cast<core*>(self);
  all.lost_timer_ = ms;
  all.set_lost_timer();
  return 0;
}

/// Tried again with whatever comes next, if there was no memory for it.
void client::core::set_lost_timer() noexcept {
  if (!lost_timer_)
    return;
  try {
    set_timer(*lost_timer_);
    lost_timer_.reset();
  } catch (...) {
  }
}

void client::core::set_timer(long ms) {
  timer_.cancel();
  if (ms < 0 || closed_)
    return;
  timer_.expires_after(std::chrono::milliseconds{ms});
  timer_.async_wait([weak = weak_from_this()](asio::error_code failed) {
    if (auto self = weak.lock(); self && !failed && !self->closed_)
      self->act(CURL_SOCKET_TIMEOUT, 0);
  });
}

} // namespace http
