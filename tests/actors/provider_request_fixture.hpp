// A question to a provider that does what the test says.
#pragma once

#include "actors/background.hpp"
#include "actors/provider_request.hpp"

#include "tests/actors/deterministic.hpp"
#include "tests/actors/put_off.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace provider_request_tests {

using namespace std::literals;
using namespace testing_support;
using msg::errc;

inline constexpr auto good_answer =
  R"({"choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}})";

inline std::string streamed(const std::string& text) {
  return R"(data: {"choices":[{"index":0,"delta":{"content":")" + text + "\"}}]}\n\n";
}

struct provider_request_fixture : deterministic {
  struct request {
    http::client_request sent;
    http::client_handlers handlers;
    bool is_cancelled = false;
    bool is_held = false;
  };
  /// As much as one call of on_data has.
  static constexpr size_t piece_bytes = 16u << 10;
  std::vector<std::shared_ptr<request>> requests;
  std::string text;
  std::vector<msg::outcome<msg::model_answer>> answers;
  std::vector<uint32_t> times_asked; ///< as it was told before the end
  msg::provider_request_actor actor; ///< the last one
  std::vector<msg::provider_request_actor> all;
  bool can_send = true;
  actors::background_work offload;             ///< empty: everything is done at once
  std::vector<uint64_t> held;                  ///< as it was told
  std::shared_ptr<sampling::answer_room> room; ///< of all questions; made by the first
  std::vector<std::shared_ptr<sampling::answer_place>> places;

  ~provider_request_fixture() override {
    for (auto& one : all)
      caf::anon_send_exit(one, caf::exit_reason::user_shutdown);
    all.clear();
    actor = nullptr;
    settle();
    requests.clear();
    settle();
  }

  void ask(bool stream = false, uint32_t tries_max = 4) {
    actors::provider_request_options o;
    o.access = {sampling::provider::openai, "", "plain-local-key-9f", 30s, {.tries_max = tries_max}};
    o.request.model = "m";
    o.request.messages = {{msg::chat_role::user, "hi", {}, {}}};
    o.request.max_tokens = 10;
    o.request.stream = stream;
    o.listener.text = [this](const std::string& piece) { text += piece; };
    o.listener.asked = [this](uint32_t times) { times_asked.push_back(times); };
    o.listener.end = [this](msg::outcome<msg::model_answer> answer) { answers.push_back(std::move(answer)); };
    o.send = [this](http::client_request sent, http::client_handlers handlers) {
      if (!can_send)
        throw std::bad_alloc{};
      auto one = requests.emplace_back(std::make_shared<request>(request{std::move(sent), std::move(handlers)}));
      return actors::sent_request{[one] { one->is_cancelled = true; },
                                  [weak = std::weak_ptr{one}](bool held) {
                                    if (auto r = weak.lock())
                                      r->is_held = held;
                                  }};
    };
    if (!room)
      room = std::make_shared<sampling::answer_room>(offload, [this](uint64_t bytes) { held.push_back(bytes); });
    o.listener.place = places.emplace_back(std::make_shared<sampling::answer_place>(room));
    actor = all.emplace_back(sys.spawn(actors::provider_request, std::move(o)));
    settle();
  }
  void end(size_t number, http::client_result result) {
    auto& to = requests.at(number)->handlers;
    auto body = std::exchange(result.body, {});
    if (!body.empty() && to.on_head)
      to.on_head(result.status, {});
    for (std::string_view rest{body}; !rest.empty(); rest.remove_prefix(std::min(piece_bytes, rest.size())))
      to.on_data(rest.substr(0, piece_bytes));
    to.on_end(std::move(result));
    settle();
  }
  static http::client_result answered(uint16_t status, std::string body, http::headers fields = {}) {
    http::client_result out;
    out.status = status;
    out.was_sent = true;
    out.body = std::move(body);
    out.fields = std::move(fields);
    return out;
  }
  static http::client_result failed(http::client_failure how, uint16_t status = 0, bool was_sent = true) {
    http::client_result out;
    out.status = status;
    out.was_sent = was_sent;
    out.failure = how;
    out.message = "it broke";
    return out;
  }
  void receive(size_t number, uint16_t status, const std::string& bytes) {
    if (requests.at(number)->handlers.on_head)
      requests.at(number)->handlers.on_head(status, {});
    requests.at(number)->handlers.on_data(bytes);
    settle();
  }
};

} // namespace provider_request_tests
