// A connection on which something is put: what goes through it, unless a class of its own says otherwise, is that of
// the one beneath.
#pragma once

#include "mcp/connection.hpp"

#include <utility>

namespace mcp {

class decorated_connection : public connection {
public:
  explicit decorated_connection(std::shared_ptr<connection> beneath) : beneath_(std::move(beneath)) {}

  bool send(msg::spliced_text message, uint64_t key, request_labels labels) override {
    return beneath_->send(std::move(message), key, std::move(labels));
  }
  bool take_back(uint64_t key) override { return beneath_->take_back(key); }
  std::chrono::milliseconds unread_for() override { return beneath_->unread_for(); }
  bool was_heard() override { return beneath_->was_heard(); }
  bool says_labels() const override { return beneath_->says_labels(); }
  masking mask() const override { return beneath_->mask(); }
  std::string_view voice() const override { return beneath_->voice(); }
  std::string login_wanted() const override { return beneath_->login_wanted(); }
  void stop() override { beneath_->stop(); }
  void kill() override { beneath_->kill(); }

private:
  std::shared_ptr<connection> beneath_;
};

/// The key of the request of ours that a message answers; 0: it answers none.
uint64_t answered_by(const msg::document& message);

} // namespace mcp
