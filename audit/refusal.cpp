#include "audit/refusal.hpp"

#include "audit/line.hpp"
#include "messages/limits.hpp"

#include <boost/json/object.hpp>

#include <utility>

namespace audit {

msg::audit_event refused_request(uint64_t run, std::string client, const msg::fault& why) {
  msg::audit_event e;
  e.kind = msg::audit_kind::refusal;
  e.run = run;
  e.client = std::move(client);
  e.success = false;
  e.error = error_text(why);
  return e;
}

msg::audit_event unrecorded_run(uint64_t run, std::string client, const msg::fault& why) {
  auto e = refused_request(run, std::move(client), why);
  if (why.code != msg::errc::internal)
    return e;
  e.kind = msg::audit_kind::run;
  e.state = to_string(msg::run_status::error);
  return e;
}

msg::audit_event refused_program(uint64_t run, std::string client, const msg::fault& why, msg::language language,
                                 const boost::json::object& arguments) {
  auto e = refused_request(run, std::move(client), why);
  e.executor = executor_name(language);
  if (auto* code = arguments.if_contains("code");
      code && code->is_string() && code->get_string().size() <= msg::limits::code_bytes_max)
    e.code = code->get_string();
  return e;
}

} // namespace audit
