#include "faults/trace.hpp"

#include "faults/reading_tools.hpp"
#include "mcp/fields.hpp"
#include "proxy/names.hpp"
#include "text/canonical_json.hpp"
#include "text/digest.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace faults {

namespace json = boost::json;

namespace {

constexpr size_t digest_digits = 16;
/// Of one question; what says more is broken.
constexpr uint64_t tokens_max = uint64_t{1} << 32U;

bool is_success(const msg::document& answer) {
  auto* message = answer.value().if_object();
  auto* result = mcp::object_in(message, "result");
  auto* failed = result ? result->if_contains("isError") : nullptr;
  return result && !(failed && failed->is_bool() && failed->get_bool());
}

uint64_t number_in(const json::object& line, std::string_view key) {
  auto* value = line.if_contains(key);
  json::error_code ec;
  auto number = value ? value->to_number<uint64_t>(ec) : 0;
  return ec ? 0 : number;
}

bool flag_in(const json::object& line, std::string_view key) {
  auto* value = line.if_contains(key);
  return value && value->is_bool() && value->get_bool();
}

std::string whole_file(const std::string& path) {
  std::string out;
  auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat found {};
  if (fd >= 0 && ::fstat(fd, &found) == 0 && S_ISREG(found.st_mode)) {
    out.resize(std::min(static_cast<uint64_t>(found.st_size), trace_bytes_max));
    auto n = ::pread(fd, out.data(), out.size(), 0);
    out.resize(n < 0 ? 0 : static_cast<size_t>(n));
  }
  if (fd >= 0)
    ::close(fd);
  return out;
}

class trace_reader {
public:
  void take(const json::object& line) {
    if (auto of = key(line, "reads"); !of.second.empty())
      return void(readers_.insert(of.second));
    if (line.contains("hit"))
      return void(++hits_);
    if (line.contains("tokens"))
      return void(tokens_ += std::min(number_in(line, "tokens"), tokens_max));
    if (auto begun = key(line, "tool"); !begun.second.empty())
      return begin(begun.first, line);
    if (auto planted = key(line, "planted"); !planted.second.empty())
      return plant(planted.first, planted.second);
    if (auto place = planted_.find(mcp::string_or(line, "obeys")); place != planted_.end())
      return obey(calls_[place->second], number_in(line, "at"));
    if (auto place = open_.find(number_in(line, "ended")); place != open_.end()) {
      auto& call = calls_[place->second];
      call.ended = flag_in(line, "ok") ? outcome::succeeded : outcome::failed;
      call.answered_ms = number_in(line, "at");
      open_.erase(place);
    }
  }

  trace finish() && {
    auto begin = calls_.empty() ? 0 : calls_.front().at_ms;
    for (auto& call : calls_) {
      call.at_ms -= std::min(begin, call.at_ms);
      call.answered_ms -= std::min(begin, call.answered_ms);
      if (call.obeyed_ms)
        *call.obeyed_ms -= std::min(begin, *call.obeyed_ms);
      call.reads_only = readers_.count(call.tool) > 0 || sounds_like_reading(call.tool);
    }
    return {std::move(calls_), hits_, tokens_};
  }

private:
  static std::pair<uint64_t, std::string> key(const json::object& line, std::string_view name) {
    return {number_in(line, "call"), std::string{mcp::string_or(line, name)}};
  }
  void begin(uint64_t number, const json::object& line) {
    if (calls_.size() >= traced_calls_max)
      return;
    traced_call call;
    call.at_ms = number_in(line, "at");
    call.tool = mcp::string_or(line, "tool");
    call.arguments = mcp::string_or(line, "arguments");
    call.fault = mcp::string_or(line, "fault");
    call.has_landed = flag_in(line, "landed");
    hits_ += call.fault.empty() ? 0 : 1;
    open_[number] = calls_.size();
    calls_.push_back(std::move(call));
  }

  void plant(uint64_t number, const std::string& canary) {
    auto place = open_.find(number);
    if (place == open_.end())
      return;
    calls_[place->second].canary = canary;
    planted_[canary] = place->second;
  }
  static void obey(traced_call& call, uint64_t at) {
    if (!call.obeyed_ms)
      call.obeyed_ms = at;
  }

  std::vector<traced_call> calls_;
  uint64_t hits_ = 0, tokens_ = 0;
  std::map<uint64_t, size_t> open_;
  std::map<std::string, size_t, std::less<>> planted_; ///< the last call with each canary: that one is obeyed
  std::set<std::string, std::less<>> readers_;
};

} // namespace

uint64_t now_ms() {
  using std::chrono::duration_cast;
  return static_cast<uint64_t>(
    duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

std::shared_ptr<trace_writer> trace_writer::open(const std::string& path) {
  auto fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  return fd < 0 ? nullptr : std::shared_ptr<trace_writer>{new trace_writer{fd}};
}

trace_writer::~trace_writer() { ::close(fd_); }

void trace_writer::write(const json::value& line) const {
  auto text = msg::document{line}.text() + "\n";
  [[maybe_unused]] auto written = ::write(fd_, text.data(), text.size()); // what is missing there is not judged
}

uint64_t trace_writer::begun(std::string_view tool, const msg::document& arguments, std::string_view fault,
                             bool has_landed) {
  auto number = (static_cast<uint64_t>(::getpid()) << 24U) + ++last_; // others write there too
  write(json::object{{"at", now_ms()},
                     {"call", number},
                     {"tool", tool},
                     {"arguments", text::sha256_of(text::canonical_json(arguments.value())).substr(0, digest_digits)},
                     {"fault", fault},
                     {"landed", has_landed}});
  return number;
}

void trace_writer::ended(uint64_t call, const msg::document& answer) {
  write(json::object{{"at", now_ms()}, {"ended", call}, {"ok", is_success(answer)}});
}

void trace_writer::planted(uint64_t call, std::string_view canary) {
  write(json::object{{"at", now_ms()}, {"call", call}, {"planted", canary}});
}

void trace_writer::obeyed(std::string_view canary) { write(json::object{{"at", now_ms()}, {"obeys", canary}}); }

void trace_writer::tokens(uint64_t count) { write(json::object{{"at", now_ms()}, {"tokens", count}}); }

void trace_writer::hit(std::string_view fault) { write(json::object{{"at", now_ms()}, {"hit", fault}}); }

void trace_writer::tools(std::string_view server, const msg::document& page) {
  auto* result = mcp::object_in(page.value().if_object(), "result");
  auto* tools = result ? result->if_contains("tools") : nullptr;
  if (!tools || !tools->is_array())
    return;
  for (auto& tool : tools->get_array()) {
    auto* object = tool.if_object();
    if (object && says_it_reads(*object))
      write(json::object{{"reads", proxy::full_name(server, mcp::string_in(object, "name"))}});
  }
}

trace read_trace(const std::string& path) {
  auto text = whole_file(path);
  trace_reader reader;
  for (size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    auto line = msg::document::parse(std::string_view{text}.substr(at, end - at));
    if (auto* object = line.ok() ? line.value.value().if_object() : nullptr)
      reader.take(*object);
    at = end + 1;
  }
  return std::move(reader).finish();
}

} // namespace faults
