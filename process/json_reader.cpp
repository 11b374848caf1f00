#include "process/json_reader.hpp"

#include "messages/limits.hpp"
#include "process/no_throw.hpp"
#include "process/offload.hpp"
#include "text/broken_json.hpp"
#include "text/parsed_size.hpp"

#include <asio/buffer.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace process {

namespace json = boost::json;

namespace {

constexpr size_t read_bytes = 64u << 10; // what a pipe holds
constexpr size_t quote_bytes_max = 4u << 10;

/// What is told of a broken message, and may be so long.
constexpr std::string_view told_members[] = {"id", "method"};
constexpr size_t told_bytes_max = 256;
constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD

/// `member_named` finds the text of one.
template <class MemberNamed>
msg::document what_can_be_told(MemberNamed member_named) {
  json::object out;
  for (auto key : told_members)
    if (auto member = member_named(key); !member.empty())
      if (auto parsed = msg::document::parse(member); parsed.ok())
        out[key] = parsed.value.value();
  return out.empty() ? msg::document{} : msg::document{json::value(std::move(out))};
}

/// Half of a surrogate pair becomes U+FFFD, and an answer by that id would be to no request.
bool has_other_id(const json::value& message, std::string_view text) {
  auto* members = message.if_object();
  auto* id = members ? members->if_contains("id") : nullptr;
  if (!id || !id->is_string() || id->get_string().find(replacement) == json::string::npos)
    return false;
  auto written = text::member_of_broken_json(text, "id", told_bytes_max);
  return written.find("\\ud") != written.npos || written.find("\\uD") != written.npos;
}

msg::outcome<msg::document> parse(std::string_view text, uint64_t held_max, msg::spelling text_is) {
  if (held_max > 0 && text.size() > msg::limits::json_inline_bytes_max && text::parsed_size(text) > held_max)
    return msg::fault{msg::errc::limit_exceeded, std::to_string(text.size()) + " bytes that would take more than "
                                                   + std::to_string(held_max >> 20) + " MiB of memory"};
  auto parsed = msg::document::parse(text, text_is);
  if (!parsed.ok())
    parsed.value = what_can_be_told([&](auto key) { return text::member_of_broken_json(text, key, told_bytes_max); });
  else if (has_other_id(parsed.value.value(), text))
    return msg::fault{msg::errc::invalid_argument, "the id has half of a surrogate pair"};
  return parsed;
}

json_event end_of_stream(const asio::error_code& ec, bool is_within) {
  json_event e;
  e.is_cut_off = is_within;
  if (ec != asio::error::eof)
    e.problem = ec.message();
  return e;
}

json_event from_outcome(msg::outcome<msg::document> parsed, std::string_view text) {
  json_event e;
  e.what = parsed.ok()                                        ? json_event::kind::message
           : parsed.error.code == msg::errc::invalid_argument ? json_event::kind::malformed
                                                              : json_event::kind::unread;
  e.value = std::move(parsed.value);
  e.problem = std::move(parsed.error.message);
  if (e.what == json_event::kind::malformed)
    e.text = text.substr(0, quote_bytes_max);
  return e;
}

} // namespace

json_reader::json_reader(std::shared_ptr<asio::posix::stream_descriptor> from, asio::any_io_executor worker,
                         framing kind, size_t bytes_max)
  : from_(std::move(from)),
    worker_(std::move(worker)),
    deframer_(kind, bytes_max),
    chunk_(read_bytes, '\0') {}

asio::awaitable<json_event> read_json_message(asio::any_io_executor worker, std::string_view text, uint64_t held_max,
                                              msg::spelling text_is) {
  auto work = [text, held_max, text_is] { return parse(text, held_max, text_is); };
  if (text.size() <= msg::limits::json_inline_bytes_max)
    co_return from_outcome(attempt(work), text);
  auto result = co_await offload(std::move(worker), std::move(work));
  co_return from_outcome(std::move(result), text);
}

void json_reader::tell_held() {
  if (changed_ && std::exchange(held_told_, held_bytes()) != held_bytes())
    changed_();
}

/// A last line without its end counts if it is whole, which can be told of objects and lists.
asio::awaitable<json_event> json_reader::ended(asio::error_code ec) {
  bool is_within = deframer_.is_within();
  if (ec == asio::error::eof && deframer_.take_rest())
    if (auto last = co_await read_json_message(worker_, deframer_.text(), held_max_, text_is_);
        last.value.value().is_structured() && last.what == json_event::kind::message)
      co_return last;
  co_return end_of_stream(ec, is_within);
}

asio::awaitable<json_event> json_reader::next() {
  for (;;) {
    auto found = deframer_.next();
    if (found == deframer::event::message)
      co_return co_await read_json_message(worker_, deframer_.text(), held_max_,
                                           text_is_); // it stays until the next call
    if (found == deframer::event::too_long) {
      json_event e;
      e.what = json_event::kind::too_long;
      e.value = what_can_be_told([this](auto key) {
        return text::member_of_long_json(deframer_.text(), deframer_.ending(), key, told_bytes_max);
      });
      co_return e;
    }
    tell_held();
    auto [ec, n] = co_await from_->async_read_some(asio::buffer(chunk_), no_throw);
    if (ec)
      co_return co_await ended(ec);
    auto feed = [this, n = n] { return deframer_.feed(std::string_view{chunk_}.substr(0, n)), true; };
    if (auto fed = attempt(feed); !fed.ok()) {
      json_event e;
      e.what = json_event::kind::unread;
      e.problem = std::move(fed.error.message);
      co_return e;
    }
  }
}

} // namespace process
