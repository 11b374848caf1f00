#include "proxy/sample_requests.hpp"

#include "messages/limits.hpp"
#include "proxy/parameter_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace proxy {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

/// Reads one question and remembers the first thing that is wrong.
class sample_reader : public parameter_reader {
public:
  explicit sample_reader(const json::object& params) : parameter_reader("llm", params) {}

  std::string text(std::string_view name, const json::value* v) {
    if (!v || v->is_null())
      return {};
    if (!v->is_string())
      return complain(name, "a string", v), std::string{};
    bytes_ += v->get_string().size();
    if (bytes_ > prompt_bytes_max)
      complain(name, "at most " + std::to_string(prompt_bytes_max) + " bytes, with all other texts of the question");
    return ok() ? std::string{v->get_string()} : std::string{};
  }

  /// A string, or a list of text blocks.
  std::string content(const json::value* v) {
    if (!v || !v->is_array())
      return text("content", v);
    std::string out;
    blocks_ += v->get_array().size();
    if (blocks_ > prompt_blocks_max)
      return complain("content",
                      "at most " + std::to_string(prompt_blocks_max) + " blocks, with those of all other messages"),
             std::string{};
    for (auto& block : v->get_array()) {
      auto* o = block.if_object();
      auto* type = o ? o->if_contains("type") : nullptr;
      if (!type || *type != "text")
        return complain("content", "a string or a list of {type: 'text', text}", &block), std::string{};
      out += (out.empty() ? "" : "\n") + text("text", o->if_contains("text"));
    }
    return out;
  }

private:
  size_t bytes_ = 0;
  size_t blocks_ = 0;
};

msg::chat_message message_of(sample_reader& r, const json::value& given) {
  msg::chat_message out;
  auto* o = given.if_object();
  if (!o)
    return r.complain("messages", "a list of {role, content}", &given), out;
  auto role = r.text("role", o->if_contains("role"));
  if (role != "user" && role != "assistant" && role != "system")
    r.complain("role", "user, assistant or system", o->if_contains("role"));
  out.role = role == "assistant" ? msg::chat_role::assistant
             : role == "system"  ? msg::chat_role::system
                                 : msg::chat_role::user;
  if (!o->if_contains("content"))
    r.complain("content", "given");
  out.text = r.content(o->if_contains("content"));
  return out;
}

void read_messages(sample_reader& r, const json::value* given, msg::sample_request& to) {
  auto* list = given ? given->if_array() : nullptr;
  if (!list || list->empty() || list->size() > prompt_messages_max)
    return r.complain("messages", "a list of 1 to " + std::to_string(prompt_messages_max) + " messages {role, content}",
                      given);
  for (auto& m : *list)
    if (r.ok())
      to.messages.push_back(message_of(r, m));
  if (!r.ok())
    return;
  if (to.messages.back().role != msg::chat_role::user)
    r.complain("messages", "a list whose last message is the user's");
}

void read_tools(sample_reader& r, const json::value* given, msg::sample_request& to) {
  if (!given)
    return;
  auto* list = given->if_array();
  if (!list)
    return r.complain("tools", "a list of patterns such as 'mcp__server__*'", given);
  if (list->size() > limits::allowed_tools_max) {
    json::value count(list->size());
    return r.complain("tools", "at most " + std::to_string(limits::allowed_tools_max) + " patterns", &count);
  }
  for (auto& pattern : *list) {
    to.tools.push_back(r.text("tools", &pattern));
    if (to.tools.back().empty() || to.tools.back().size() > limits::pattern_bytes_max)
      r.complain("tools", "a list of patterns such as 'mcp__server__*'", given);
  }
}

} // namespace

std::optional<msg::outcome<msg::sample_request>> parse_sample(std::string_view method, const json::object& params) {
  if (method != "sample")
    return std::nullopt;
  sample_reader r{params};
  msg::sample_request out;
  read_messages(r, params.if_contains("messages"), out);
  out.model = r.text("model", params.if_contains("model"));
  if (auto* system = r.given("systemPrompt")) {
    out.has_system = true;
    out.system = r.text("systemPrompt", system);
  }
  if (auto* most = r.given("maxTokens")) {
    bool fits = most->is_int64() && most->get_int64() >= 1 && most->get_int64() <= answer_tokens_max;
    if (!fits)
      r.complain("maxTokens", "an integer from 1 to " + std::to_string(answer_tokens_max), most);
    out.max_tokens = fits ? static_cast<uint32_t>(most->get_int64()) : 0;
  }
  read_tools(r, r.given("tools"), out);
  if (auto* stream = r.given("stream")) {
    if (!stream->is_bool())
      r.complain("stream", "true or false", stream);
    out.stream = stream->is_bool() && stream->get_bool();
  }
  if (!r.ok())
    return std::move(r.problem);
  return out;
}

std::optional<msg::outcome<guest_sample_stream>> parse_sample_stream(std::string_view method, uint64_t id,
                                                                     const json::object& params) {
  if (method != "sample_next" && method != "sample_stop")
    return std::nullopt;
  auto* stream = params.if_contains("stream");
  if (!stream || !stream->is_int64() || stream->get_int64() < 1)
    return fault{errc::invalid_argument, "llm: 'stream' must be the number of a stream"};
  return guest_sample_stream{id, static_cast<uint64_t>(stream->get_int64()), method == "sample_stop"};
}

} // namespace proxy
