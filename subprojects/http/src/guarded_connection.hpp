// A connection with the gate in front: what RESTinio takes for its socket is a view of it (guarded_socket.hpp).
//
// RESTinio is told of a request when it is complete, and by a constant text: if it read the request itself, there would
// be two opinions of where it ends, and a body that was only announced would take its memory. It does what comes then:
// the order of reading, handling and writing, and the end of the connection.
//
// Whether the bytes are encrypted is the business of its wire; that the wire is not ready yet is limited like a head.
#pragma once

#include "gate.hpp"
#include "wire.hpp"

#include <asio/buffer.hpp>
#include <asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace http {

/// What a client may send ahead, while its last request is being answered; then nothing is read until it is, and that
/// the client has gone is not noticed. As much as a usual socket buffer holds.
inline constexpr size_t read_ahead_bytes_max = 64u << 10;
/// So much is read at once.
inline constexpr size_t read_bytes_max = 16u << 10;

struct connection_times {
  std::chrono::milliseconds head_max, body_max, idle_max, stall_max; ///< of server_options
};

/// `body`: its head is whole, and was looked at.
enum class owed_part { none, body, head };

class guarded_connection : public std::enable_shared_from_this<guarded_connection> {
public:
  using handler = wire::handler;
  using buffers = wire::buffers;

  /// `place` is held while the connection is one. `leave` gives one for what follows its last answer; null: there is
  /// none, and it is closed at once.
  guarded_connection(std::shared_ptr<wire> line, std::unique_ptr<gate> door, connection_times times,
                     std::shared_ptr<void> place, std::function<std::shared_ptr<void>()> leave);

  // What a socket has, for RESTinio: one read and one write at a time.
  void read(asio::mutable_buffer to, handler then);
  void write(const buffers& from, handler then);
  void close();
  bool is_open() const { return open_; }
  asio::any_io_executor get_executor() { return wire_->get_executor(); }

  /// The request that RESTinio was told of.
  arrival take_request() { return gate_->take_arrival(); }
  /// `gone` is called once if the connection ends before answered().
  void watch(std::function<void()> gone) { gone_ = std::move(gone); }
  /// Everything was sent to the request: the next one may come.
  void answered();
  /// Breaks it off. `gone` is not called.
  void abort();
  /// Answers no request after this one. If there is none, it is closed.
  void finish();
  bool is_finishing() const { return finishing_; }
  /// What it has not sent yet of its first request; one that is about to be refused owes nothing.
  owed_part owes() const {
    return !open_ || has_asked_ ? owed_part::none : phase_ == phase::body ? owed_part::body : owed_part::head;
  }

private:
  enum class phase { none, handshake, idle, head, body };

  void read_on();
  void advance();
  void hand_over();
  void offer_continue();
  std::chrono::milliseconds time_of(phase which) const;
  void enter(phase next);
  void late(phase in);
  void watch_progress();
  void refuse(const response& answer);
  void part(std::string_view last_words);
  void lose();
  void drop_wire();
  void end_read(asio::error_code failed, size_t count);

  std::shared_ptr<wire> wire_;
  std::unique_ptr<gate> gate_;
  connection_times times_;
  std::shared_ptr<void> place_;
  std::function<std::shared_ptr<void>()> leave_;
  bool open_ = true;
  bool finishing_ = false;
  bool busy_ = false;      ///< a request is being answered
  bool has_asked_ = false; ///< a request has come: who connects and asks for nothing is not waited for as long
  bool reading_ = false;   ///< from the wire
  bool writing_ = false;
  std::array<char, read_bytes_max> buffer_;
  std::string input_; ///< has come, and the gate has not seen it
  std::function<void()> gone_;

  phase phase_ = phase::none;
  asio::steady_timer limit_; ///< of the phase
  asio::steady_timer stall_;

  /// RESTinio's read waits for this timer, which never expires: what waits belongs to the loop, and ends with it.
  asio::steady_timer turn_;
  bool awaited_ = false;
  asio::mutable_buffer read_to_;
  asio::error_code read_failed_;
  size_t read_bytes_ = 0;
};

} // namespace http
