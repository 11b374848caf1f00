// The answer to one request, from the head to the last byte that the system takes.
#pragma once

#include "guarded_connection.hpp"
#include "outlet.hpp"
#include "response_text.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace http {

/// So much is given to the system at once: that a client reads is seen by every such piece, and what is in many small
/// ones becomes one packet.
inline constexpr size_t sent_bytes_max = 256u << 10;

/// Lives as long as something is to be sent; who answers has a handle on it (make_exchange), and may be gone before.
class answering : public std::enable_shared_from_this<answering> {
public:
  answering(answer_form form, std::unique_ptr<outlet> out, std::weak_ptr<guarded_connection> connection,
            asio::any_io_executor loop)
    : form_(form),
      out_(std::move(out)),
      connection_(std::move(connection)),
      loop_(std::move(loop)) {}

  void answer(response whole);
  void begin(response head);
  void write(std::string piece);
  void end();
  void abort();
  size_t unsent_bytes() const { return unsent_bytes_; }
  void when_gone(std::function<void()> gone);
  void when_sent(std::function<void()> sent);
  /// Nobody answers any more: 500, if nothing was said, and the end of the connection, if not all was.
  void drop();
  /// The connection is no more.
  void lose();

private:
  enum class stage { waiting, begun, ended, sent, gone, aborted };

  void start(const response& answer, body_end end, uint64_t length);
  void add(std::string piece);
  void pump();
  std::string next_bytes();
  void went(outlet::outcome how, size_t count);
  void tell(std::function<void()>& whom);
  bool is_over() const { return stage_ == stage::sent || stage_ == stage::gone || stage_ == stage::aborted; }

  answer_form form_;
  std::unique_ptr<outlet> out_; ///< null when it is over
  std::weak_ptr<guarded_connection> connection_;
  asio::any_io_executor loop_;
  stage stage_ = stage::waiting;
  body_end end_ = body_end::length;
  bool has_body_ = true; ///< neither HEAD nor 204
  std::string head_;     ///< has not been sent
  std::deque<std::string> pieces_;
  size_t front_sent_bytes_ = 0; ///< of the first piece
  size_t unsent_bytes_ = 0;     ///< of pieces, and of what is on its way
  bool on_its_way_ = false;
  std::function<void()> gone_;
  std::function<void()> sent_;
};

/// Dropping it is answering::drop().
std::shared_ptr<exchange> make_exchange(std::shared_ptr<answering> answer);

} // namespace http
