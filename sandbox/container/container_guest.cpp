#include "sandbox/container/container_guest.hpp"

#include "process/no_throw.hpp"
#include "process/shortage.hpp"
#include "sandbox/isolation/temp_files.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>

#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace sandbox {

namespace {

using asio::awaitable;
using asio::local::stream_protocol;
using process::no_throw;
using std::chrono::milliseconds;

/// From the start of the client to the connection. Storage `vfs` copies the image: 4 s with a small one.
constexpr milliseconds start_timeout{60'000};
/// An end in order, from the leash to the removed container, takes 0.1 s. After this the engine is told to kill it.
constexpr milliseconds orderly_end_max{2'000};
constexpr milliseconds removal_timeout{10'000};
/// One that has waited for a run so long ends, and another waits in its place: its run has the other half of the day,
/// more than it may take with the questions that its time stands still for.
constexpr std::chrono::hours waiting_max{12};
/// Of a container with one run. That is held by the leash; this is for one whose first process has been got at, and
/// whose server is dead.
constexpr std::chrono::hours alive_max{24};
static_assert(waiting_max + msg::limits::run_timeout_max < alive_max);
/// Of one with a session, which may be idle for seven days.
constexpr std::chrono::hours session_alive_max{30 * 24};
/// A process that connects must say the token at once.
constexpr milliseconds greeting_timeout{5'000};
/// Connections that do not know the token; more are not answered.
constexpr int strangers_max = 8;
constexpr size_t token_bytes = 16;
constexpr size_t client_said_bytes_max = 4'096;
/// Exit code of podman and docker when they failed and not the container.
constexpr int engine_failed = 125;
constexpr const char* socket_name = "channel";

stream_protocol::acceptor listen_in(const asio::any_io_executor& executor, const std::string& folder) {
  process::descriptor fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  process::descriptor at{::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  // A home may be deeper than the 108 bytes of an address.
  auto path = "/proc/self/fd/" + std::to_string(at.get()) + "/" + socket_name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (!fd || !at || ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0
      || ::chmod(path.c_str(), 0666) != 0 || ::listen(fd.get(), 1) != 0)
    throw std::system_error(errno, std::generic_category(), folder);
  return {executor, stream_protocol{}, fd.release()};
}

/// One byte and the guest's ends. The buffer of a fresh socket has room.
bool send_ends(int to, const guest_ends& ends) {
  std::array<int, 3> fds{ends.channel.get(), ends.output.get(), ends.diagnostics.get()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)]{};
  char byte = 0;
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  auto* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fds);
  std::memcpy(CMSG_DATA(header), fds.data(), sizeof fds);
  return ::sendmsg(to, &message, MSG_NOSIGNAL) == 1;
}

pid_t pid_of_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

/// One container, from the start of the engine's client to its removal. The connection of the container's first process
/// is the leash: when it is closed, by us or by our death, that process ends, and with it all others.
class container final : public guest_body, public std::enable_shared_from_this<container> {
public:
  container(std::shared_ptr<container_host> host, std::shared_ptr<memory_watch> memory, uint32_t cpu_seconds,
            guest_ends theirs)
    : host_(std::move(host)),
      memory_(std::move(memory)),
      theirs_(std::move(theirs)),
      token_(random_hex(token_bytes)),
      acceptor_(host_->executor()),
      leash_(host_->executor()),
      patience_(host_->executor()),
      waiting_(host_->executor()) {
    run_.name = host_->new_name();
    run_.alive_max = cpu_seconds > msg::limits::guest_cpu_seconds_max ? session_alive_max : alive_max;
    run_.command = guest_command(host_->settings(), cpu_seconds);
  }

  void kill() override {
    if (std::exchange(killed_, true))
      return;
    let_go();
    if (connected_)
      allow(orderly_end_max);
    else if (client_)
      client_->kill(SIGKILL); // no process holds the leash of a container that is still being made
  }

  void watch_memory() override {
    watch_wanted_ = true;
    waiting_.cancel();
    if (!memory_ || !connected_ || first_pid_ <= 0)
      return;
    auto reached = [weak = weak_from_this()] {
      if (auto self = weak.lock()) {
        self->out_of_memory_ = true;
        self->kill();
      }
    };
    ticket_ = memory_->watch_tree(first_pid_, host_->settings().memory_bytes, reached);
    auto question = too_many_temp_files(first_pid_, {"/tmp", "/dev/shm", "/workspace"}, guest_temp_files_max);
    files_ticket_ = memory_->watch(std::move(question), [weak = weak_from_this()] {
      if (auto self = weak.lock()) {
        self->too_many_files_ = true;
        self->kill();
      }
    });
    memory_ = nullptr; // once
  }

  awaitable<msg::guest_exit> wait() override {
    auto self = shared_from_this();
    auto engine = co_await host_->engine();
    msg::guest_exit how;
    if (!engine.ok())
      how.problem = std::move(engine.error.message);
    else if (!killed_)
      how = co_await live(engine.value);
    let_go();
    co_return how;
  }

private:
  /// Ends it if it gets nothing to run for that time.
  void wait_for_run() {
    waiting_.expires_after(waiting_max);
    waiting_.async_wait([weak = weak_from_this()](asio::error_code ec) {
      if (auto self = ec ? nullptr : weak.lock())
        self->kill();
    });
  }

  /// Cuts the leash, and closes the guest's ends so that no reader waits for what can not come.
  void let_go() {
    asio::error_code ignored;
    acceptor_.close(ignored);
    leash_.close(ignored);
    theirs_ = {};
  }

  /// Kills the engine's client if it is still there after that time. Replaces what was allowed before.
  void allow(milliseconds time) {
    patience_.expires_after(time);
    patience_.async_wait([self = shared_from_this()](asio::error_code ec) {
      if (ec || !self->client_)
        return;
      self->gave_up_ = true;
      self->client_->kill(SIGKILL);
    });
  }

  /// The end of the engine's client is that of the container, unless it was killed or could not do its work.
  awaitable<msg::guest_exit> live(container_engine engine) {
    msg::guest_exit how;
    if (engine.enforced.memory)
      memory_ = nullptr; // the kernel counts
    how.problem = start(engine);
    if (!how.problem.empty())
      co_return how;
    asio::co_spawn(host_->executor(), greet(shared_from_this()), asio::detached);
    auto status = co_await process::reap_when_ended(*client_);
    client_.reset();
    patience_.cancel();
    waiting_.cancel();
    ticket_ = {};
    files_ticket_ = {};
    if (too_many_files_)
      end_of_too_many_files(how);
    how.by_signal = status.by_signal;
    how.code = status.code;
    how.memory_mib_max = static_cast<uint32_t>(host_->settings().memory_bytes >> 20);
    how.out_of_memory = out_of_memory_ || says_out_of_memory();
    if (!connected_ && !killed_)
      how.problem = "the container did not start: "
                    + (gave_up_ ? "no answer in " + std::to_string(start_timeout.count() / 1'000) + " s" : said());
    let_go();
    std::error_code ignored;
    std::filesystem::remove_all(run_.ipc_folder, ignored);
    if (killed_ && status.by_signal)
      host_->remove_later(engine, {run_.name}); // we may be about to end
    else if (status.by_signal || !connected_ || status.code == engine_failed)
      co_await remove(std::move(engine));
    host_->forget(run_.name);
    co_return how;
  }

  /// Empty, or what went wrong.
  std::string start(const container_engine& engine) {
    try {
      run_.ipc_folder = host_->new_folder(run_.name);
      acceptor_ = listen_in(host_->executor(), run_.ipc_folder);
      auto launch = host_->launch_of(engine, run_);
      launch.niceness = msg::limits::guest_niceness;
      launch.environment.push_back(std::string{token_variable} + "=" + token_);
      auto pipe = process::make_pipe();
      process::descriptor nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
      launch.descriptors = {{nothing.get(), 0}, {pipe.write.get(), 1}, {pipe.write.get(), 2}};
      auto started = process::start(host_->executor(), launch);
      if (!started.ok())
        return "the sandbox " + started.error.message;
      host_->remember(run_.name);
      client_ = std::move(started.value);
      said_ = std::move(pipe.read);
      allow(start_timeout);
      return {};
    } catch (const std::system_error& e) {
      return std::string{"the sandbox can not wait for its container: "} + e.what();
    }
  }

  /// Hands the guest's ends to the container's first process.
  awaitable<void> greet([[maybe_unused]] std::shared_ptr<container> self) {
    for (int i = 0; i < strangers_max && acceptor_.is_open(); ++i) {
      auto [ec, accepted] = co_await acceptor_.async_accept(no_throw);
      if (ec)
        co_return;
      auto connection = std::make_shared<stream_protocol::socket>(std::move(accepted));
      auto known = co_await says_token(connection);
      if (killed_ || !client_)
        co_return;
      if (!known || !send_ends(connection->native_handle(), theirs_))
        continue;
      let_go(); // the listener and our copies of its ends
      leash_ = std::move(*connection);
      first_pid_ = pid_of_peer(leash_.native_handle());
      connected_ = true;
      patience_.cancel();
      if (watch_wanted_)
        watch_memory();
      else
        wait_for_run();
      co_return;
    }
    let_go();
  }

  awaitable<bool> says_token(std::shared_ptr<stream_protocol::socket> from) {
    std::string said(token_.size(), '\0');
    asio::steady_timer deadline{host_->executor(), greeting_timeout};
    deadline.async_wait([from](asio::error_code ec) {
      if (!ec)
        from->close(ec);
    });
    auto [ec, n] = co_await asio::async_read(*from, asio::buffer(said), no_throw);
    co_return !ec && said == token_;
  }

  /// The container's first process looks at its cgroup when the guest was killed.
  bool says_out_of_memory() {
    char said = 0;
    return leash_.is_open() && ::recv(leash_.native_handle(), &said, 1, MSG_DONTWAIT) == 1 && said == 'm';
  }

  /// The error among what the client printed.
  std::string said() const {
    std::string text(client_said_bytes_max, '\0');
    ::fcntl(said_.get(), F_SETFL, O_NONBLOCK); // something it left behind may still hold the other end
    auto n = ::read(said_.get(), text.data(), text.size());
    text.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return text.empty() ? "the engine says nothing" : error_in(text);
  }

  awaitable<void> remove(container_engine engine) {
    auto arguments = remove_arguments(engine, {run_.name});
    [[maybe_unused]] auto removed = co_await host_->run(arguments, removal_timeout); // else the next start does it
  }

  std::shared_ptr<container_host> host_;
  std::shared_ptr<memory_watch> memory_; ///< null: the kernel counts, there is no watch, or it looks already
  memory_watch::ticket ticket_, files_ticket_;
  container_run run_;
  guest_ends theirs_;
  std::string token_;
  std::unique_ptr<process::child> client_; ///< of the engine; null: not yet, or ended
  process::descriptor said_;               ///< what the client prints
  stream_protocol::acceptor acceptor_;
  stream_protocol::socket leash_;
  asio::steady_timer patience_;
  asio::steady_timer waiting_; ///< for a run
  pid_t first_pid_ = 0;        ///< the container's first process, as we see it; 0: we do not
  bool connected_ = false;     ///< the guest has its ends
  bool watch_wanted_ = false;
  bool out_of_memory_ = false;
  bool too_many_files_ = false;
  bool killed_ = false;
  bool gave_up_ = false;
};

} // namespace

msg::outcome<std::shared_ptr<guest>> start_container_guest(const guest_environment& environment,
                                                           std::shared_ptr<container_host> host, uint32_t cpu_seconds,
                                                           guest_events events) {
  try {
    auto [ours, theirs] = make_guest_pipes();
    auto body = std::make_shared<container>(std::move(host), environment.memory, cpu_seconds, std::move(theirs));
    return drive_guest(environment, std::move(body), std::move(ours), channel_by::descriptor, std::move(events));
  } catch (const std::system_error& e) {
    return msg::fault{msg::errc::overloaded, "cannot open a channel to a sandbox: " + process::error_text(e)};
  }
}

} // namespace sandbox
