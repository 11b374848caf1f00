#include "actors/sampling/streamed_answer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace sampling {

using msg::errc;

std::vector<std::string_view> pieces_of(std::string_view text) {
  auto is_inside_character = [&](size_t at) { return at < text.size() && (text[at] & 0xC0) == 0x80; };
  std::vector<std::string_view> out;
  while (!text.empty()) {
    auto end = std::min(text.size(), streamed_at_once_max);
    while (is_inside_character(end))
      ++end; // a character has at most three such bytes
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

void streamed_answer::begin_round(const content_filter::content_policy& policy, std::shared_ptr<answer_place> place) {
  filter_.emplace(policy);
  received_.clear();
  given_.clear();
  if (place)
    place_ = std::move(place);
}

void streamed_answer::count() {
  if (place_)
    place_->hold(waiting_.size() + received_.size() + given_.size());
}

void streamed_answer::give(const std::string& text) {
  waiting_ += text;
  given_ += text;
  count();
}

msg::fault streamed_answer::feed(const std::string& text) {
  received_ += text;
  count();
  auto filtered = filter_->feed(text);
  if (!filtered.ok())
    return {errc::not_allowed, content_filter::refusal(*filtered.blocked)};
  give(filtered.text);
  return {};
}

void streamed_answer::finish_round() { give(filter_->finish().text); }

void streamed_answer::end(msg::fault why) {
  is_over_ = true;
  failure_ = std::move(why);
}

std::optional<streamed_answer::piece> streamed_answer::take() {
  if (waiting_.empty() && !is_over_)
    return {};
  bool fails = failure_.code != errc::none;
  bool is_last = is_over_ && (!fails || waiting_.empty());
  if (is_last && fails)
    return piece{std::move(failure_), true};
  piece out{msg::document{boost::json::object{{"text", std::exchange(waiting_, {})}, {"done", is_last}}}, is_last};
  count();
  return out;
}

} // namespace sampling
