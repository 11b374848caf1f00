#include "faults/transcript.hpp"

#include "mcp/fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace faults {

namespace json = boost::json;

namespace {

/// Of "2026-11-27T14:10:59.123Z"; nothing: it is none.
std::optional<uint64_t> ms_of(std::string_view timestamp) {
  constexpr size_t seconds_digits = 19;
  std::tm parts{};
  std::string text{timestamp};
  auto* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (!end || end != text.c_str() + seconds_digits)
    return std::nullopt;
  auto seconds = ::timegm(&parts);
  uint64_t ms = 0;
  if (*end == '.')
    for (size_t i = 1, unit = 100; i <= 3 && end[i] >= '0' && end[i] <= '9'; ++i, unit /= 10)
      ms += static_cast<uint64_t>(end[i] - '0') * unit;
  return seconds < 0 ? std::nullopt : std::optional{static_cast<uint64_t>(seconds) * 1'000 + ms};
}

bool is_true(const json::object& line, std::string_view key) {
  auto* value = line.if_contains(key);
  return value && value->is_bool() && value->get_bool();
}

class session_reader {
public:
  void take(const json::object& line) {
    auto type = mcp::string_or(line, "type");
    if (is_true(line, "isSidechain"))
      return;
    if (auto result = mcp::string_or(line, "result"); type == "result" && !result.empty())
      return say(result, "result");
    auto* message = mcp::object_in(&line, "message");
    if (type != "assistant" || !message)
      return;
    auto id = mcp::string_or(*message, "id");
    auto* content = message->if_contains("content");
    if (content && content->is_string())
      return say(content->get_string(), id);
    auto* blocks = content ? content->if_array() : nullptr;
    for (size_t i = 0; blocks && i < blocks->size(); ++i)
      if (auto* block = (*blocks)[i].if_object())
        take_block(*block, id, ms_of(mcp::string_or(line, "timestamp")));
  }

  transcript read;

private:
  void take_block(const json::object& block, std::string_view id, std::optional<uint64_t> at) {
    auto type = mcp::string_or(block, "type");
    if (type == "text")
      say(mcp::string_or(block, "text"), id);
    if (type != "tool_use")
      return;
    auto* input = block.if_contains("input");
    read.uses.push_back(
      {at, std::string{mcp::string_or(block, "name")}, msg::document{input ? *input : json::value{}}});
  }

  /// A message may come in several lines.
  void say(std::string_view text, std::string_view id) {
    if (text.empty())
      return;
    if (id.empty() || id != said_by_)
      read.last_words.clear();
    said_by_ = id;
    read.last_words.append(read.last_words.empty() ? "" : "\n").append(text);
  }

  std::string said_by_;
};

} // namespace

msg::outcome<transcript> read_transcript(std::string_view text) {
  session_reader reader;
  bool is_session = false;
  for (size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    auto line = text.substr(at, end - at);
    at = end + 1;
    if (line.find_first_not_of(" \t\r") == line.npos)
      continue;
    auto parsed = msg::document::parse(line);
    auto* object = parsed.ok() ? parsed.value.value().if_object() : nullptr;
    if (object && object->contains("type"))
      is_session = true;
    if (!is_session)
      break; // the first line tells what it is
    if (object)
      reader.take(*object);
  }
  if (!is_session)
    reader.read.last_words = text.substr(text.size() - std::min(text.size(), last_words_max));
  if (reader.read.last_words.find_first_not_of(" \t\r\n") == std::string::npos && reader.read.uses.empty())
    return msg::fault{msg::errc::invalid_argument, "there is nothing in it that an agent has said or called"};
  return std::move(reader.read);
}

} // namespace faults
