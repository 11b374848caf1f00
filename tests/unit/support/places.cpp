#include "tests/unit/support/places.hpp"

namespace test {

std::string source(const std::string& path) { return path.empty() ? SOURCE_ROOT : SOURCE_ROOT "/" + path; }
std::string guest_init() { return GUEST_INIT; }
std::string guest_exec() { return GUEST_EXEC; }

} // namespace test
