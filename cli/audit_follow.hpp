// `code-executor audit tail --follow`: what is written to the record from now on.
#pragma once

#include "audit/place.hpp"
#include "process/child.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace cli {

/// Shows lines as they are written, in order and each once, whatever becomes of their files: a new day begins, the file
/// is renamed and another one begun in its place, or removed.
class audit_follower {
public:
  /// From the end of what there is now.
  explicit audit_follower(audit::place where);

  using line_taker = std::function<void(const std::string& line)>;
  void show_new(const line_taker& show);

private:
  void open(const std::string& name, uint64_t from);
  void read_rest(const line_taker& show);
  bool is_replaced() const;

  audit::place where_;
  std::string name_;         ///< of the file that is being read; empty: there was none yet
  process::descriptor file_; ///< it itself, also when its name is another one's
  uint64_t shown_ = 0;       ///< bytes of it
};

/// Until a signal that ends processes, or the reader of stdout is gone.
void follow_audit(const audit::place& where, const audit_follower::line_taker& show);

} // namespace cli
