#include "mcp/server_log.hpp"

#include "mcp/fields.hpp"
#include "messages/log_level.hpp"
#include "text/json_beginning.hpp"

#include <string_view>
#include <utility>

namespace mcp {

namespace json = boost::json;

std::string told_logger(const std::string& server, const json::object& params, const masking& masked) {
  auto part = string_or(params, "logger");
  return part.empty() ? server : server + "/" + masked_excerpt(part, msg::logger_bytes_max, masked);
}

msg::document told_log_data(const json::value* data, const masking& masked) {
  if (!data)
    return msg::document{json::value("")};
  if (auto* text = data->if_string(); text && text->size() > msg::log_data_bytes_max)
    return msg::document{json::value(masked_excerpt(*text, msg::log_data_bytes_max, masked))};
  bool is_long = text::json_beginning(*data, msg::log_data_bytes_max + 1).size() > msg::log_data_bytes_max;
  if (is_long && !data->is_string())
    return msg::document{json::value(masked_json(*data, msg::log_data_bytes_max, masked) + "... (cut)")};
  auto told = *data; // a copy: a part of a message counts as much as all of it
  if (masked)
    mask_texts(told, masked);
  return msg::document{std::move(told)};
}

} // namespace mcp
