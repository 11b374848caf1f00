#include "messages/run.hpp"

namespace msg {

const char* to_string(language l) { return l == language::typescript ? "TypeScript" : "Python"; }

} // namespace msg
