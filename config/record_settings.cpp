// What is told of the program: the record, the port for those who look after it, the log.
#include "config/settings_parts.hpp"

#include <algorithm>
#include <cctype>

namespace config {

namespace {

/// Where the port is when it is only switched on.
constexpr uint16_t usual_health_port = 3'000;
constexpr size_t host_bytes_max = 253;

bool is_host(std::string_view text) {
  auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == ':'; };
  return !text.empty() && text.size() <= host_bytes_max && std::all_of(text.begin(), text.end(), is_part);
}

} // namespace

void read_audit(section audit, section security, audit_settings& to) {
  audit.flag({"enabled", "keep the record", "ENABLE_AUDIT_LOG", {&security, "enableAuditLog"}}, to.enabled);
  audit.path({"path",
              "a file if it ends in .log or .jsonl, else a folder; audit-logs in stateDir otherwise",
              "AUDIT_LOG_PATH",
              {&security, "auditLogPath"}},
             to.path);
  audit.integer({"retentionDays", "files of the record are kept for so long", "AUDIT_LOG_RETENTION_DAYS"}, 1, 3'650,
                to.retention_days);
}

void read_health(section s, health_settings& to) {
  s.integer({"port", "for those who look after the server; 0: none", "HEALTH_CHECK_PORT"}, 0, 65'535, to.port);
  s.text({"host", "address of that port", "HEALTH_CHECK_HOST"}, is_host, "a host name or an address, without port",
         to.host);
  bool was_on = to.port > 0, on = was_on;
  constexpr auto variable = "ENABLE_HEALTH_CHECK";
  s.flag({nullptr, "false: no such port; true: 3000 if none is set", variable}, on);
  if (s.origin(variable).empty())
    s.in_effect(variable, nullptr);
  if (on == was_on)
    return;
  to.port = on ? usual_health_port : uint16_t{0};
  s.in_effect("port", to.port, variable);
}

void read_log(section s, log_settings& to) {
  s.one_of<std::string>({"level", "what goes to stderr", "CODE_EXECUTOR_LOG_LEVEL"},
                        {{"trace", "trace"},
                         {"debug", "debug"},
                         {"info", "info"},
                         {"warning", "warning"},
                         {"warn", "warning"},
                         {"error", "error"},
                         {"err", "error"},
                         {"critical", "critical"},
                         {"off", "off"}},
                        to.level);
  s.one_of<log_form>({"format", "json: one object per line", "CODE_EXECUTOR_LOG_FORMAT"},
                     {{"text", log_form::text}, {"json", log_form::json}}, to.form);
  if (to.level.empty())
    s.in_effect("level", "info");
}

} // namespace config
