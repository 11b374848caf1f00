#include "sampling/answer_builder.hpp"

#include "sampling/token_estimate.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <utility>

namespace sampling {

namespace {

/// Longer ones are no name of a tool or model, and no id.
constexpr size_t name_bytes_max = 256;

} // namespace

bool answer_builder::takes(size_t bytes) {
  too_large_ = too_large_ || bytes > answer_bytes_max - bytes_;
  (too_large_ ? refused_bytes_ : bytes_) += bytes;
  return !too_large_;
}

void answer_builder::add_text(std::string_view text) {
  has_text_ = true;
  if (takes(text.size()))
    answer_.text += text;
}

answer_builder::open_arguments* answer_builder::find(int64_t key) {
  auto found = std::find_if(arguments_.begin(), arguments_.end(), [key](auto& a) { return a.is_text && a.key == key; });
  return found == arguments_.end() ? nullptr : &*found;
}

std::string answer_builder::unique_id(std::string_view id) const {
  bool known = std::any_of(answer_.uses.begin(), answer_.uses.end(), [id](auto& u) { return u.id == id; });
  return id.empty() || known ? std::string{made_id_prefix} + std::to_string(answer_.uses.size() + 1) : std::string{id};
}

void answer_builder::open_use(int64_t key, std::string_view id, std::string_view name) {
  if (auto* open = find(key)) {
    auto& use = answer_.uses[static_cast<size_t>(open - arguments_.data())];
    if (use.name.empty())
      use.name = name.substr(0, name_bytes_max);
    return;
  }
  too_large_ =
    too_large_ || answer_.uses.size() == answer_uses_max || id.size() > name_bytes_max || name.size() > name_bytes_max;
  if (too_large_)
    return;
  msg::tool_use use;
  use.id = unique_id(id);
  use.name = name;
  answer_.uses.push_back(std::move(use));
  arguments_.push_back({key, {}, true});
}

void answer_builder::add_arguments(int64_t key, std::string_view piece) {
  auto* open = find(key);
  if (open && takes(piece.size()))
    open->text += piece;
}

void answer_builder::add_use(std::string_view id, std::string_view name, msg::document input, msg::document extra) {
  auto before = answer_.uses.size();
  open_use(-1 - static_cast<int64_t>(before), id, name);
  if (answer_.uses.size() == before)
    return;
  arguments_.back().is_text = false;
  answer_.uses.back().input = std::move(input);
  answer_.uses.back().extra = std::move(extra);
}

void answer_builder::set_model(std::string_view name) {
  if (answer_.model.empty())
    answer_.model = name.substr(0, name_bytes_max);
}

void answer_builder::set_stop(msg::stop_reason reason) {
  if (!has_stop_)
    answer_.stop = reason;
  has_stop_ = true;
}

msg::outcome<msg::model_answer> answer_builder::useless(provider who, const std::string& what) const {
  msg::outcome<msg::model_answer> out{msg::fault{msg::errc::model_failed, std::string{title_of(who)} + " " + what}};
  out.value = so_far();
  return out;
}

msg::model_answer answer_builder::so_far() const {
  msg::model_answer out;
  out.text = answer_.text;
  for (size_t i = 0; i < arguments_.size(); ++i)
    out.text += arguments_[i].is_text ? arguments_[i].text : answer_.uses[i].input.text();
  auto refused = refused_bytes_ > 0 ? estimated_tokens_of(bytes_ + refused_bytes_) : 0;
  out.usage = {input_.value_or(0), output_.value_or(refused), !output_ || !has_stop_}; // it is told while it grows
  return out;
}

/// Why neither text nor the use of a tool came; empty: one did, or an empty text is what was meant.
std::string answer_builder::problem_of_nothing() const {
  if (!is_empty())
    return {};
  if (answer_.stop == msg::stop_reason::refused)
    return "refused to answer, and said nothing of why. Ask otherwise, or another model.";
  if (answer_.stop == msg::stop_reason::max_tokens)
    return "gave no text before maxTokens was reached: its model has used them for what it thinks. Ask with a larger "
           "maxTokens.";
  return has_text_ ? "" : "gave an answer without text. Ask again, or another model.";
}

msg::outcome<msg::model_answer> answer_builder::finish(provider who) {
  if (too_large_)
    return useless(who, "gave an answer that is too large: at most " + std::to_string(answer_bytes_max >> 20)
                          + " MiB and " + std::to_string(answer_uses_max)
                          + " uses of tools are taken. Ask with a smaller maxTokens.");
  bool names_no_tool = answer_.stop == msg::stop_reason::tool_use && is_empty();
  if (malformed_ || names_no_tool)
    return useless(who, "gave an answer that can not be read: it has null or the like where text or the use of a tool "
                        "should be, or wants tools to be called and names none. Ask again, or another model.");
  if (auto problem = problem_of_nothing(); !problem.empty())
    return useless(who, problem);
  bool cut = answer_.stop == msg::stop_reason::max_tokens; // in the middle of the arguments, perhaps
  if (cut)
    answer_.uses.clear();
  for (size_t i = 0; i < answer_.uses.size(); ++i) {
    auto& use = answer_.uses[i];
    if (arguments_[i].is_text) {
      auto& text = arguments_[i].text;
      auto parsed = msg::document::parse(text.find_first_not_of(" \t\r\n") == text.npos ? "{}" : text);
      use.input = parsed.ok() ? std::move(parsed.value) : msg::document{};
    }
    if (use.name.empty() || !use.input.value().is_object())
      return useless(who, "wants a tool to be called without its name, or with arguments that are no JSON object. Ask "
                          "again, or another model.");
  }
  if (!answer_.uses.empty())
    answer_.stop = msg::stop_reason::tool_use; // some servers call it the end
  else if (answer_.stop == msg::stop_reason::tool_use)
    answer_.stop = msg::stop_reason::other;
  answer_.usage = {input_.value_or(0), output_.value_or(0), !output_};
  return std::move(answer_);
}

} // namespace sampling
