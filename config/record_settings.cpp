// What is told of the program: the record, the port for those who look after it, the log.
#include "config/settings_sections.hpp"

#include <algorithm>
#include <cctype>

namespace config {

namespace {

/// Where the seeds' programs listen, when they are only told to.
constexpr uint16_t usual_health_port = 3'000;

bool is_host(std::string_view text) {
  auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == ':'; };
  return !text.empty() && text.size() <= 253 && std::all_of(text.begin(), text.end(), is_part);
}

} // namespace

void read_audit(section audit, section security, settings_reader& reader, audit_settings& to) {
  if (audit.has("enabled") && security.has("enableAuditLog"))
    reader.complain_of_both("security.enableAuditLog", "audit.enabled");
  if (audit.has("path") && security.has("auditLogPath"))
    reader.complain_of_both("security.auditLogPath", "audit.path");
  security.flag({"enableAuditLog"}, to.enabled);
  audit.flag({"enabled", "ENABLE_AUDIT_LOG"}, to.enabled);
  security.path({"auditLogPath"}, to.path);
  audit.path({"path", "AUDIT_LOG_PATH"}, to.path);
  audit.integer({"retentionDays", "AUDIT_LOG_RETENTION_DAYS"}, 1, 3'650, to.retention_days);
}

void read_health(section s, health_settings& to) {
  s.integer({"port", "HEALTH_CHECK_PORT"}, 0, 65'535, to.port);
  s.text({"host", "HEALTH_CHECK_HOST"}, is_host, "a host name or an address, without port", to.host);
  bool on = to.port > 0;
  s.flag({nullptr, "ENABLE_HEALTH_CHECK"}, on);
  to.port = !on ? 0 : to.port > 0 ? to.port : usual_health_port;
}

void read_log(section s, log_settings& to) {
  s.one_of<std::string>({"level", "CODE_EXECUTOR_LOG_LEVEL"},
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
  s.one_of<log_form>({"format", "CODE_EXECUTOR_LOG_FORMAT"}, {{"text", log_form::text}, {"json", log_form::json}}, to.form);
}

} // namespace config
