#include "proxy/failing_calls.hpp"

#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <boost/json/value.hpp>

#include <functional>

namespace proxy {

namespace {

constexpr size_t error_bytes_max = 500;

} // namespace

uint64_t failing_calls::hash_of(const msg::document& arguments) {
  if (arguments.text_bytes() > msg::limits::json_inline_bytes_max)
    return 0;
  return (std::hash<boost::json::value>{}(arguments.value()) * 0x9e3779b97f4a7c15u) | 1u;
}

uint64_t failing_calls::key_of(std::string_view full_name, uint64_t arguments_hash) {
  return arguments_hash == 0 ? 0 : (std::hash<std::string_view>{}(full_name) ^ arguments_hash) | 1u;
}

const std::string* failing_calls::refused(uint64_t key, uint32_t same_max) const {
  auto found = known_.find(key);
  return found != known_.end() && found->second.count >= same_max ? &found->second.last_error : nullptr;
}

void failing_calls::failed(uint64_t key, const std::string& error) {
  if (key == 0 || (known_.size() >= msg::limits::failing_calls_max && !known_.contains(key)))
    return;
  auto& f = known_[key];
  ++f.count;
  f.last_error = text::quoted(error, error_bytes_max);
}

} // namespace proxy
