// What libcurl is told of a request.
#include "client_transfer.hpp"

#include "http/field_text.hpp"
#include "text/ascii.hpp"

#include <algorithm>
#include <string>
#include <sys/socket.h>

namespace http {

namespace {

/// Children of this process must not inherit connections; libcurl 7.88 would let them.
curl_socket_t open_socket(void*, curlsocktype, curl_sockaddr* address) {
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

size_t take_header(char* data, size_t size, size_t count, void* self) {
  auto& t = *static_cast<client_transfer*>(self);
  auto bytes = size * count;
  return guarded(
    t,
    [&] {
      return t.header_line({data, bytes}) ? bytes : size_t{0};
    },
    0);
}

size_t take_body(char* data, size_t size, size_t count, void* self) {
  auto& t = *static_cast<client_transfer*>(self);
  return guarded(
    t,
    [&] {
      return t.body({data, size * count});
    },
    CURL_WRITEFUNC_ERROR);
}

/// `self`: what is left of the body.
size_t give_body(char* to, size_t size, size_t count, void* self) {
  auto& rest = *static_cast<std::string_view*>(self);
  auto piece = rest.substr(0, size * count);
  std::copy(piece.begin(), piece.end(), to);
  rest.remove_prefix(piece.size());
  return piece.size();
}

/// Of a body of which something has left.
int begin_again(void*, curl_off_t, int) { return CURL_SEEKFUNC_FAIL; }

int take_wire(CURL*, curl_infotype what, char* data, size_t bytes, void* self) {
  auto& t = *static_cast<client_transfer*>(self);
  return guarded(
    t,
    [&] {
      return t.arrived(what, {data, bytes}), 0;
    },
    0);
}

} // namespace

void client_transfer::prepare(const client_options& options) {
  if (!is_web(request_.url))
    return fail(client_failure::other, "a URL that begins with https:// or http:// is needed");
  easy_ = curl_.easy_init();
  if (!easy_)
    return fail(client_failure::other, host_ + ": libcurl has no memory for a request");
  set_callbacks();
  set_connection(options);
  set_request();
  set_headers();
}

void client_transfer::set_callbacks() {
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_HEADERFUNCTION, &take_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &take_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_PREREQFUNCTION, &request_is_sent);
  set(CURLOPT_PREREQDATA, this);
  set(CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  // Nothing is written anywhere: it is only told what comes, which nothing else tells of what frames a body.
  set(CURLOPT_DEBUGFUNCTION, &take_wire);
  set(CURLOPT_DEBUGDATA, this);
  set(CURLOPT_VERBOSE, 1L);
}

void client_transfer::set_connection(const client_options& options) {
  bool is_secure = request_.url.starts_with("https:");
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, is_secure ? long{CURL_HTTP_VERSION_2TLS} : long{CURL_HTTP_VERSION_1_1});
  // A request waits for a connection that is being made to its host: it may be one for all.
  set(CURLOPT_PIPEWAIT, is_secure ? 1L : 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  // A caller that cancels does not wait for a thread that is looking up a name.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request_.connect_timeout.count()));
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  if (!options.user_agent.empty())
    set(CURLOPT_USERAGENT, options.user_agent.c_str());
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  if (!options.ca_file.empty())
    set(CURLOPT_CAINFO, options.ca_file.c_str());
}

void client_transfer::set_request() {
  set(CURLOPT_URL, request_.url.c_str());
  if (!is_token(request_.method))
    return fail(client_failure::other, host_ + ": the method is no word");
  if (!request_.body.empty() || request_.method == "POST") {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    // Not CURLOPT_POSTFIELDS: of what it has itself libcurl sends all once more when a connection that was used before
    // ends without an answer, and the other side may have carried it out.
    set(CURLOPT_READFUNCTION, &give_body);
    unsent_ = request_.body;
    set(CURLOPT_READDATA, &unsent_);
    set(CURLOPT_SEEKFUNCTION, &begin_again);
    set(CURLOPT_SEEKDATA, this);
  }
  if (request_.method == "HEAD")
    set(CURLOPT_NOBODY, 1L);
  else
    set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

void client_transfer::set_headers() {
  // No waiting for "100 Continue", and no type that the caller did not ask for.
  fields_ = curl_.slist_append(nullptr, "Expect:");
  bool has_type = false;
  for (auto& [name, value] : request_.fields) {
    if (!is_token(name) || !is_field_value(value))
      return fail(client_failure::other, host_ + ": the header " + printable(name)
                                           + " has a character that can not be sent, such as the end of a line");
    has_type |= text::in_small_letters(name) == "content-type";
    // Of an empty value, libcurl wants to be told by a semicolon.
    auto line = name;
    line.append(value.empty() ? ";" : ": ").append(value);
    fields_ = curl_.slist_append(fields_, line.c_str());
  }
  if (!has_type)
    fields_ = curl_.slist_append(fields_, "Content-Type:");
  set(CURLOPT_HTTPHEADER, fields_);
}

} // namespace http
