// A list of servers in any format: whatever it says, it is read to its end, and what is complained about has a place.
#include "config/server_entry.hpp"
#include "testing/fuzz.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace {

/// The input as a file that has a path.
class memory_file {
public:
  explicit memory_file(std::string_view text) : fd_(::memfd_create("servers", 0)) {
    fuzz::require(fd_ >= 0 && ::write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "no file");
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { ::close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
  int fd_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  auto clients = config::client_files();
  auto& client = clients[data[0] % clients.size()];
  memory_file input{fuzz::text_of(data + 1, size - 1)};
  auto file = config::config_file::read(input.path());
  fuzz::require(file.exists(), "it exists");
  if (file.error().code != msg::errc::none)
    return 0;
  file.repeated_key("mcpServers");
  auto* root = file.root().if_object();
  if (!root)
    return 0;
  for (auto& [name, value] : *root) {
    config::file_problems problems;
    auto part = config::member_path("", name);
    file.look_beneath(part);
    auto read = config::read_entry(client, file, part, std::string{name}, value, problems);
    fuzz::require(read.entry || !problems.told().empty() || value.is_object(), "neither a server nor a complaint");
    for (auto& p : problems.told())
      fuzz::require(p.find(": line ") != std::string::npos, "a complaint without a place");
  }
  return 0;
}
