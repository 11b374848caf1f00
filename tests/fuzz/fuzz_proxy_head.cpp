// What the egress proxy passes on is one request, for the host it has checked, wherever the stream is cut.
#include "sandbox/egress/address.hpp"
#include "sandbox/egress/host_rules.hpp"
#include "sandbox/egress/http_body.hpp"
#include "sandbox/egress/http_head.hpp"
#include "testing/fuzz.hpp"

#include <string>

namespace {

void check_end(std::string_view text) {
  auto whole = egress::find_head_end(text);
  fuzz::require(!whole.bytes || text.substr(0, *whole.bytes).ends_with("\r\n\r\n"),
                "the head does not end with an empty line");
  egress::head_end piecewise;
  for (size_t n = 1; n <= text.size() && !piecewise.bytes && !piecewise.broken; ++n)
    piecewise = egress::find_head_end(text.substr(0, n), n - 1);
  fuzz::require(piecewise.bytes == whole.bytes && piecewise.broken == whole.broken,
                "the cut of the stream moves the end of the head");
}

void check_host(const egress::host& h) {
  auto again = egress::parse_host(h.text());
  fuzz::require(again.ok() && again.value.name == h.name, "a host in its usual spelling is read as another one");
  auto spelling = egress::literal_address(h.name);
  fuzz::require((spelling.what == egress::host_spelling::kind::address) == h.literal.has_value(),
                "a name is an address to somebody");
  egress::egress_rules all{{{"permissions.net", {}}}};
  all.lists[0].rules.push_back(egress::parse_rule("*:*").value);
  bool allowed = egress::check_connection(all, h, 80).code == msg::errc::none;
  fuzz::require(!allowed || !h.literal || egress::is_public(*h.literal), "an address that is not public is allowed");
}

/// The server reads the same as we did: the same host, the same end of the body.
void check_forwarded(const egress::proxy_request& r) {
  auto head = egress::origin_head(r);
  fuzz::require(egress::find_head_end(head).bytes == head.size(), "the forwarded head has its end elsewhere");
  auto target = r.method + " http://" + egress::with_port(r.to, r.port) + r.path;
  auto line = head.find(' ') + 1 + r.path.size();
  auto again = egress::parse_request(target + head.substr(line));
  fuzz::require(again.ok(), "the forwarded head is malformed");
  fuzz::require(again.value.body == r.body && again.value.body_bytes == r.body_bytes,
                "the forwarded body has its end elsewhere");
  fuzz::require(again.value.to.name == r.to.name && again.value.fields.size() == r.fields.size(),
                "the forwarded request is another one");
}

void check_body(egress::body_kind kind, uint64_t bytes, std::string_view text) {
  egress::body_scanner whole{kind, bytes}, single{kind, bytes};
  auto taken = whole.take(text);
  size_t n = 0;
  while (n < text.size() && single.take(text.substr(n, 1)) == 1)
    ++n;
  fuzz::require(n == taken && single.ended() == whole.ended() && single.broken() == whole.broken(),
                "the cut of the stream moves the end of the body");
  fuzz::require(!whole.ended() || whole.take("more") == 0, "something passes after the body");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = fuzz::text_of(data, size);
  check_end(text);
  auto end = egress::find_head_end(text).bytes.value_or(text.size());
  if (auto response = egress::parse_response(text.substr(0, end), "GET"); response.ok())
    fuzz::require(egress::parse_response(response.value.head, "GET").ok(), "the forwarded response is malformed");
  check_body(egress::body_kind::chunked, 0, text);
  auto request = egress::parse_request(text.substr(0, end));
  if (!request.ok()) {
    for (char c : request.error.message)
      fuzz::require(c >= ' ' && c <= '~', "hostile text in a message");
    return 0;
  }
  check_host(request.value.to);
  if (request.value.method != "CONNECT")
    check_forwarded(request.value);
  check_body(request.value.body, request.value.body_bytes, text.substr(end));
  return 0;
}
