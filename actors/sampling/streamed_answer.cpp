#include "actors/sampling/streamed_answer.hpp"

#include "sampling/token_estimate.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace sampling {

using msg::errc;

namespace {

/// An answer with so many times the tokens that were asked for, as they are estimated, and some more, is none that its
/// model ends by itself: estimates are at most 2.4 times what is counted (token_estimate.cpp).
constexpr uint64_t beyond_max_factor = 4, beyond_max_tokens = 500;

} // namespace

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

void streamed_answer::begin_round(const content_filter::content_policy& policy, std::shared_ptr<answer_place> place,
                                  uint32_t tokens_max) {
  filter_.emplace(policy);
  tokens_max_ = tokens_max;
  tokens_ = 0;
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
  tokens_ += estimated_tokens(text);
  if (tokens_ > beyond_max_factor * tokens_max_ + beyond_max_tokens)
    return {errc::model_failed, "llm: the model goes on far beyond the " + std::to_string(tokens_max_)
                                  + " tokens that it was to answer with (maxTokens), and is not listened to any more; "
                                    "ask for more, or take another model"};
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
