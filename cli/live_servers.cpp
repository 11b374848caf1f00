#include "cli/live_servers.hpp"

#include "process/child.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace cli {

namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::string_view name_end = ".sock";
/// More processes than anybody has; the others are left out.
constexpr size_t processes_max = 64;
/// Of one answer; a longer one is none.
constexpr size_t answer_bytes_max = 4u << 20;
constexpr size_t error_bytes_max = 2'000;
constexpr size_t piece_bytes = 64u << 10;

constexpr msg::server_state all_states[] = {
  msg::server_state::idle,        msg::server_state::starting, msg::server_state::ready,
  msg::server_state::backing_off, msg::server_state::stopping, msg::server_state::unusable,
  msg::server_state::unapproved,  msg::server_state::rejected, msg::server_state::needs_login};

struct asked {
  process::descriptor socket;
  std::string text;
};

/// 0: it is no name of ours.
pid_t pid_of(std::string_view name) {
  pid_t out = 0;
  auto end = name.size() - std::min(name.size(), name_end.size());
  auto [rest, ec] = std::from_chars(name.data(), name.data() + end, out);
  return name.ends_with(name_end) && ec == std::errc{} && rest == name.data() + end && out > 0 ? out : 0;
}

/// Invalid: nobody listens there.
process::descriptor connect_to(int folder, const std::string& name) {
  process::descriptor out{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  auto path = live_path(folder, name);
  if (!out || path.size() >= sizeof at.sun_path)
    return {};
  std::memcpy(at.sun_path, path.c_str(), path.size());
  if (::connect(out.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0)
    return out;
  struct stat about {};
  bool is_left = errno == ECONNREFUSED && ::fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0
                 && S_ISSOCK(about.st_mode) && ::kill(pid_of(name), 0) != 0 && errno == ESRCH;
  if (is_left) // it was killed
    ::unlinkat(folder, name.c_str(), 0);
  return {};
}

/// False: that was all.
bool read_some(asked& from) {
  char piece[piece_bytes];
  auto n = ::read(from.socket.get(), piece, sizeof piece);
  if (n > 0)
    from.text.append(piece, static_cast<size_t>(n));
  return (n > 0 && from.text.size() <= answer_bytes_max) || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

void read_all(std::vector<asked>& all) {
  auto end = steady_clock::now() + live_answers_max;
  std::vector<pollfd> open;
  open.reserve(all.size());
  for (auto& each : all)
    open.push_back({each.socket.get(), POLLIN, 0});
  for (size_t left = open.size(); left > 0;) {
    auto rest = std::chrono::duration_cast<milliseconds>(end - steady_clock::now()).count();
    if (rest <= 0 || (::poll(open.data(), open.size(), static_cast<int>(rest)) <= 0 && errno != EINTR))
      return;
    for (size_t i = 0; i < open.size(); ++i)
      if (open[i].fd >= 0 && open[i].revents != 0 && !read_some(all[i])) {
        open[i].fd = -1;
        --left;
      }
  }
}

std::string text_at(const json::object& of, std::string_view key) {
  auto* v = of.if_contains(key);
  return v && v->is_string() ? std::string{v->get_string()} : std::string{};
}

/// Of 0 to 2^32 - 1, which times until 2106 are; others are no answers of ours.
int64_t number_at(const json::object& of, std::string_view key) {
  auto* v = of.if_contains(key);
  return v && v->is_int64() ? std::clamp<int64_t>(v->get_int64(), 0, UINT32_MAX) : 0;
}

msg::server_status server_of(const json::object& of) {
  msg::server_status out;
  out.name = text_at(of, "name");
  auto state = text_at(of, "state");
  for (auto each : all_states)
    if (state == to_string(each))
      out.state = each;
  out.tool_count = static_cast<uint32_t>(number_at(of, "tools"));
  out.calls_in_flight = static_cast<uint32_t>(number_at(of, "callsInFlight"));
  out.starts = static_cast<uint32_t>(number_at(of, "starts"));
  out.last_error = text_at(of, "lastError").substr(0, error_bytes_max);
  return out;
}

/// Without a number: that was no answer.
live_process process_of(const std::string& text) {
  live_process out;
  json::error_code ec;
  auto value = json::parse(text, ec);
  auto* of = ec ? nullptr : value.if_object();
  if (!of)
    return out;
  out.pid = number_at(*of, "pid");
  out.since_s = number_at(*of, "since");
  auto* servers = of->if_contains("servers");
  if (servers && servers->is_array())
    for (auto& each : servers->get_array())
      if (each.is_object())
        out.servers.push_back(server_of(each.get_object()));
  return out;
}

} // namespace

std::string live_folder(const std::string& state_folder) { return state_folder + "/running"; }
std::string live_name(pid_t pid) { return std::to_string(pid).append(name_end); }
std::string live_path(int folder, const std::string& name) {
  return "/proc/self/fd/" + std::to_string(folder) + "/" + name;
}

std::string live_text(const live_process& here) {
  json::array servers;
  for (auto& s : here.servers) {
    if (s.state == msg::server_state::idle && s.starts == 0 && s.last_error.empty())
      continue;
    json::object of{{"name", s.name},
                    {"state", to_string(s.state)},
                    {"tools", s.tool_count},
                    {"callsInFlight", s.calls_in_flight},
                    {"starts", s.starts}};
    if (!s.last_error.empty())
      of["lastError"] = s.last_error;
    servers.push_back(std::move(of));
  }
  json::object out{{"pid", here.pid}, {"since", here.since_s}, {"servers", std::move(servers)}};
  return text::to_text(json::value(std::move(out))) + "\n";
}

std::vector<live_process> ask_live_processes(const std::string& state_folder) {
  std::vector<live_process> out;
  if (state_folder.empty())
    return out;
  process::descriptor folder{
    ::open(live_folder(state_folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)};
  auto own = ::dup(folder.get());
  std::unique_ptr<DIR, int (*)(DIR*)> names{own < 0 ? nullptr : ::fdopendir(own), ::closedir};
  std::vector<asked> all;
  for (dirent* each = nullptr; names && all.size() < processes_max && (each = ::readdir(names.get()));)
    if (std::string name = each->d_name; pid_of(name) > 0)
      if (auto socket = connect_to(folder.get(), name))
        all.push_back({std::move(socket), {}});
  read_all(all);
  for (auto& each : all)
    if (auto found = process_of(each.text); found.pid > 0)
      out.push_back(std::move(found));
  std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.pid < b.pid; });
  return out;
}

} // namespace cli
