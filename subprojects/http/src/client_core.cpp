#include "client_core.hpp"

#include <asio/post.hpp>

#include <utility>

namespace http {

bool client::core::open() {
  if (multi_)
    return true;
  if (!curl_->problem.empty())
    return false;
  multi_ = curl_->multi_init();
  if (!multi_)
    return false;
  curl_->multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &socket_changed);
  curl_->multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_->multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &timer_changed);
  curl_->multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_->multi_setopt(multi_, CURLMOPT_PIPELINING, long{CURLPIPE_MULTIPLEX});
  curl_->multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, client_connections_max);
  curl_->multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, client_host_connections_max);
  curl_->multi_setopt(multi_, CURLMOPT_MAXCONNECTS, client_idle_connections_max);
  return true;
}

client_transfer_ptr client::core::start(client_request request, client_handlers handlers) {
  curl_ = &load_curl();
  auto transfer = std::make_shared<client_transfer>(*curl_, io_, std::move(request), std::move(handlers));
  if (closed_) { // a handler that the end of the client called
    transfer->cancel();
    asio::post(io_, [transfer] { transfer->end(); });
    return transfer;
  }
  transfer->start([this, t = transfer.get()] { note(t->shared_from_this()); },
                  [this](size_t bytes) { return may_read(bytes); });
  transfers_.emplace(transfer.get(), transfer);
  note(transfer);
  return transfer;
}

/// Needs no memory.
void client::core::note(client_transfer_ptr transfer) noexcept {
  if (std::exchange(transfer->is_noted, true))
    return;
  transfer->noted_before = std::move(changed_);
  changed_ = std::move(transfer);
  wake();
}

/// Without memory for it, whatever comes next does it: another socket or timer, which each transfer has.
void client::core::wake() noexcept {
  // Inside of libcurl, settle() comes anyway.
  if (depth_ > 0 || woken_)
    return;
  try {
    asio::post(io_, [self = shared_from_this()] {
      self->woken_ = false;
      self->settle();
    });
    woken_ = true;
  } catch (...) {
  }
}

void client::core::settle() {
  set_lost_timer();
  // One round: what handlers start meanwhile has its turn when others have had theirs.
  for (auto round = take_noted(); round;) {
    auto transfer = std::move(round);
    round = std::move(transfer->noted_before);
    transfer->is_noted = false;
    if (!closed_)
      settle_in_any_case(transfer);
  }
  if (changed_)
    wake();
}

/// In the order in which they were noted.
client_transfer_ptr client::core::take_noted() noexcept {
  client_transfer_ptr out;
  for (auto rest = std::move(changed_); rest;) {
    auto next = std::move(rest->noted_before);
    rest->noted_before = std::move(out);
    out = std::move(rest);
    rest = std::move(next);
  }
  return out;
}

/// One that there is no memory for ends, and others have their turn.
void client::core::settle_in_any_case(const client_transfer_ptr& transfer) noexcept {
  try {
    settle(transfer);
  } catch (...) {
    transfer->fail_by_exception();
    end(transfer);
  }
}

void client::core::settle(const client_transfer_ptr& transfer) {
  if (!transfers_.contains(transfer.get()))
    return;
  if (!transfer->is_over() && !transfer->is_added)
    add(*transfer);
  if (transfer->is_over())
    return end(transfer);
  if (transfer->wants_turn()) {
    turns_.add(transfer);
    await_turn();
  }
}

void client::core::add(client_transfer& transfer) {
  if (!open())
    return transfer.fail(client_failure::other, curl_->problem.empty() ? "libcurl has no memory" : curl_->problem);
  transfer.prepare(options_);
  if (transfer.is_over())
    return;
  inside guard{*this};
  if (auto code = curl_->multi_add_handle(multi_, transfer.easy()); code != CURLM_OK)
    transfer.fail(client_failure::other, "libcurl does not take the request");
  else
    transfer.is_added = true;
}

void client::core::end(client_transfer_ptr transfer) {
  transfers_.erase(transfer.get());
  remove(*transfer);
  transfer->end();
}

void client::core::remove(client_transfer& transfer) {
  if (std::exchange(transfer.is_added, false)) {
    inside guard{*this};
    curl_->multi_remove_handle(multi_, transfer.easy());
  }
  transfer.release();
}

// ---- the end -----------------------------------------------------------------------------------

void client::core::close() {
  closed_ = true;
  for (auto& [pointer, transfer] : std::exchange(transfers_, {}))
    dead_.push_back(transfer);
  for (auto& transfer : dead_) {
    transfer->cancel();
    transfer->end();
  }
  if (depth_ == 0)
    destroy();
}

void client::core::destroy() {
  timer_.cancel();
  turn_timer_.cancel();
  turns_.clear();
  for (auto left = take_noted(); left;)
    left = std::exchange(left->noted_before, nullptr);
  if (!multi_)
    return;
  for (auto& transfer : dead_) {
    if (std::exchange(transfer->is_added, false))
      curl_->multi_remove_handle(multi_, transfer->easy());
    transfer->release();
  }
  curl_->multi_cleanup(std::exchange(multi_, nullptr));
  for (auto& [socket, watch] : std::exchange(watches_, {}))
    watch->close();
}

} // namespace http
