#include "http/client.hpp"

#include "client_transfer.hpp"
#include "curl_library.hpp"
#include "socket_watch.hpp"

#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <map>
#include <optional>
#include <utility>

namespace http {

namespace {

using transfer_ptr = std::shared_ptr<client_transfer>;

} // namespace

std::string_view to_string(client_failure failure) {
  switch (failure) {
    case client_failure::none: return "none";
    case client_failure::resolve: return "resolve";
    case client_failure::connect: return "connect";
    case client_failure::tls: return "tls";
    case client_failure::timeout_first_byte: return "timeout_first_byte";
    case client_failure::timeout: return "timeout";
    case client_failure::too_large: return "too_large";
    case client_failure::cut: return "cut";
    case client_failure::cancelled: return "cancelled";
    case client_failure::no_memory: return "no_memory";
    case client_failure::other: return "other";
  }
  return "other";
}

std::string_view find_header(const headers& in, std::string_view name) {
  for (auto& field : in)
    if (field.name == name)
      return field.value;
  return {};
}

// ---- the multi handle --------------------------------------------------------------------------

/// Handlers run inside of libcurl, and may call whatever they like: so everything that changes libcurl's state waits
/// for settle(), which runs outside of it.
class client::core : public std::enable_shared_from_this<core> {
public:
  core(asio::io_context& io, client_options options) : io_(io), options_(std::move(options)), timer_(io) {}
  core(const core&) = delete;
  core& operator=(const core&) = delete;
  ~core() { destroy(); }

  transfer_ptr start(client_request request, client_handlers handlers);
  void close();

private:
  /// While libcurl is at work. A handler that closes the client meanwhile leaves it alone; the last one out destroys
  /// it.
  class inside {
  public:
    explicit inside(core& c) : core_(c) { ++core_.depth_; }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
    ~inside() {
      if (--core_.depth_ == 0 && core_.closed_)
        core_.destroy();
    }

  private:
    core& core_;
  };

  static int socket_changed(CURL* easy, curl_socket_t socket, int what, void* self, void*);
  static int timer_changed(CURLM*, long ms, void* self);

  bool open();
  void note(transfer_ptr transfer) noexcept;
  transfer_ptr take_noted() noexcept;
  void wake() noexcept;
  void act(curl_socket_t socket, int what);
  void take_messages();
  void settle();
  void settle(const transfer_ptr& transfer);
  void settle_in_any_case(const transfer_ptr& transfer) noexcept;
  void add(client_transfer& transfer);
  void end(transfer_ptr transfer);
  void remove(client_transfer& transfer);
  void watch(CURL* easy, curl_socket_t socket, int what);
  void set_timer(long ms);
  void set_lost_timer() noexcept;
  void destroy();
  client_transfer* transfer_of(CURL* easy) const;

  asio::io_context& io_;
  client_options options_;
  const curl_library* curl_ = nullptr; ///< null: not loaded yet
  CURLM* multi_ = nullptr;
  asio::steady_timer timer_;
  std::map<curl_socket_t, std::shared_ptr<socket_watch>> watches_;
  std::map<client_transfer*, transfer_ptr> transfers_; ///< that have not ended
  transfer_ptr changed_;           ///< to be looked at: the last one that was noted, and through it all others
  std::vector<transfer_ptr> dead_; ///< of a client that was destroyed inside of libcurl
  int depth_ = 0;
  std::optional<long> lost_timer_; ///< of libcurl: there was no memory for it
  bool woken_ = false;
  bool closed_ = false;
};

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

transfer_ptr client::core::start(client_request request, client_handlers handlers) {
  curl_ = &load_curl();
  auto transfer = std::make_shared<client_transfer>(*curl_, io_, std::move(request), std::move(handlers));
  if (closed_) { // a handler that the end of the client called
    transfer->cancel();
    asio::post(io_, [transfer] { transfer->end(); });
    return transfer;
  }
  transfer->start([this, t = transfer.get()] { note(t->shared_from_this()); });
  transfers_.emplace(transfer.get(), transfer);
  note(transfer);
  return transfer;
}

/// Needs no memory.
void client::core::note(transfer_ptr transfer) noexcept {
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
transfer_ptr client::core::take_noted() noexcept {
  transfer_ptr out;
  for (auto rest = std::move(changed_); rest;) {
    auto next = std::move(rest->noted_before);
    rest->noted_before = std::move(out);
    out = std::move(rest);
    rest = std::move(next);
  }
  return out;
}

/// One that there is no memory for ends, and others have their turn.
void client::core::settle_in_any_case(const transfer_ptr& transfer) noexcept {
  try {
    settle(transfer);
  } catch (...) {
    transfer->fail_by_exception();
    end(transfer);
  }
}

void client::core::settle(const transfer_ptr& transfer) {
  if (!transfers_.contains(transfer.get()))
    return;
  if (!transfer->is_over() && !transfer->is_added)
    add(*transfer);
  if (transfer->is_over())
    return end(transfer);
  if (transfer->take_resumed()) {
    inside guard{*this};
    curl_->easy_pause(transfer->easy(), CURLPAUSE_CONT);
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

void client::core::end(transfer_ptr transfer) {
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

// ---- sockets and time --------------------------------------------------------------------------

void client::core::act(curl_socket_t socket, int what) {
  auto self = shared_from_this();
  {
    inside guard{*this};
    int running = 0;
    curl_->multi_socket_action(multi_, socket, what, &running);
  }
  if (closed_)
    return;
  take_messages();
  settle();
}

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

// ---- the interface -----------------------------------------------------------------------------

void client_handle::cancel() {
  if (auto transfer = transfer_.lock())
    transfer->cancel();
}

void client_handle::pause() {
  if (auto transfer = transfer_.lock())
    transfer->pause();
}

void client_handle::resume() {
  if (auto transfer = transfer_.lock())
    transfer->resume();
}

client::client(asio::io_context& io, client_options options) : core_(std::make_shared<core>(io, std::move(options))) {}

client::~client() { core_->close(); }

client_handle client::start(client_request request, client_handlers handlers) {
  return client_handle{core_->start(std::move(request), std::move(handlers))};
}

asio::awaitable<client_result> client::fetch(client_request request) {
  auto initiate = [this](auto handler, client_request asked) {
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
    client_handlers handlers;
    handlers.on_end = [waiting](client_result result) {
      auto executor = asio::get_associated_executor(*waiting);
      asio::post(executor, [waiting, answer = std::move(result)]() mutable {
        asio::get_associated_cancellation_slot(*waiting).clear();
        std::move (*waiting)(std::move(answer));
      });
    };
    auto handle = start(std::move(asked), std::move(handlers));
    if (slot.is_connected())
      slot.assign([handle](asio::cancellation_type) mutable { handle.cancel(); });
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(client_result)>(
    initiate, asio::use_awaitable, std::move(request));
}

} // namespace http
