#include "sampling/stream_reader.hpp"

#include "messages/document.hpp"
#include "sampling/faults.hpp"
#include "sampling/json_fields.hpp"
#include "sampling/wire.hpp"
#include "text/broken_json.hpp"
#include "text/json_parse.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace sampling {

namespace {

/// Some servers send a line now and then while their model is busy.
constexpr size_t blank_bytes_max = 64u << 10;
/// 5 ms of parsing. A whole answer of 128,000 tokens in one event is half of it.
constexpr size_t event_bytes_max = 1u << 20;
constexpr std::string_view last_data = "[DONE]"; // of OpenAI's format

msg::fault stream_fault(provider who, const std::string& what) {
  return {msg::errc::model_failed, std::string{title_of(who)} + " " + what};
}

/// An event in the place of an answer. OpenAI-like servers write `"error": null` too.
bool is_error(const boost::json::value& event) { return field(event, "error") || text_field(event, "type") == "error"; }

/// Behind white space and byte order mark; JSON and HTML begin with one of these, events never do.
bool begins_other(std::string_view text) {
  return text.starts_with('{') || text.starts_with('[') || text.starts_with('<');
}

} // namespace

stream_reader::stream_reader(provider who) : who_(who), events_(event_bytes_max) {}

bool stream_reader::done() const { return broken_ || builder_.is_closed() || builder_.too_large(); }

void stream_reader::refuse(size_t bytes) {
  if (!builder_.is_closed())
    refused_bytes_ += bytes;
}

std::string stream_reader::feed(std::string_view bytes) {
  if (done()) {
    refuse(bytes.size());
    return {};
  }
  if (!is_stream_) {
    auto begin = bytes.find_first_not_of(" \t\r\n"); // which means nothing before either
    blank_bytes_ += std::min(begin, bytes.size());
    if (blank_bytes_ > blank_bytes_max)
      broken_ = stream_fault(who_, "answered with white space only. Try again; if it stays, check sampling.baseUrl.");
    if (broken_ || begin == bytes.npos)
      return {};
    bytes.remove_prefix(begin);
    is_stream_ = !begins_other(bytes);
    return feed(bytes);
  }
  if (!*is_stream_) {
    if (whole_.size() + bytes.size() <= answer_bytes_max) {
      whole_ += bytes;
      return {};
    }
    refuse(bytes.size());
    broken_ = stream_fault(who_, "answered with more than " + std::to_string(answer_bytes_max >> 20)
                                   + " MiB that are no stream; ask for a shorter answer (maxTokens).");
    return {};
  }
  auto before = builder_.text().size();
  for (auto& event : events_.feed(bytes))
    if (!done())
      take(event);
    else
      refuse(event.data.size());
  if (events_.too_long() && !done()) {
    refuse(bytes.size());
    broken_ =
      stream_fault(who_, "sent an event of more than " + std::to_string(event_bytes_max >> 20) + " MiB in its stream.");
  }
  return builder_.text().substr(before);
}

void stream_reader::take(const http::stream_event& event) {
  if (event.data == last_data)
    return builder_.close();
  auto parsed = msg::document::parse(event.data);
  auto& value = parsed.value.value();
  if (!parsed.ok() || !value.is_object()) {
    refuse(event.data.size());
    auto why = text::is_nested_too_deep(event.data)
                 ? "nested deeper than " + std::to_string(text::json_depth_max) + " levels, which is the limit: "
                 : std::string{"no JSON object: "};
    broken_ = stream_fault(who_, "sent an event in its stream that is " + why + told(event.data)
                                   + ". Try again; if it stays, check sampling.baseUrl.");
  } else if (is_error(value)) {
    broken_ = provider_fault(who_, 0, error_in(value));
  } else {
    format_of(who_).take_event(value, builder_);
  }
}

msg::outcome<msg::model_answer> stream_reader::failed(msg::fault why) const {
  msg::outcome<msg::model_answer> out{std::move(why)};
  out.value = builder_.so_far();
  return out;
}

msg::outcome<msg::model_answer> stream_reader::finish() {
  if (broken_)
    return failed(std::move(*broken_));
  if (is_stream_ && !*is_stream_)
    return answer_of(who_, 200, whole_);
  bool is_nothing = !is_stream_ || (builder_.is_closed() && builder_.is_empty() && !builder_.has_stop());
  bool has_end =
    !is_nothing
    && (builder_.is_closed() || builder_.too_large() || (builder_.has_stop() && who_ != provider::anthropic));
  if (!has_end)
    return failed(stream_fault(
      who_,
      is_nothing
        ? "answered with nothing. Try again; if it stays, check sampling.baseUrl."
        : "ended its stream before the answer was complete: the connection broke, or a proxy cut it. Try again."));
  return builder_.finish(who_);
}

} // namespace sampling
