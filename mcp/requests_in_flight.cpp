#include "mcp/requests_in_flight.hpp"

#include "messages/invariant.hpp"
#include "messages/limits.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <utility>

namespace mcp {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

constexpr size_t shown_id_bytes_max = 80;

/// Without a session, ids of different HTTP requests have nothing to do with each other.
std::string key_of(const json::value& id, stream_number stream, revision spoken) {
  auto key = text::to_text(id);
  return has_handshake(spoken) || stream == 0 ? key : std::to_string(stream) + " " + key;
}

json::value progress_token_of(const message_view& request) {
  auto* meta = request.params ? request.params->if_contains("_meta") : nullptr;
  auto* token = meta && meta->is_object() ? meta->get_object().if_contains("progressToken") : nullptr;
  return token && (token->is_string() || token->is_int64() || token->is_uint64()) ? *token : json::value{};
}

/// All that is told of the request's progress repeats it.
bool is_too_long(const json::value& token) { return token.is_string() && token.get_string().size() > id_bytes_max; }

} // namespace

requests_in_flight::opened requests_in_flight::open(const message_view& request, const reply_path& path,
                                                    std::shared_ptr<const requester> from, request_number again) {
  if (open_.size() >= limits::client_requests_max)
    return {0,
            {rpc_error::internal_error,
             "Overloaded: " + std::to_string(open_.size()) + " requests are in flight, which is the limit",
             {}}};
  auto key = key_of(request.id, path.stream, from->spoken);
  if (numbers_.contains(key))
    return {0,
            {rpc_error::invalid_request,
             "Invalid Request: id " + text::quoted(text::to_text(request.id), shown_id_bytes_max)
               + " is in use by a request in flight",
             {}}};
  auto token = progress_token_of(request);
  if (is_too_long(token))
    return {0,
            {rpc_error::invalid_params,
             "Invalid params: _meta.progressToken has more than " + std::to_string(id_bytes_max)
               + " bytes; use a number or a short text",
             {}}};
  auto number = again != 0 ? again : ++*last_number_;
  open_.emplace(number, request_in_flight{request.id, std::move(token), path, std::move(from)});
  numbers_.emplace(std::move(key), number);
  msg::ensure(open_.size() == numbers_.size(), "each request in flight is found by its id");
  return {number, {}};
}

std::optional<request_in_flight> requests_in_flight::take(request_number number) {
  auto found = open_.extract(number);
  if (!found)
    return std::nullopt;
  auto& request = found.mapped();
  numbers_.erase(key_of(request.id, request.path.stream, request.from->spoken));
  return std::move(request);
}

request_in_flight* requests_in_flight::find(request_number number) {
  auto found = open_.find(number);
  return found == open_.end() ? nullptr : &found->second;
}

const request_in_flight* requests_in_flight::find(request_number number) const {
  auto found = open_.find(number);
  return found == open_.end() ? nullptr : &found->second;
}

request_number requests_in_flight::number_of(const json::value& id, stream_number stream) const {
  auto found = numbers_.find(key_of(id, stream, latest_revision));
  if (found == numbers_.end())
    found = numbers_.find(key_of(id, stream, revision::r2026_07_28));
  return found == numbers_.end() ? 0 : found->second;
}

std::vector<request_number> requests_in_flight::of_stream(stream_number stream) const {
  std::vector<request_number> out;
  for (auto& [number, request] : open_)
    if (request.path.stream == stream)
      out.push_back(number);
  return out;
}

std::vector<request_number> requests_in_flight::subscriptions() const {
  std::vector<request_number> out;
  for (auto& [number, request] : open_)
    if (request.is_subscription)
      out.push_back(number);
  return out;
}

} // namespace mcp
