#include "proxy/guest_frames.hpp"

#include "messages/limits.hpp"
#include "proxy/parameter_reader.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace proxy {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t media_subtype_bytes_max = 60;

/// With what frames of guests have beside texts.
class fields : public parameter_reader {
public:
  using parameter_reader::complain;
  using parameter_reader::parameter_reader;

  /// More than there may be is as many as there may be.
  uint32_t count(std::string_view key) {
    auto* v = params_.if_contains(key);
    if (!v || v->is_null())
      return 0;
    if (v->is_uint64()) // beyond any bound
      return limits::search_results_max;
    if (!v->is_int64() || v->get_int64() < 1)
      return complain(key, "an integer from 1 to " + std::to_string(limits::search_results_max), *v), 0;
    return static_cast<uint32_t>(std::min<int64_t>(v->get_int64(), limits::search_results_max));
  }

  /// A string, or a list of strings that are joined by spaces.
  std::string words(std::string_view key) {
    auto* v = params_.if_contains(key);
    if (!v || !v->is_array())
      return text(key);
    std::string joined;
    if (v->get_array().size() > limits::query_bytes_max)
      return complain(key, "at most " + std::to_string(limits::query_bytes_max) + " words",
                      json::value(v->get_array().size())),
             joined;
    for (auto& word : v->get_array()) {
      if (!word.is_string())
        return complain(key, "a string or a list of strings", *v), std::string{};
      auto bytes = joined.size() + !joined.empty() + word.get_string().size();
      if (bytes > limits::query_bytes_max) // measured before it is copied: one word may have 60 MB
        return complain(key, "at most " + std::to_string(limits::query_bytes_max) + " bytes", json::value(bytes)),
               std::string{};
      joined.append(joined.empty() ? "" : " ").append(word.get_string());
    }
    return joined;
  }

  template <size_t N>
  size_t choice(std::string_view key, const std::array<std::string_view, N>& names, size_t otherwise) {
    auto given = text(key);
    for (size_t i = 0; i < N; ++i)
      if (names[i] == given)
        return i;
    if (!given.empty())
      complain(key, "minimal, standard or full", json::value(given));
    return otherwise;
  }

  /// TypeScript unless said otherwise.
  msg::language language() {
    auto given = text("language");
    if (!given.empty() && given != "typescript" && given != "python")
      complain("language", "typescript or python", json::value(given));
    return given == "python" ? msg::language::python : msg::language::typescript;
  }

  msg::tool_ref tool() {
    msg::tool_ref ref{text("name"), text("server"), text("tool"), msg::child_method::call_tool};
    if (ref.full_name.empty() && (ref.server.empty() || ref.tool.empty()) && ok())
      problem = {errc::invalid_argument,
                 std::string{where_} + ": expected a tool as 'mcp__<server>__<tool>', or a server and a tool"};
    return ref;
  }

  void complain(std::string_view key, std::string_view expected, const json::value& given) {
    parameter_reader::complain(key, expected, &given);
  }
};

guest_frame checked(const fields& f, uint64_t id, guest_frame frame) {
  if (!f.ok())
    return guest_mistake{id, f.problem};
  return frame;
}

guest_frame parse_call(const msg::document& frame, uint64_t id, const json::object& params) {
  fields f{"callMCPTool", params};
  guest_call call{id, f.tool(), {}};
  auto* arguments = params.if_contains("args");
  if (arguments && arguments->is_object())
    call.arguments = frame.part(*arguments);
  else if (!arguments || arguments->is_null())
    call.arguments = msg::document{json::object{}};
  else
    f.complain("params", "an object", *arguments);
  return checked(f, id, std::move(call));
}

/// A prompt has a handful; what has more is no call of a prompt, and is not copied.
constexpr size_t prompt_arguments_max = 1'000;
/// Many times what of an error is shown: texts of 60 MB would be copied on the one thread.
constexpr size_t error_text_bytes_max = 64u << 10;
constexpr size_t prompt_frame_bytes_max = 1u << 20; ///< of the whole request

/// Prompts take texts; numbers and the like are written out.
json::object prompt_arguments(const json::value* given, fields& f) {
  json::object out;
  auto* object = given ? given->if_object() : nullptr;
  if (given && !given->is_null() && !object)
    f.complain("args", "an object", *given);
  if (object && object->size() > prompt_arguments_max)
    f.complain("args", "an object of at most " + std::to_string(prompt_arguments_max) + " fields",
               json::value(object->size()));
  else if (object)
    for (auto& [name, v] : *object)
      out[name] = v.is_string() ? v : json::value(text::to_text(v));
  return out;
}

struct named_method {
  std::string_view name; ///< in the frame
  std::string_view function;
  msg::child_method method;
};
constexpr named_method child_methods[] = {
  {"resources", "listMCPResources", msg::child_method::list_resources},
  {"resource", "readMCPResource", msg::child_method::read_resource},
  {"prompts", "listMCPPrompts", msg::child_method::list_prompts},
  {"prompt", "getMCPPrompt", msg::child_method::get_prompt},
};

guest_frame parse_child_request(const named_method& m, const msg::document& frame, uint64_t id,
                                const json::object& params) {
  fields f{m.function, params};
  json::object arguments;
  auto require = [&](std::string_view key) {
    auto text = f.text(key, limits::path_bytes_max);
    if (text.empty())
      f.complain(key, "a non-empty string", json::value(""));
    return text;
  };
  msg::tool_ref ref{"", require("server"), std::string{to_string(m.method)}, m.method};
  if (m.method == msg::child_method::read_resource)
    arguments["uri"] = require("uri");
  if (m.method == msg::child_method::get_prompt) {
    arguments["name"] = require("name");
    if (frame.text_bytes() > prompt_frame_bytes_max)
      f.complain("args", "an object of at most " + std::to_string(prompt_frame_bytes_max) + " bytes",
                 json::value(frame.text_bytes()));
    else
      arguments["arguments"] = prompt_arguments(params.if_contains("args"), f);
  }
  return checked(f, id, guest_call{id, std::move(ref), msg::document{json::value(std::move(arguments))}});
}

guest_frame parse_search(uint64_t id, const json::object& params, bool discover) {
  fields f{discover ? "discoverMCPTools" : "searchTools", params};
  guest_search s;
  s.id = id;
  s.query.text = discover ? f.words("search") : f.text("query");
  s.query.server = f.text("server");
  s.query.limit = f.count("limit");
  if (s.query.limit == 0 && !discover)
    s.query.limit = limits::search_results_default;
  constexpr std::array<std::string_view, 3> details{"minimal", "standard", "full"};
  using enum msg::tool_detail;
  constexpr std::array<msg::tool_detail, 4> meant{minimal, standard, full, declared};
  s.detail = meant[f.choice("detail", details, discover ? 3 : 1)];
  if (!discover && s.query.text.empty() && s.query.server.empty())
    f.complain("query", "a text to search for", json::value(""));
  return checked(f, id, std::move(s));
}

guest_frame parse_request(const msg::document& frame, const json::object& object) {
  auto* id = object.if_contains("id");
  auto* method = object.if_contains("method");
  auto* params = object.if_contains("params");
  if (!id || !id->is_int64() || id->get_int64() <= 0)
    return guest_violation{"a request without a positive id"};
  auto number = static_cast<uint64_t>(id->get_int64());
  if (!method || !method->is_string() || !params || !params->is_object())
    return guest_violation{"a request without method and params"};
  auto& name = method->get_string();
  auto& p = params->get_object();
  if (name == "call")
    return parse_call(frame, number, p);
  if (name == "discover" || name == "search")
    return parse_search(number, p, name == "discover");
  if (name == "schema" || name == "signature") {
    bool with_signature = name == "signature";
    fields f{with_signature ? "getToolSignature" : "getToolSchema", p};
    auto tool = f.tool();
    auto lang = f.language();
    return checked(f, number, guest_schema{number, std::move(tool), with_signature, lang});
  }
  if (name == "servers")
    return guest_servers{number};
  for (auto& m : child_methods)
    if (m.name == name)
      return parse_child_request(m, frame, number, p);
  if (name == "output") {
    auto query = parse_output_request(p);
    return query.ok() ? guest_frame{guest_output_request{number, std::move(query.value)}}
                      : guest_frame{guest_mistake{number, std::move(query.error)}};
  }
  if (auto memory = parse_memory_request(name, frame, p))
    return memory->ok() ? guest_frame{guest_memory{number, std::move(memory->value)}}
                        : guest_frame{guest_mistake{number, std::move(memory->error)}};
  if (auto sample = parse_sample(name, p))
    return sample->ok() ? guest_frame{guest_sample{number, std::move(sample->value)}}
                        : guest_frame{guest_mistake{number, std::move(sample->error)}};
  if (auto stream = parse_sample_stream(name, number, p))
    return stream->ok() ? guest_frame{stream->value} : guest_frame{guest_mistake{number, std::move(stream->error)}};
  if (auto asked = parse_person_request(name, number, p)) {
    if (!asked->ok())
      return guest_mistake{number, std::move(asked->error)};
    return std::visit([](auto& request) { return guest_frame{std::move(request)}; }, asked->value);
  }
  return guest_mistake{number,
                       fault{errc::invalid_argument, "unknown request of the guest: " + text::quoted(name, 100)}};
}

/// Where it lies: no limit has measured it yet.
std::string_view text_field(const json::object& o, std::string_view key) {
  auto* v = o.if_contains(key);
  return v && v->is_string() ? std::string_view{v->get_string()} : std::string_view{};
}

uint32_t position_field(const json::object& o, std::string_view key) {
  auto* v = o.if_contains(key);
  return v && v->is_int64() && v->get_int64() > 0 && v->get_int64() <= UINT32_MAX
           ? static_cast<uint32_t>(v->get_int64())
           : 0;
}

guest_frame parse_done(const msg::document& frame, const json::object& object) {
  guest_done done;
  if (auto* result = object.if_contains("result")) {
    done.has_result = true;
    done.result = frame.part(*result);
  }
  auto* exits = object.if_contains("exits");
  done.exits = exits && exits->is_bool() && exits->get_bool();
  auto* error = object.if_contains("error");
  if (!error)
    return done;
  if (!error->is_object())
    return guest_violation{"an end frame whose error is no object"};
  auto& e = error->get_object();
  done.failed = true;
  done.error.name = text::excerpt(text_field(e, "name"), error_text_bytes_max);
  done.error.message = text::excerpt(text_field(e, "message"), error_text_bytes_max);
  done.error.stack = text::excerpt(text_field(e, "stack"), error_text_bytes_max);
  done.error.line = position_field(e, "line");
  done.error.column = position_field(e, "column");
  auto* code = e.if_contains("exitCode");
  bool fits = code && code->is_int64() && code->get_int64() == static_cast<int32_t>(code->get_int64());
  done.exit_code = fits ? static_cast<int32_t>(code->get_int64()) : 1;
  return done;
}

/// By byte: an image has millions of them.
constexpr std::array<bool, 256> base64_digits() {
  std::array<bool, 256> out{};
  for (unsigned char c : std::string_view{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"})
    out[c] = true;
  return out;
}

bool is_media_type(std::string_view type, std::string_view family) {
  auto rest = type.starts_with(family) ? type.substr(family.size()) : std::string_view{};
  return !rest.empty() && rest.size() <= media_subtype_bytes_max
         && std::all_of(rest.begin(), rest.end(),
                        [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '.' || c == '-'; });
}

std::optional<msg::block_kind> kind_named(std::string_view type) {
  using enum msg::block_kind;
  constexpr std::pair<std::string_view, msg::block_kind> kinds[] = {
    {"text", text}, {"json", json}, {"image", image}, {"audio", audio}};
  auto* found = std::find_if(std::begin(kinds), std::end(kinds), [&](auto& each) { return each.first == type; });
  return found == std::end(kinds) ? std::nullopt : std::optional{found->second};
}

guest_frame parse_display(const msg::document& frame, const json::object& object) {
  auto* block = object.if_contains("block");
  auto* fields = block ? block->if_object() : nullptr;
  if (!fields)
    return guest_violation{"a display frame without a block"};
  auto type = text_field(*fields, "type"), media_type = text_field(*fields, "mimeType");
  auto kind = kind_named(type);
  if (!kind)
    return guest_violation{no_display};
  auto* content = fields->if_contains(*kind == msg::block_kind::text   ? "text"
                                      : *kind == msg::block_kind::json ? "value"
                                                                       : "data");
  if (!content || (*kind != msg::block_kind::json && !content->is_string()))
    return guest_violation{"a display block without content"};
  bool is_media = *kind == msg::block_kind::image || *kind == msg::block_kind::audio;
  if (is_media && !is_media_type(media_type, std::string{type} + "/"))
    return guest_violation{no_display};
  guest_display d;
  d.block.kind = *kind;
  if (is_media)
    d.block.mime_type = media_type;
  d.block.value = frame.part(*content);
  d.bytes = frame.text_bytes();
  return d;
}

} // namespace

bool can_be_shown(const msg::display_block& block) {
  if (block.kind != msg::block_kind::image && block.kind != msg::block_kind::audio)
    return true;
  static constexpr auto digits_there_are = base64_digits();
  std::string_view data{block.value.value().get_string()};
  auto padding = data.ends_with("==") ? 2u : data.ends_with('=') ? 1u : 0u;
  auto digits = data.substr(0, data.size() - padding);
  return data.size() % 4 == 0
         && std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return digits_there_are[c]; });
}

std::string_view frame_type(const msg::document& frame) {
  auto* object = frame.value().if_object();
  auto* type = object ? object->if_contains("type") : nullptr;
  return type && type->is_string() ? std::string_view{type->get_string()} : std::string_view{};
}

uint64_t request_id(const msg::document& frame) {
  auto* id = frame_type(frame) == "request" ? frame.value().get_object().if_contains("id") : nullptr;
  return id && id->is_int64() && id->get_int64() > 0 ? static_cast<uint64_t>(id->get_int64()) : 0;
}

guest_frame parse_frame(const msg::document& frame) {
  auto name = frame_type(frame);
  if (name.empty())
    return guest_violation{"a frame that is no object with a type"};
  auto& object = frame.value().get_object();
  if (name == "request")
    return parse_request(frame, object);
  if (name == "display")
    return parse_display(frame, object);
  if (name == "done")
    return parse_done(frame, object);
  return guest_violation{"a frame of the unknown type '" + text::quoted(name, 100) + "'"};
}

msg::spliced_text run_frame(const msg::guest_program& program) {
  json::object frame{{"type", "run"}, {"code", program.code}};
  if (program.keep)
    frame["keep"] = true;
  return msg::spliced_text{text::to_text(frame)};
}

msg::spliced_text warm_up_frame() { return msg::spliced_text{R"({"type":"warm_up"})"}; }

msg::spliced_text reply_frame(uint64_t id, const msg::outcome<msg::document>& answer) {
  auto head = R"({"type":"reply","id":)" + std::to_string(id);
  if (answer.ok())
    return {head + R"(,"result":)", answer.value, "}"};
  auto& f = answer.error;
  json::object error{{"code", msg::to_string(f.code)}, {"message", f.message}};
  if (!f.server.empty())
    error["server"] = f.server;
  if (!f.tool.empty())
    error["tool"] = f.tool;
  if (!f.suggestions.empty())
    error["suggestions"] = json::array(f.suggestions.begin(), f.suggestions.end());
  if (f.retry_after_ms > 0)
    error["retryAfterMs"] = f.retry_after_ms;
  return msg::spliced_text{head + R"(,"error":)" + text::to_text(error) + "}"};
}

} // namespace proxy
