// A connection as TCP has it.
#pragma once

#include "wire.hpp"

namespace http {

class plain_wire final : public wire {
public:
  explicit plain_wire(asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

  asio::any_io_executor get_executor() override { return socket_.get_executor(); }
  bool is_ready() const override { return true; }
  void read_some(asio::mutable_buffer to, handler then) override;
  void write_some(const buffers& from, handler then) override;
  void write_now(std::string_view text) override;
  std::optional<asio::ip::tcp::socket> part(std::string_view last_words) override;
  void close() override;
  void reset() override;

private:
  asio::ip::tcp::socket socket_;
};

} // namespace http
