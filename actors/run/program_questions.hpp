// What a program asks the person at the client itself: questions with a form (askUser), and consent to calls that it
// announces (approve).
#pragma once

#include "actors/run/consents.hpp"
#include "actors/run/open_requests.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/server_questions.hpp"
#include "messages/tool_call.hpp"
#include "proxy/person_requests.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace actors::run {

/// askUser() of one run: who is asked more than that is worn out.
inline constexpr uint32_t program_questions_max = 20;

/// What is called `then` is called once, later or at once, and never after this is gone.
struct program_question_routes {
  std::function<void(msg::server_question, std::function<void(msg::outcome<msg::document>)> then)> ask;
  /// Which tool is meant, as the run may use it, and whether it needs consent.
  std::function<void(msg::tool_ref, std::function<void(msg::outcome<msg::tool_info>)> then)> describe;
};

class program_questions {
public:
  /// The references outlive this.
  program_questions(open_requests& requests, consents& agreed, program_question_routes routes)
    : requests_(requests),
      consents_(agreed),
      routes_(std::move(routes)) {}

  /// The program hears `{action, content}`; or why the person could not be asked.
  void take(proxy::guest_question question);
  /// It hears true or false. Of what needs no consent, nobody is asked.
  void take(proxy::guest_approval approval);
  /// The run has ended.
  void stop() { is_over_ = true; }

private:
  /// Tools of one approval that are looked up.
  struct lookup {
    uint64_t id = 0;
    std::vector<proxy::announced_calls> wanted;
    std::vector<asked_calls> found; ///< that need consent
    size_t next = 0;
  };

  void answered(uint64_t id, const msg::document& form, const msg::outcome<msg::document>& said);
  void look_up(const std::shared_ptr<lookup>& tools);
  void found(const std::shared_ptr<lookup>& tools, msg::outcome<msg::tool_info> tool);
  consents::announced answer_to(uint64_t id);

  open_requests& requests_;
  consents& consents_;
  program_question_routes routes_;
  uint32_t asked_ = 0;
  bool is_over_ = false;
};

} // namespace actors::run
