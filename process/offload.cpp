#include "process/offload.hpp"

#include <new>
#include <string>

namespace process {

msg::fault fault_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return {msg::errc::limit_exceeded, "the server has no memory left for it (process.dataMb)"};
  } catch (const std::exception& e) {
    return {msg::errc::internal, std::string{"the server failed: "} + e.what()};
  } catch (...) {
    return {msg::errc::internal, "the server failed"};
  }
}

msg::fault fault_of_exception() { return fault_of(std::current_exception()); }

} // namespace process
