#include "mcp/http_streams.hpp"

#include "messages/http_limits.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace mcp {

namespace limits = msg::limits;

namespace {

/// Of what belongs to no request.
constexpr stream_number own_stream = 0;

} // namespace

http_streams::http_streams(clock now, std::function<void(stream_number)> lost)
  : now_(std::move(now)),
    lost_(std::move(lost)),
    log_(limits::http_replay_bytes_max, limits::http_replay_events_max) {}

void http_streams::attach(stream_number stream, open_stream& to, std::shared_ptr<http::exchange> reader,
                          http::headers fields) {
  asked();
  auto number = ++to.readers;
  reader->when_gone([weak = weak_from_this(), stream, number] {
    if (auto self = weak.lock())
      self->reader_gone(stream, number);
  });
  if (to.reply)
    to.reply->end();
  to.reply = std::make_unique<http_reply>(std::move(reader), std::move(fields), now_());
}

stream_number http_streams::open(std::shared_ptr<http::exchange> to, resumption how, http::headers fields) {
  auto stream = ++last_;
  if (has_ended_) {
    http_reply{std::move(to), std::move(fields), now_()}.give_up();
    return stream;
  }
  auto& opened = open_[stream];
  opened.how = how;
  attach(stream, opened, std::move(to), std::move(fields));
  return stream;
}

bool http_streams::open_own(std::shared_ptr<http::exchange> to, http::headers fields) {
  auto& own = open_[own_stream];
  if (own.reply)
    return false;
  own.how = resumption::quiet;
  attach(own_stream, own, std::move(to), std::move(fields));
  own.reply->begin({}, now_());
  return true;
}

/// `stream`: null: it has ended, and its answer was the last event. What was too large to be kept is a hole.
bool http_streams::has_all_after(const event_place& place, const open_stream* stream) const {
  auto kept = log_.after(place);
  auto next = place.number;
  bool has_hole = std::any_of(kept.begin(), kept.end(), [&](auto* each) { return each->place.number != ++next; });
  if (has_hole)
    return false;
  if (stream)
    return next == stream->events;
  auto over = ended_.find(place.stream);
  return over != ended_.end() ? next == over->second : !kept.empty();
}

resumed http_streams::resume(const event_place& after, std::shared_ptr<http::exchange> to, http::headers fields) {
  if (after.stream > last_)
    return resumed::no;
  auto found = open_.find(after.stream);
  bool is_open = found != open_.end();
  if (auto over = ended_.find(after.stream); over != ended_.end() && over->second == after.number)
    return resumed::is_over;
  if (!has_all_after(after, is_open ? &found->second : nullptr))
    return resumed::no;
  open_stream ended;
  auto& stream = is_open ? found->second : ended;
  attach(after.stream, stream, std::move(to), std::move(fields));
  stream.reply->begin({}, now_());
  for (auto* event : log_.after(after))
    stream.reply->event(event_id(event->place), event->text, now_());
  if (!is_open)
    stream.reply->end();
  return resumed::yes;
}

void http_streams::reader_gone(stream_number stream, uint64_t reader) {
  auto found = open_.find(stream);
  if (found == open_.end() || found->second.readers != reader)
    return;
  asked(); // until now
  found->second.reply = nullptr;
  if (found->second.how != resumption::none)
    return; // it may come back
  open_.erase(found);
  lost_(stream);
}

void http_streams::tell(stream_number stream, open_stream& to, const std::string& text) {
  std::string id;
  if (to.how != resumption::none) {
    event_place place{stream, ++to.events};
    id = event_id(place);
    log_.add(place, text);
  }
  if (to.reply)
    to.reply->event(id, text, now_());
}

/// Without a reader it waits in the log.
void http_streams::finish(stream_number stream, open_stream& to, std::string text, uint16_t status) {
  if (to.reply && !to.reply->is_stream() && !text.empty()) {
    to.reply->answer({}, std::move(text), now_(), status);
  } else {
    if (!text.empty())
      tell(stream, to, text);
    if (to.reply)
      to.reply->end();
    if (to.how != resumption::none)
      ended_[stream] = to.events;
    if (ended_.size() > limits::http_replay_events_max)
      ended_.erase(ended_.begin());
  }
  open_.erase(stream);
}

void http_streams::deliver(stream_number stream, outgoing::kind what, std::string text, uint16_t status) {
  auto found = open_.find(stream);
  if (found == open_.end() || has_ended_)
    return;
  bool is_last = what == outgoing::kind::answer || what == outgoing::kind::none;
  if (is_last && stream == own_stream) // it answers nothing
    return;
  if (is_last)
    return finish(stream, found->second, std::move(text), status);
  tell(stream, found->second, text);
  if (unsent_bytes() > limits::http_unread_bytes_max)
    break_off(stream, found->second);
}

void http_streams::leave_out(stream_number stream) {
  auto found = open_.find(stream);
  if (found == open_.end())
    return;
  ++found->second.events; // which is in no log
  break_off(stream, found->second);
}

void http_streams::break_off(stream_number stream, open_stream& of) {
  if (!of.reply)
    return;
  of.reply->abort();
  reader_gone(stream, of.readers);
}

void http_streams::look_alive(stream_number stream, open_stream& s, time_point now) {
  auto silence = now - s.reply->told();
  if (!s.reply->is_stream() && silence >= limits::http_quiet_max)
    s.reply->begin(s.how == resumption::offered ? event_id({stream, 0}) : std::string{}, now);
  else if (s.reply->is_stream() && silence >= limits::http_keep_alive)
    s.reply->keep_alive(now);
}

/// Nobody has come back for what was asked: it is not worked on for nobody.
void http_streams::end_if_absent(time_point now) {
  if (attached() > 0)
    seen_ = now;
  if (now - seen_ < http_absence_max)
    return;
  std::vector<stream_number> left;
  for (auto& [stream, s] : open_)
    if (stream != own_stream)
      left.push_back(stream);
  for (auto stream : left) {
    open_.erase(stream);
    lost_(stream);
  }
}

void http_streams::keep_alive() {
  auto now = now_();
  end_if_absent(now);
  for (auto& [stream, s] : open_)
    if (s.reply)
      look_alive(stream, s, now);
}

void http_streams::end() {
  has_ended_ = true;
  for (auto& [stream, s] : std::exchange(open_, {}))
    if (s.reply)
      s.reply->give_up();
}

size_t http_streams::count() const {
  auto own = open_.find(own_stream);
  return open_.size() - (own != open_.end() && !own->second.reply ? 1 : 0);
}

bool http_streams::has_requests() const {
  return std::any_of(open_.begin(), open_.end(), [](auto& each) { return each.first != own_stream; });
}

size_t http_streams::attached() const {
  size_t out = 0;
  for (auto& [stream, s] : open_)
    out += s.reply ? 1 : 0;
  return out;
}

size_t http_streams::unsent_bytes() const {
  size_t out = 0;
  for (auto& [stream, s] : open_)
    out += s.reply ? s.reply->unsent_bytes() : 0;
  return out;
}

} // namespace mcp
