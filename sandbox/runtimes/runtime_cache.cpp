#include "sandbox/runtimes/runtime_cache.hpp"

#include "messages/limits.hpp"
#include "process/command.hpp"
#include "text/utf8.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

/// One run of a maker; Pyodide's takes 3 s on a quiet machine.
constexpr std::chrono::seconds maker_max{60};
/// Of other versions of a runtime; servers say at each start that they use one.
constexpr std::chrono::hours unused_max{90 * 24};
constexpr uid_t nobody = 65534;
constexpr size_t maker_errors_bytes_max = 2'000;
/// Of one recipe; the guest's own files are about 50.
constexpr size_t input_files_max = 10'000;

/// FNV-1a: names a folder, proves nothing.
class digest {
public:
  void add(std::string_view text) {
    for (unsigned char c : text)
      value_ = (value_ ^ c) * 0x100000001b3u;
    value_ = (value_ ^ 0xffu) * 0x100000001b3u;
  }
  void add_file(const fs::path& file) {
    std::error_code ec;
    add(file.native());
    add(std::to_string(fs::file_size(file, ec)) + " "
        + std::to_string(fs::last_write_time(file, ec).time_since_epoch().count()));
  }
  std::string text() const {
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(value_));
    return out;
  }

private:
  uint64_t value_ = 0xcbf29ce484222325u;
};

void add_input(digest& d, const fs::path& input) {
  std::error_code ec;
  if (!fs::is_directory(input, ec))
    return d.add_file(input);
  size_t seen = 0;
  for (auto it = fs::recursive_directory_iterator(input, ec);
       !ec && it != fs::recursive_directory_iterator{} && seen < input_files_max; it.increment(ec), ++seen)
    if (it->is_regular_file(ec) && it->path().extension() != ".pyc")
      d.add_file(it->path());
}

/// One run of the maker, to its end.
asio::awaitable<fault> run_maker(asio::any_io_executor executor, const box& maker, const isolation_tools& tools) {
  auto prepared = prepare(maker, tools); // its descriptors stay open until the maker has started
  if (!prepared.ok())
    co_return prepared.error;
  auto launch = prepared.value.launch;
  auto result = co_await process::run_command(executor, std::move(launch), maker_max);
  if (!result.ok())
    co_return result.error;
  if (!result.value.succeeded())
    co_return fault{errc::internal, "it ended with " + result.value.status.text() + ": "
                                      + text::quoted(result.value.errors, maker_errors_bytes_max)};
  co_return fault{};
}

/// Guests of root are nobody, who must be able to walk there and, while it is made, to write; no other user may.
bool make_folder(const fs::path& folder) {
  std::error_code ec;
  bool root = ::geteuid() == 0;
  fs::create_directories(folder.parent_path(), ec);
  fs::permissions(folder.parent_path(),
                  root ? fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec : fs::perms::owner_all,
                  ec);
  if (ec || ::mkdir(folder.c_str(), 0700) != 0)
    return false;
  return !root || ::chown(folder.c_str(), nobody, nobody) == 0;
}

/// Complete: ours again, and for every user to read.
void settle_folder(const fs::path& folder) {
  std::error_code ec;
  if (::geteuid() == 0)
    for (auto it = fs::recursive_directory_iterator(folder, ec); !ec && it != fs::recursive_directory_iterator{};
         it.increment(ec)) {
      [[maybe_unused]] auto done = ::lchown(it->path().c_str(), 0, 0);
    }
  [[maybe_unused]] auto done = ::geteuid() != 0 || ::lchown(folder.c_str(), 0, 0) == 0;
  fs::permissions(folder,
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read
                    | fs::perms::others_exec,
                  ec);
}

constexpr std::string_view unfinished_mark = ".unfinished-";

/// Its maker died while it was at it.
bool is_abandoned(std::string_view name) {
  auto mark = name.find(unfinished_mark);
  if (mark == name.npos)
    return false;
  auto number = name.substr(mark + unfinished_mark.size());
  pid_t pid = 0;
  std::from_chars(number.data(), number.data() + number.size(), pid);
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

/// Removes what no server will want again.
void sweep(const fs::path& folder) {
  std::error_code ec;
  std::vector<fs::path> unwanted;
  auto oldest = fs::file_time_type::clock::now() - unused_max;
  for (auto it = fs::directory_iterator{folder, ec}; !ec && it != fs::directory_iterator{}; it.increment(ec)) {
    std::error_code gone;
    if (is_abandoned(it->path().filename().native()) || (it->last_write_time(gone) < oldest && !gone))
      unwanted.push_back(it->path());
  }
  for (auto& path : unwanted)
    fs::remove_all(path, ec);
}

} // namespace

std::string cache_path(const cache_recipe& recipe, const std::string& folder) {
  digest d;
  for (auto& word : recipe.maker.command)
    d.add(word);
  for (auto& input : recipe.inputs)
    add_input(d, input);
  return (fs::path{folder} / (recipe.name + "-" + d.text())).string();
}

box with_cache(const cache_recipe& recipe, const std::string& path) {
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored); // it is used: see sweep()
  auto b = recipe.user;
  b.mounts.push_back({path, recipe.mount_point});
  return b;
}

asio::awaitable<fault> make_cache(asio::any_io_executor executor, cache_recipe recipe, isolation_tools tools,
                                  std::string path) {
  auto unfinished = path + std::string{unfinished_mark} + std::to_string(::getpid());
  std::error_code ec;
  sweep(fs::path{path}.parent_path());
  if (!make_folder(unfinished))
    co_return fault{errc::internal, "the folder " + unfinished + " can not be made"};
  auto maker = recipe.maker;
  maker.mounts.push_back({unfinished, recipe.mount_point, access::writable});
  maker.cpu_seconds = static_cast<uint32_t>(maker_max.count());
  fault problem;
  for (uint32_t i = 0; i < recipe.maker_runs && problem.code == errc::none; ++i)
    problem = co_await run_maker(executor, maker, tools);
  if (problem.code == errc::none) {
    settle_folder(unfinished);
    fs::rename(unfinished, path, ec);
  }
  if (problem.code != errc::none || ec)
    fs::remove_all(unfinished, ec); // made by another server meanwhile, or not at all
  if (problem.code == errc::none && !fs::is_directory(path, ec))
    problem = {errc::internal, path + " can not be made"};
  co_return problem;
}

} // namespace sandbox
