#include "sandbox/egress/egress_dependencies.hpp"

#include "process/no_throw.hpp"
#include "sandbox/egress/local_route.hpp"
#include "sandbox/egress/name_lookup.hpp"

#include <utility>

namespace egress {

namespace {

asio::awaitable<asio::error_code> connect_socket(asio::ip::tcp::socket& socket, asio::ip::tcp::endpoint to) {
  auto [ec] = co_await socket.async_connect(to, process::no_throw);
  co_return ec;
}

} // namespace

egress_dependencies internet(asio::any_io_executor executor, asio::any_io_executor worker) {
  lookup_places where{std::move(executor), std::move(worker), {}};
  auto resolve = [where](std::string name, asio::cancellation_slot stop) {
    return look_up_name(where, std::move(name), stop);
  };
  return {resolve, is_routed_to_us, connect_socket};
}

} // namespace egress
