// A server of TLS and clients of it, all on one loop.
#pragma once

#include "server_fixture.hpp"
#include "tls_client_side.hpp"
#include "tls_files_made.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace http_server_test {

/// A socket and the client's side of TLS over it, both of which go on by themselves while the loop runs.
class tls_client : public std::enable_shared_from_this<tls_client> {
public:
  tls_client(tcp::socket socket, const tls_client_side::wishes& how) : socket(std::move(socket)), side(how) {}

  void start() {
    flush();
    read_on();
  }
  /// After the handshake, or it waits for it.
  void send(std::string_view text) {
    waiting_ += text;
    flush();
  }
  /// Without close_notify.
  void cut() {
    asio::error_code ignored;
    socket.close(ignored);
  }
  void read_on() {
    if (std::exchange(reading_, true))
      return;
    socket.async_read_some(asio::buffer(buffer_), [self = shared_from_this()](asio::error_code failed, size_t count) {
      self->reading_ = false;
      if (failed) {
        self->end = failed;
        return;
      }
      self->side.feed({self->buffer_.data(), count});
      self->flush();
      if (!self->is_deaf)
        self->read_on();
    });
  }

  tcp::socket socket;
  tls_client_side side;
  asio::error_code end; ///< why nothing comes any more; none: it may
  bool is_deaf = false; ///< it reads no more

private:
  void flush() {
    if (side.is_ready() && !waiting_.empty())
      side.write(std::exchange(waiting_, {}));
    output_ += side.take_output();
    if (writing_ || output_.empty())
      return;
    writing_ = true;
    on_its_way_ = std::exchange(output_, {});
    asio::async_write(socket, asio::buffer(on_its_way_), [self = shared_from_this()](asio::error_code failed, size_t) {
      self->writing_ = false;
      if (!failed)
        self->flush();
    });
  }

  std::array<char, 64u << 10> buffer_;
  std::string waiting_, output_, on_its_way_;
  bool writing_ = false, reading_ = false;
};

struct server_tls_fixture : server_fixture {
  tls_folder folder;

  server_tls_fixture() { options.tls = folder.usual(); }

  std::shared_ptr<tls_client> connect_tls(const tls_client_side::wishes& how = {}) {
    auto out = std::make_shared<tls_client>(connect(), how);
    out->start();
    return out;
  }
  bool wait_for_handshake(const tls_client& of) {
    return run_until([&] { return of.side.is_ready() || of.end; }) && of.side.is_ready();
  }
  /// Everything until the other side closes the connection.
  std::string read_all(tls_client& from) {
    EXPECT_TRUE(run_until([&] { return bool(from.end); })) << "it was not closed; it said " << from.side.received;
    return std::exchange(from.side.received, {});
  }
  /// So many bytes, or what there is when the connection is closed.
  std::string read_bytes(tls_client& from, size_t count) {
    auto& text = from.side.received;
    EXPECT_TRUE(run_until([&] { return text.size() >= count || from.end; })) << "not so much was sent";
    auto out = text.substr(0, count);
    text.erase(0, count);
    return out;
  }
  /// One answer with a Content-Length, on a connection that stays open.
  std::string read_answer(tls_client& from) {
    auto& text = from.side.received;
    EXPECT_TRUE(run_until([&] { return text.find("\r\n\r\n") != text.npos || from.end; })) << text;
    auto head = text.find("\r\n\r\n");
    auto at = text.find("Content-Length: ");
    if (head == text.npos || at > head)
      return read_all(from);
    return read_bytes(from, head + 4 + std::stoul(text.substr(at + 16)));
  }
  std::string talk_tls(std::string_view text) {
    auto client = connect_tls();
    client->send(text);
    return read_all(*client);
  }
};

} // namespace http_server_test
