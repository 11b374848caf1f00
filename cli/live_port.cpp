#include "cli/live_port.hpp"

#include "actors/bridge/ask.hpp"
#include "cli/live_servers.hpp"
#include "process/child.hpp"
#include "process/no_throw.hpp"

#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <caf/all.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace cli {

using std::chrono::milliseconds;

namespace {

/// Who asks while so many are being answered has to wait.
constexpr uint32_t connections_max = 8;
/// For the connector to answer, and for the answer to be read.
constexpr milliseconds answer_max{1'000}, write_max{1'000};
constexpr milliseconds accept_pause{100};

/// Both folders are for this user alone. Invalid: it could not be made, or is somebody else's.
process::descriptor prepare_folder(const std::string& state_folder) {
  auto folder = live_folder(state_folder);
  ::mkdir(state_folder.c_str(), 0700);
  ::mkdir(folder.c_str(), 0700);
  process::descriptor at{::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
  struct stat about {};
  if (!at || ::fstat(at.get(), &about) != 0 || about.st_uid != ::geteuid() || (about.st_mode & 077) != 0)
    return {};
  return at;
}

} // namespace

std::shared_ptr<live_port> live_port::open(asio::io_context& io, caf::strong_actor_ptr port,
                                           const msg::connector_actor& connector, const std::string& state_folder) {
  if (state_folder.empty())
    return nullptr;
  auto folder = prepare_folder(state_folder);
  if (!folder)
    return nullptr;
  auto name = live_name(::getpid());
  auto path = live_folder(state_folder) + "/" + name;
  ::unlink(path.c_str()); // of a process that had our number
  std::shared_ptr<live_port> out{new live_port{io, std::move(port), connector, path}};
  asio::error_code ec;
  out->acceptor_.open(protocol{}, ec);
  if (!ec) // by the folder's descriptor: a socket's path has 107 bytes
    out->acceptor_.bind(protocol::endpoint{live_path(folder.get(), name)}, ec);
  if (!ec)
    out->acceptor_.listen(connections_max, ec);
  if (ec)
    return nullptr;
  asio::co_spawn(io, accept(out), asio::detached);
  return out;
}

live_port::live_port(asio::io_context& io, caf::strong_actor_ptr port, msg::connector_actor connector, std::string path)
  : acceptor_(io),
    port_(std::move(port)),
    connector_(std::move(connector)),
    path_(std::move(path)) {}

live_port::~live_port() = default;

void live_port::close() {
  if (!acceptor_.is_open())
    return;
  asio::error_code ignored;
  acceptor_.close(ignored);
  ::unlink(path_.c_str());
  connector_ = nullptr;
}

asio::awaitable<void> live_port::accept(std::shared_ptr<live_port> self) {
  auto& acceptor = self->acceptor_;
  asio::steady_timer pause{acceptor.get_executor()};
  while (acceptor.is_open()) {
    auto [ec, socket] = co_await acceptor.async_accept(process::no_throw);
    bool is_taken = !ec && self->open_ < connections_max && self->connector_;
    if (is_taken) {
      ++self->open_;
      auto to = std::make_shared<protocol::socket>(std::move(socket));
      asio::co_spawn(acceptor.get_executor(), answer(self, std::move(to)), asio::detached);
    }
    if (is_taken || !acceptor.is_open())
      continue;
    pause.expires_after(accept_pause); // without descriptors, for one
    co_await pause.async_wait(process::no_throw);
  }
}

asio::awaitable<void> live_port::answer(std::shared_ptr<live_port> self, std::shared_ptr<protocol::socket> to) {
  auto now =
    co_await bridge::ask<msg::server_list>(self->port_, self->connector_, answer_max, msg::servers_atom::value);
  live_process here{static_cast<int64_t>(::getpid()), std::chrono::system_clock::to_time_t(self->since_), {}};
  if (now.ok())
    here.servers = std::move(now.value);
  auto text = live_text(here);
  auto buffer = asio::buffer(text);
  asio::steady_timer end{to->get_executor(), write_max};
  end.async_wait([to](asio::error_code ec) {
    asio::error_code ignored;
    if (!ec)
      to->close(ignored);
  });
  co_await asio::async_write(*to, buffer, process::no_throw);
  end.cancel();
  --self->open_;
}

} // namespace cli
