// What goes on between one client over HTTP and us: the responses that are open, what waits to be read in them, and
// what can be sent again. Knows no message.
#pragma once

#include "http/server.hpp"
#include "mcp/event_log.hpp"
#include "mcp/http_reply.hpp"
#include "mcp/outgoing.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace mcp {

/// So long a client may be away, with neither a stream that it reads nor a request: then what it has left is lost, with
/// the runs of its requests. Clients that come back for an answer do so within seconds (msg::limits::http_retry), those
/// that were ended or killed never, and a run may take five minutes.
inline constexpr std::chrono::milliseconds http_absence_max{30'000};

/// Whether a client can come back to a stream that broke.
enum class resumption : uint8_t {
  none,    ///< what breaks is lost, and its requests are cancelled
  quiet,   ///< events have ids
  offered, ///< and a stream begins with one, so that a client can come back before the first event
};

/// What came of the wish to go on reading a stream.
enum class resumed : uint8_t {
  yes,
  is_over, ///< that event was the last one: there is nothing to come back for
  no,      ///< there was no such stream, or what came after the event is not kept any more
};

class http_streams : public std::enable_shared_from_this<http_streams> {
public:
  using time_point = http_reply::time_point;
  using clock = std::function<time_point()>;

  /// `lost`: nobody reads that stream any more, and nobody can come back to it.
  http_streams(clock now, std::function<void(stream_number)> lost);

  /// The answer to a request. `fields`: of the response.
  stream_number open(std::shared_ptr<http::exchange> to, resumption how, http::headers fields);
  /// The stream of what belongs to no request. False: there is one already.
  bool open_own(std::shared_ptr<http::exchange> to, http::headers fields);
  /// Sends what came after that event, and what comes.
  resumed resume(const event_place& after, std::shared_ptr<http::exchange> to, http::headers fields);

  /// `status`: of an answer that is no stream.
  void deliver(stream_number stream, outgoing::kind what, std::string text, uint16_t status = 200);
  /// There is an event too much: its reader is left, and can not go on where it was if it comes back.
  void leave_out(stream_number stream);
  /// The client has shown that it is there, by a request of whatever kind.
  void asked() { seen_ = now_(); }
  /// What has been silent for long shows that it lives, and what a client that is gone has left is lost
  /// (http_absence_max); call it now and then.
  void keep_alive();
  /// All are closed in order; who still waits for an answer is told. No more is delivered.
  void end();

  /// Requests that are not answered yet, and the stream that belongs to none if somebody reads it.
  size_t count() const;
  bool has_requests() const;
  /// Of `count`, those that somebody reads.
  size_t attached() const;
  size_t unsent_bytes() const;

private:
  struct open_stream {
    std::unique_ptr<http_reply> reply; ///< null: its reader is gone
    resumption how = resumption::none;
    uint64_t events = 0;  ///< that it has had
    uint64_t readers = 0; ///< that it has had: an earlier one is not missed
  };

  void attach(stream_number stream, open_stream& to, std::shared_ptr<http::exchange> reader, http::headers fields);
  bool has_all_after(const event_place& place, const open_stream* stream) const;
  void break_off(stream_number stream, open_stream& of);
  void reader_gone(stream_number stream, uint64_t reader);
  void tell(stream_number stream, open_stream& to, const std::string& text);
  void finish(stream_number stream, open_stream& to, std::string text, uint16_t status);
  void end_if_absent(time_point now);
  void look_alive(stream_number stream, open_stream& s, time_point now);

  clock now_;
  std::function<void(stream_number)> lost_;
  event_log log_;
  stream_number last_ = 0;
  std::map<stream_number, open_stream> open_;
  std::map<stream_number, uint64_t> ended_; ///< of those that have ended, the last events
  time_point seen_{};                       ///< when the client was there
  bool has_ended_ = false;
};

} // namespace mcp
