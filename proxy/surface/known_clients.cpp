#include "proxy/surface/known_clients.hpp"

#include <cstdint>

namespace surface {

namespace {

struct known_client {
  std::string_view name;
  size_t characters = SIZE_MAX;
  bool shows_meta = false;
  bool guesses_structure = false;
};

/// Measured with these clients: docs/clients.md. Characters: what they show of a whole result, less what stands around
/// one long part.
constexpr known_client known[] = {
  {.name = "Cline", .characters = 7'000, .shows_meta = true}, // of 8,000; the middle goes
  {.name = "@cline/core", .characters = 7'000, .shows_meta = true},
  {.name = "gemini-cli-mcp-client", .shows_meta = true, .guesses_structure = true}, // `_meta`: of errors
  {.name = "qwen-cli-mcp-client", .shows_meta = true},                              // of errors
};

/// Qwen Code adds "-", and the name that the user has given to our entry.
const known_client* find(std::string_view name) {
  for (auto& client : known)
    if (name.starts_with(client.name) && (name.size() == client.name.size() || name[client.name.size()] == '-'))
      return &client;
  return nullptr;
}

} // namespace

size_t characters_shown_by(std::string_view client_name) {
  auto* client = find(client_name);
  return client ? client->characters : SIZE_MAX;
}

bool shows_meta(std::string_view client_name) {
  auto* client = find(client_name);
  return client && client->shows_meta;
}

bool guesses_structure(std::string_view client_name) {
  auto* client = find(client_name);
  return client && client->guesses_structure;
}

} // namespace surface
