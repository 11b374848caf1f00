// The promise of an answer that is given in any case: CAF 0.17 tells no actor when a promise is dropped, and the one
// that asked would wait for all of its time. One that is gone without an answer, because the actor that made it has
// failed or has forgotten it, answers with an error.
#pragma once

#include <caf/error.hpp>
#include <caf/make_message.hpp> // what caf/result.hpp makes needs it, and does not see to it
#include <caf/message.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>
#include <caf/typed_response_promise.hpp>

#include <memory>
#include <utility>

namespace actors {

/// Copies are the same promise; the first answer counts. Only for the thread of its actor.
template <class T>
class reply_promise {
public:
  reply_promise() = default; ///< of nothing: answers no caller

  /// To the sender of the message that `self` is handling, which it takes away: make it last.
  template <class Actor>
  explicit reply_promise(Actor* self) : open_(std::make_shared<open>(self->template make_response_promise<T>())) {}

  void deliver(T value) const {
    if (open_)
      open_->raw.deliver(std::move(value));
  }
  void deliver(caf::error why) const {
    if (open_)
      open_->raw.deliver(std::move(why));
  }
  bool pending() const { return open_ && open_->raw.pending(); }

  /// `to` answers instead.
  template <class Handle, class... Args>
  void delegate(const Handle& to, Args&&... args) const {
    if (open_)
      open_->raw.delegate(to, std::forward<Args>(args)...);
  }

  operator caf::result<T>() const { return open_->raw; }

private:
  struct open {
    explicit open(caf::typed_response_promise<T> promise) : raw(std::move(promise)) {}
    open(const open&) = delete;
    open& operator=(const open&) = delete;
    ~open() {
      if (raw.pending())
        raw.deliver(caf::make_error(caf::sec::runtime_error, "it has failed"));
    }
    caf::typed_response_promise<T> raw;
  };
  std::shared_ptr<open> open_;
};

} // namespace actors
