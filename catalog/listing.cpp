#include "catalog/listing.hpp"

#include <utility>

namespace catalog {

namespace {

/// Into `to`, which has a place for each of [first, ...).
void read_stored(store& from, const tool_places& places, size_t first, size_t bytes_max, read_definitions_result& to) {
  std::vector<store::place> stored;
  std::vector<size_t> whose; // of each of them, in `to`
  for (size_t i = 0; i < to.tools.size(); ++i) {
    auto& tool = places.tools[first + i];
    auto& server = places.servers[tool.server];
    if (server.is_held)
      continue;
    stored.push_back({server.digest, tool.position});
    whose.push_back(i);
  }
  auto take = [&](size_t which, auto name, auto description, auto definition) {
    auto i = whose[which];
    auto& tool = places.tools[first + i];
    to.bytes += definition.size();
    if (name == tool.name)
      to.tools[i] = {places.servers[tool.server].name, std::string{name}, std::string{description},
                     msg::document::parse(definition).value};
    if (to.bytes >= bytes_max)
      to.tools.resize(i + 1);
    return to.bytes < bytes_max;
  };
  if (!stored.empty())
    to.problem = from.read(stored, take).message;
}

} // namespace

read_definitions_result read_definitions(store& from, const tool_places& places, size_t first, size_t end,
                                         size_t bytes_max) {
  read_definitions_result out;
  out.tools.resize(end - first);
  read_stored(from, places, first, bytes_max, out);
  for (size_t i = 0; i < out.tools.size(); ++i) {
    auto& tool = places.tools[first + i];
    auto& server = places.servers[tool.server];
    if (!server.is_held)
      continue;
    out.tools[i] = (*server.held)[tool.position];
    out.bytes += out.tools[i].definition.text_bytes();
    if (out.bytes >= bytes_max)
      out.tools.resize(i + 1);
  }
  return out;
}

} // namespace catalog
