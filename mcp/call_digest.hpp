// What a call that goes on has to have in common with the one that was parked.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace mcp {

/// A digest of a tool and its arguments, which may be large: it is made when it is wanted first. Copies share it. On
/// one thread.
class call_digest {
public:
  /// Of a call that may not be parked.
  call_digest() = default;
  explicit call_digest(std::function<std::string()> make) : made_(std::make_shared<made>(made{std::move(make), {}})) {}

  bool may_be_parked() const { return made_ != nullptr; }
  /// Only if it may be parked.
  const std::string& text() const {
    if (auto make = std::exchange(made_->make, nullptr))
      made_->text = make();
    return made_->text;
  }

private:
  struct made {
    std::function<std::string()> make; ///< null: it is made
    std::string text;
  };
  std::shared_ptr<made> made_;
};

} // namespace mcp
