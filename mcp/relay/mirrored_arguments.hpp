// Arguments that a server of 2026-07-28 wants said in the head of HTTP requests as well: which, its list of tools says.
// It is read here if no client has asked for it.
#pragma once

#include "http/client.hpp" // headers
#include "mcp/header_parameters.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/relay/server_end.hpp"
#include "messages/document.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcp::relay {

/// Who reads headers of requests: a server, if it is reached over HTTP, and we, if clients come that way.
enum class header_readers : uint8_t { server, server_and_us };

class mirrored_arguments {
public:
  mirrored_arguments(server_end& server, header_readers readers) : server_(server), readers_(readers) {}

  /// Whether the list has to be read before a tool is called.
  bool are_unknown() const { return is_needed() && !is_known_; }
  /// Reads it; `then` is called when it is known, or can not be.
  void find_out(std::function<void()> then);
  /// A page of the list that a client has asked for. Without the tools that can not be called over HTTP, if there are
  /// any: into `changes`.
  void take_page(const boost::json::object& page, boost::json::object& changes);
  /// The server has another list.
  void forget();
  std::vector<std::pair<std::string, std::string>> headers_for(const message_view& call) const;

  /// Why the headers of a call do not say what its arguments say: the rest of a sentence. Empty: they do.
  std::string problem_of(const message_view& call, const http::headers& said) const;

private:
  static constexpr size_t pages_max = 100;
  static constexpr size_t tools_max = 100'000;

  bool is_needed() const {
    return server_.is_modern() && (server_.says_labels() || readers_ == header_readers::server_and_us);
  }
  void learn(const boost::json::object& page);
  void read_page(const std::string& cursor);
  void end();

  server_end& server_;
  header_readers readers_;
  std::map<std::string, std::vector<header_parameter>, std::less<>> wanted_; ///< by tool
  bool is_known_ = false;
  size_t pages_ = 0; ///< that were read, of the list that is being read
  std::vector<std::function<void()>> waiting_;
};

} // namespace mcp::relay
