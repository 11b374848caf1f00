// One request of the client: what libcurl is told of it, what it tells, and how it ended.
#pragma once

#include "curl_library.hpp"
#include "http/client.hpp"

#include <asio/steady_timer.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace http {

/// Its functions that any caller may call only note what is wanted and call `changed`; the client then does it, outside
/// of libcurl.
class client_transfer : public std::enable_shared_from_this<client_transfer> {
public:
  client_transfer(const curl_library& curl, asio::io_context& io, client_request request, client_handlers handlers);
  client_transfer(const client_transfer&) = delete;
  client_transfer& operator=(const client_transfer&) = delete;
  ~client_transfer();

  void cancel();
  void pause() { paused_ = true; }
  void resume();

  // ---- for the client ----

  /// Calls `changed` whenever the client has to look at this transfer, perhaps inside of libcurl. `may_read` is told of
  /// the bytes of TLS that libcurl has read on its behalf; false: the client has ended their connection. Time begins to
  /// count.
  void start(std::function<void()> changed, std::function<bool(size_t bytes)> may_read);
  /// Makes what libcurl needs. Not possible: it is over, with the reason.
  void prepare(const client_options& options);
  /// libcurl is done with it.
  void done(CURLcode code);
  /// The first reason counts.
  void fail(client_failure failure, std::string message);
  /// With the exception that is being handled. Needs no memory.
  void fail_by_exception() noexcept;
  bool is_over() const { return over_; }
  /// No further handler is called, and `changed` is not either.
  void end();
  /// libcurl holds back what it has for it, and need not any more.
  bool wants_turn() const { return held_ && !paused_ && !over_; }
  /// True: libcurl has to be told to go on.
  bool begin_turn();
  /// Null before prepare() and after release().
  CURL* easy() const { return easy_; }
  /// libcurl must not know the handle any more. Notes what is still to be known of it.
  void release();
  /// Added to the multi handle.
  bool is_added = false;
  /// It has a connection, and begins to leave.
  bool has_left = false;
  /// In the client's list of what to look at.
  bool is_noted = false;
  /// In the same list, the one before it.
  std::shared_ptr<client_transfer> noted_before;
  /// In the client's list of those that wait for their turn, and who has the next one.
  bool waits_for_turn = false;
  std::shared_ptr<client_transfer> next_in_turn;

  // ---- for libcurl ----

  /// Bytes of the body as they were sent, with what frames them: libcurl has not looked at them yet. Or the head of a
  /// record of TLS.
  void arrived(curl_infotype what, std::string_view bytes);
  /// False: no more.
  bool header_line(std::string_view line);
  /// How many of them were taken, or one of libcurl's signs.
  size_t body(std::string_view bytes);

private:
  static int request_is_sent(void* self, char*, char*, int, int);

  template <class T>
  void set(CURLoption option, T value) {
    if (auto code = curl_.easy_setopt(easy_, option, value); code != CURLE_OK)
      fail(client_failure::other, host_ + ": the request can not be made: " + curl_.easy_strerror(code));
  }
  void set_connection(const client_options& options);
  void set_request();
  void set_headers();
  void set_callbacks();
  void add_field(std::string_view line);
  void end_of_head();
  void hold();
  void arm();
  void alarm();
  client_failure failure_of(CURLcode code) const;
  template <class T>
  T number(CURLINFO what) const {
    T value = 0;
    curl_.easy_getinfo(easy_, what, &value);
    return value;
  }

  const curl_library& curl_;
  client_request request_;
  client_handlers handlers_;
  std::function<void()> changed_;
  std::function<bool(size_t bytes)> may_read_;
  std::string host_; ///< for messages
  client_result result_;
  CURL* easy_ = nullptr;
  curl_slist* fields_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_{};
  asio::steady_timer timer_;
  asio::steady_timer::time_point end_at_;
  asio::steady_timer::time_point first_byte_at_ = asio::steady_timer::time_point::max();
  size_t head_bytes_ = 0;
  size_t body_bytes_ = 0;
  size_t wire_bytes_ = 0;  ///< of the body, with what frames it
  size_t turn_bytes_ = 0;  ///< of those, since its last turn
  size_t turn_pieces_ = 0; ///< of the body
  bool has_head_ = false;
  std::string_view unsent_; ///< of the request's body
  bool paused_ = false;
  bool held_ = false; ///< by libcurl
  bool over_ = false;
};

using client_transfer_ptr = std::shared_ptr<client_transfer>;

/// What is called by libcurl: an exception would go through its frames, which are written in C, and leave it in a state
/// in which it takes no request any more. It ends the transfer instead.
template <class Call>
auto guarded(client_transfer& transfer, Call call, decltype(call()) if_thrown) noexcept {
  try {
    return call();
  } catch (...) {
    transfer.fail_by_exception();
    return if_thrown;
  }
}

} // namespace http
