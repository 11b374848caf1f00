// A plan of faults of any client: read, and asked about calls.
#include "faults/decisions.hpp"
#include "faults/injector.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = msg::document::parse({reinterpret_cast<const char*>(data), size});
  if (!text.ok())
    return 0;
  auto got = faults::read_run_plan(text.value);
  if (!got.ok())
    return got.told().empty() ? __builtin_trap(), 0 : 0;
  faults::decisions what{std::move(got.plan)};
  constexpr std::string_view names[] = {"mcp__a__b", "mcp__c__resources/read", ""};
  for (int i = 0; i < 20; ++i)
    for (auto name : names)
      if (auto next = what.next(name, faults::moment::call); next.is_hit() != (next.told() != nullptr))
        __builtin_trap();
  return 0;
}
