#include "messages/run.hpp"

namespace msg {

const char* to_string(language l) { return l == language::typescript ? "TypeScript" : "Python"; }

const char* to_string(run_status status) {
  switch (status) {
    case run_status::success: return "success";
    case run_status::error: return "error";
    case run_status::timeout: return "timeout";
    case run_status::cancelled: return "cancelled";
  }
  return "unknown";
}

} // namespace msg
