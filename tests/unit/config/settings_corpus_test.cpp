// Settings files that are wrong, and what is said of each, exactly. Behind the path of the file, which comes first in
// all.
#include "config/settings.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace config_settings_corpus_test {

struct row {
  const char *text, *message;
};

TEST(settings_corpus, of_broken_files) {
  const row rows[] = {
    {"", "broken JSON at line 1, column 1: incomplete JSON"},
    {" ", "broken JSON at line 1, column 2: incomplete JSON"},
    {"{", "broken JSON at line 1, column 2: incomplete JSON"},
    {"}", "broken JSON at line 1, column 1: syntax error"},
    {"[]", "expected an object of settings, not []"},
    {R"("x")", R"(expected an object of settings, not "x")"},
    {"null", "expected an object of settings, not null"},
    {"true", "expected an object of settings, not true"},
    {"5", "expected an object of settings, not 5"},
    {R"({"a"})", "broken JSON at line 1, column 5: syntax error"},
    {R"({"a":})", "broken JSON at line 1, column 6: syntax error"},
    {R"({"a" 1})", "broken JSON at line 1, column 6: syntax error"},
    {"{,}", "broken JSON at line 1, column 2: syntax error"},
    {R"({"version":1 "stateDir":"/x"})", "broken JSON at line 1, column 14: syntax error"},
    {"{'version':1}", "broken JSON at line 1, column 2: syntax error"},
    {"{version:1}", "broken JSON at line 1, column 2: syntax error"},
    {R"({"version":01})", "broken JSON at line 1, column 13: syntax error"},
    {R"({"version":+1})", "broken JSON at line 1, column 12: syntax error"},
    {R"({"version":1}})", "broken JSON at line 1, column 14: extra data"},
    {R"({"version":1} x)", "broken JSON at line 1, column 15: extra data"},
    {R"({"stateDir":"\x"})", "broken JSON at line 1, column 15: syntax error"},
    {"{\"stateDir\":\"a\nb\"}", "broken JSON at line 1, column 15: syntax error"},
    {R"({"stateDir":"abc)", "broken JSON at line 1, column 17: incomplete JSON"},
    {"/* open", "broken JSON at line 1, column 1: a comment without an end"},
    {R"({"version":1,,})", "broken JSON at line 1, column 14: syntax error"},
    {R"({"version":NaN})", "broken JSON at line 1, column 12: syntax error"},
    {R"({"version":1e999})", "line 1, column 2: 'version' must be an integer from 1 to 1, not 1.7976931348623157e+308"},
    {R"({"version":"1"})", R"(line 1, column 2: 'version' must be an integer from 1 to 1, not "1")"},
    {R"({"version":0})", "line 1, column 2: 'version' must be an integer from 1 to 1, not 0"},
    {R"({"version":1.0})", "line 1, column 2: 'version' must be an integer from 1 to 1, not 1.0"},
    {R"({"version":null})", "line 1, column 2: 'version' must be an integer from 1 to 1, not null"},
    {R"({"Version":1})", "line 1, column 2: 'Version' is no setting; did you mean 'version'? Known here: audit, "
                         "executors, faults, health, log, "
                         "mcpConfigPath, outputs, process, rateLimit, recording, resources, results, runs, sampling, "
                         "sandbox, security, server, "
                         "servers, "
                         "sessions, "
                         "stateDir, surface, version"},
    {R"({"sandbox":{"memory":512}})", "line 1, column 13: 'sandbox.memory' is no setting; did you mean 'memoryMb'? "
                                      "Known here: isolation, memoryMb, pool, processes, tempMb"},
    {R"({"security":{"allowread":[]}})",
     "line 1, column 14: 'security.allowread' is no setting; did you mean 'allowRead'? Known here: allowFaults, "
     "allowNetwork, "
     "allowRead, allowWrite, allowedDomains, allowedTools, auditLogPath, confirm, dangerousPatterns, "
     "defaultTimeoutMs, deniedTools, enableAuditLog, maxCodeSize, maxTimeoutMs, pinTools, rateLimit, "
     "skipDangerousPatternCheck"},
    {R"({"security":{"allow_write":true}})",
     "line 1, column 14: 'security.allow_write' is no setting; did you mean 'allowWrite'? Known here: allowFaults, "
     "allowNetwork, "
     "allowRead, allowWrite, "
     "allowedDomains, allowedTools, auditLogPath, confirm, dangerousPatterns, defaultTimeoutMs, deniedTools, "
     "enableAuditLog, "
     "maxCodeSize, maxTimeoutMs, "
     "pinTools, rateLimit, skipDangerousPatternCheck"},
    {R"({"memoryMb":512})",
     "line 1, column 2: 'memoryMb' is no setting; did you mean 'sandbox.memoryMb'? Known here: "
     "audit, executors, faults, health, log, "
     "mcpConfigPath, outputs, process, rateLimit, recording, resources, results, runs, sampling, sandbox, "
     "security, server, servers, sessions, "
     "stateDir, surface, version"},
    {R"({"security.allowRead":[]})",
     "line 1, column 2: 'security.allowRead' is no setting; did you mean 'security'? Known here: audit, executors, "
     "faults, health, log, mcpConfigPath, outputs, process, rateLimit, recording, resources, results, runs, sampling, "
     "sandbox, "
     "security, server, servers, sessions, stateDir, surface, version"},
    {R"({"zzzzqqqq":1})",
     "line 1, column 2: 'zzzzqqqq' is no setting. Known here: audit, executors, faults, health, log, mcpConfigPath, "
     "outputs, "
     "process, rateLimit, recording, "
     "resources, results, runs, sampling, sandbox, security, server, servers, sessions, stateDir, surface, version"},
    {R"({"":1})",
     "line 1, column 2: '' is no setting. Known here: audit, executors, faults, health, log, mcpConfigPath, "
     "outputs, process, rateLimit, recording, "
     "resources, results, runs, "
     "sampling, sandbox, "
     "security, server, servers, sessions, stateDir, surface, version"},
    {R"({"mcpServers":{}})", "line 1, column 2: 'mcpServers' is no setting; did you mean 'servers'? Known here: audit, "
                             "executors, faults, health, log, "
                             "mcpConfigPath, outputs, process, rateLimit, recording, resources, results, runs, "
                             "sampling, sandbox, security, server, "
                             "servers, "
                             "sessions, "
                             "stateDir, surface, version"},
    {R"({"executors":{"deno":{}}})", "line 1, column 15: 'executors.deno' is no setting; did you mean "
                                     "'executors.typescript.denoPath'? Known here: container, python, typescript"},
    {R"({"executors":{"typescript":{"path":"/x"}}})", "line 1, column 29: 'executors.typescript.path' is no setting; "
                                                      "did you mean 'denoPath'? Known here: denoPath, enabled"},
    {R"({"rateLimit":{"maxRequest":5}})",
     "line 1, column 15: 'rateLimit.maxRequest' is no setting; did you mean 'maxRequests'? Known here: enabled, "
     "maxRequests, perServer, perTool, windowMs"},
    {R"({"rateLimit":{"perServer":{"max":5}}})", "line 1, column 28: 'rateLimit.perServer.max' is no setting; did you "
                                                 "mean 'maxRequests'? Known here: maxRequests, windowMs"},
    {R"({"servers":{"breaker":{"threshold":5}}})",
     "line 1, column 24: 'servers.breaker.threshold' is no setting. Known here: failures, openMs, windowMs"},
    {R"({"audit":{"retention":5}})", "line 1, column 11: 'audit.retention' is no setting; did you mean "
                                     "'retentionDays'? Known here: enabled, path, retentionDays"},
    {R"({"log":{"lvl":"info"}})",
     "line 1, column 9: 'log.lvl' is no setting; did you mean 'level'? Known here: format, level"},
    {R"({"security":[]})", "line 1, column 2: 'security' must be an object, not []"},
    {R"({"sandbox":{"pool":4}})", "line 1, column 13: 'sandbox.pool' must be an object, not 4"},
    {R"({"executors":{"python":true}})", "line 1, column 15: 'executors.python' must be an object, not true"},
    {R"({"rateLimit":30})", "line 1, column 2: 'rateLimit' must be an object, not 30"},
    {R"({"servers":{"breaker":5}})", "line 1, column 13: 'servers.breaker' must be an object, not 5"},
    {R"({"security":{"rateLimit":null}})", "line 1, column 14: 'security.rateLimit' must be an object, not null"},
    {R"({"security":{"allowRead":"/a"}})", R"(line 1, column 14: 'security.allowRead' must be a list, not "/a")"},
    {R"({"security":{"allowRead":[1]}})", "line 1, column 27: 'security.allowRead[0]' must be a path, not 1"},
    {R"({"security":{"allowRead":["a\u0000b"]}})",
     R"(line 1, column 27: 'security.allowRead[0]' must be a path, not "a\u0000b")"},
    {R"({"security":{"allowWrite":1}})",
     "line 1, column 14: 'security.allowWrite' must be true, false or a list, not 1"},
    {R"({"security":{"allowWrite":[true]}})", "line 1, column 28: 'security.allowWrite[0]' must be a path, not true"},
    {R"({"security":{"allowNetwork":"example.com"}})",
     R"(line 1, column 14: 'security.allowNetwork' must be true, false or a list, not "example.com")"},
    {R"({"security":{"allowNetwork":["a b"]}})",
     R"(line 1, column 30: 'security.allowNetwork[0]' must be a host name, an address or a pattern such as *.example.com, without scheme and path, not "a b")"},
    {R"({"security":{"allowedDomains":["https://a.com"]}})",
     R"(line 1, column 32: 'security.allowedDomains[0]' must be a host name, an address or a pattern such as *.example.com, without scheme and path, not "https://a.com")"},
    {R"({"security":{"allowedTools":"*"}})", R"(line 1, column 14: 'security.allowedTools' must be a list, not "*")"},
    {R"({"security":{"allowedTools":[""]}})",
     R"(line 1, column 30: 'security.allowedTools[0]' must be a pattern of tool names such as mcp__server__*, of at most 512 bytes, not "")"},
    {R"({"security":{"deniedTools":[5]}})", "line 1, column 29: 'security.deniedTools[0]' must be a pattern of tool "
                                            "names such as mcp__server__*, of at most 512 bytes, not 5"},
    {R"({"security":{"confirm":["github__create*"]}})",
     R"(line 1, column 25: 'security.confirm[0]' must be a pattern of tool names such as mcp__server__*, of at most 512 bytes, not "github__create*")"},
    {R"({"security":{"confirm":["m"]}})",
     R"(line 1, column 25: 'security.confirm[0]' must be a pattern of tool names such as mcp__server__*, of at most 512 bytes, not "m")"},
    {R"({"security":{"deniedTools":{"a":1}}})",
     R"(line 1, column 14: 'security.deniedTools' must be a list, not {"a":1})"},
    {R"({"security":{"dangerousPatterns":true}})",
     "line 1, column 14: 'security.dangerousPatterns' must be block, warn or off, not true"},
    {R"({"security":{"dangerousPatterns":"Block"}})",
     R"(line 1, column 14: 'security.dangerousPatterns' must be block, warn or off, not "Block")"},
    {R"({"security":{"skipDangerousPatternCheck":"yes"}})",
     R"(line 1, column 14: 'security.skipDangerousPatternCheck' must be true or false, not "yes")"},
    {R"({"security":{"skipDangerousPatternCheck":true,"dangerousPatterns":"block"}})",
     "line 1, column 14: 'security.skipDangerousPatternCheck' must not be true where 'security.dangerousPatterns' is "
     "not off; remove one of the two"},
    {R"({"security":{"pinTools":"on"}})",
     R"(line 1, column 14: 'security.pinTools' must be off, warn or block, not "on")"},
    {R"({"security":{"defaultTimeoutMs":999}})",
     "line 1, column 14: 'security.defaultTimeoutMs' must be an integer from 1000 to 300000, not 999"},
    {R"({"security":{"defaultTimeoutMs":"30s"}})",
     R"(line 1, column 14: 'security.defaultTimeoutMs' must be an integer from 1000 to 300000, not "30s")"},
    {R"({"security":{"maxTimeoutMs":600000}})",
     "line 1, column 14: 'security.maxTimeoutMs' must be an integer from 1000 to 300000, not 600000"},
    {R"({"security":{"maxCodeSize":999}})",
     "line 1, column 14: 'security.maxCodeSize' must be an integer from 1000 to 1048576, not 999"},
    {R"({"security":{"maxCodeSize":2000000}})",
     "line 1, column 14: 'security.maxCodeSize' must be an integer from 1000 to 1048576, not 2000000"},
    {R"({"security":{"defaultTimeoutMs":5000,"maxTimeoutMs":4000}})",
     "line 1, column 14: 'security.defaultTimeoutMs' must not be above 'security.maxTimeoutMs', which is 4000"},
    {R"({"security":{"rateLimit":{}},"rateLimit":{}})", "line 1, column 14: 'security.rateLimit' means the same as "
                                                        "'rateLimit', which is given too; remove one of the two"},
    {R"({"security":{"auditLogPath":"/a"},"audit":{"path":"/b"}})",
     "line 1, column 14: 'security.auditLogPath' means the same as 'audit.path', which is given too; remove one of the "
     "two"},
    {R"({"security":{"enableAuditLog":true},"audit":{"enabled":true}})",
     "line 1, column 14: 'security.enableAuditLog' means the same as 'audit.enabled', which is given too; remove one "
     "of the two"},
    {R"({"security":{"auditLogPath":""}})", R"(line 1, column 14: 'security.auditLogPath' must be a path, not "")"},
    {R"({"runs":{"maxConcurrent":0}})",
     "line 1, column 10: 'runs.maxConcurrent' must be an integer from 1 to 1000, not 0"},
    {R"({"runs":{"queueSize":1001}})",
     "line 1, column 10: 'runs.queueSize' must be an integer from 0 to 1000, not 1001"},
    {R"({"runs":{"queueTimeoutMs":1}})",
     "line 1, column 10: 'runs.queueTimeoutMs' must be an integer from 1000 to 300000, not 1"},
    {R"({"runs":{"maxToolCalls":0}})",
     "line 1, column 10: 'runs.maxToolCalls' must be an integer from 1 to 1000000, not 0"},
    {R"({"runs":{"maxSameFailures":1.5}})",
     "line 1, column 10: 'runs.maxSameFailures' must be an integer from 1 to 1000, not 1.5"},
    {R"({"servers":{"idleTimeoutMs":10}})",
     "line 1, column 13: 'servers.idleTimeoutMs' must be an integer from 1000 to 604800000, or 0 for never, not 10"},
    {R"({"servers":{"idleTimeoutMs":-1}})",
     "line 1, column 13: 'servers.idleTimeoutMs' must be an integer from 1000 to 604800000, or 0 for never, not -1"},
    {R"({"servers":{"maxRunning":0}})",
     "line 1, column 13: 'servers.maxRunning' must be an integer from 1 to 10000, not 0"},
    {R"({"servers":{"maxConcurrent":"32"}})",
     R"(line 1, column 13: 'servers.maxConcurrent' must be an integer from 1 to 10000, not "32")"},
    {R"({"servers":{"startsPerMinute":false}})",
     "line 1, column 13: 'servers.startsPerMinute' must be an integer from 1 to 1000, not false"},
    {R"({"rateLimit":{"enabled":1}})", "line 1, column 15: 'rateLimit.enabled' must be true or false, not 1"},
    {R"({"rateLimit":{"maxRequests":0}})",
     "line 1, column 15: 'rateLimit.maxRequests' must be an integer from 1 to 1000000, not 0"},
    {R"({"rateLimit":{"windowMs":999}})",
     "line 1, column 15: 'rateLimit.windowMs' must be an integer from 1000 to 86400000, not 999"},
    {R"({"rateLimit":{"perTool":{"maxRequests":-5}}})",
     "line 1, column 26: 'rateLimit.perTool.maxRequests' must be an integer from 1 to 1000000, not -5"},
    {R"({"audit":{"retentionDays":0}})",
     "line 1, column 11: 'audit.retentionDays' must be an integer from 1 to 3650, not 0"},
    {R"({"audit":{"path":5}})", "line 1, column 11: 'audit.path' must be a path, not 5"},
    {R"({"health":{"port":65536}})", "line 1, column 12: 'health.port' must be an integer from 0 to 65535, not 65536"},
    {R"({"health":{"port":"3000"}})",
     R"(line 1, column 12: 'health.port' must be an integer from 0 to 65535, not "3000")"},
    {R"({"health":{"host":"http://x"}})",
     R"(line 1, column 12: 'health.host' must be a host name or an address, without port, not "http://x")"},
    {R"({"health":{"host":""}})",
     R"(line 1, column 12: 'health.host' must be a host name or an address, without port, not "")"},
    {R"({"log":{"level":"verbose"}})",
     R"(line 1, column 9: 'log.level' must be trace, debug, info, warning, warn, error, err, critical or off, not "verbose")"},
    {R"({"log":{"format":"xml"}})", R"(line 1, column 9: 'log.format' must be text or json, not "xml")"},
    {R"({"sandbox":{"pool":{"size":2,"max":1}}})",
     "line 1, column 30: 'sandbox.pool.max' must not be below 'sandbox.pool.size'"},
    {R"({"sandbox":{"pool":{"idleSeconds":0}}})",
     "line 1, column 21: 'sandbox.pool.idleSeconds' must be an integer from 1 to 86400, not 0"},
    {R"({"executors":{"python":{"version":"3.x"}}})",
     R"(line 1, column 25: 'executors.python.version' must be a version of Python 3 such as "3.11", not "3.x")"},
    {R"({"executors":{"container":{"memory":"lots"}}})",
     R"(line 1, column 28: 'executors.container.memory' must be a size from 16m to 1048576m, such as 512m, 1g or plain bytes, not "lots")"},
    {R"({"executors":{"container":{"cpus":"two"}}})",
     R"(line 1, column 28: 'executors.container.cpus' must be a number from 0.01 to 1024.0, not "two")"},
    {R"({"executors":{"container":{"user":":"}}})",
     R"(line 1, column 28: 'executors.container.user' must be a user, or user:group, such as 65534:65534, not ":")"},
    {R"({"sessions":{"max":0}})", "line 1, column 14: 'sessions.max' must be an integer from 1 to 1000, not 0"},
    {R"({"outputs":{"ttlSeconds":0}})",
     "line 1, column 13: 'outputs.ttlSeconds' must be an integer from 1 to 604800, not 0"},
    {R"({"stateDir":[]})", "line 1, column 2: 'stateDir' must be a path, not []"},
    {R"({"mcpConfigPath":""})", R"(line 1, column 2: 'mcpConfigPath' must be a path, not "")"},
    {R"({"stateDir":"env:UNSET"})",
     "line 1, column 2: 'stateDir': the environment variable 'UNSET' is not set; set it, or write the value itself"},
    {R"({"stateDir":"env:"})", "line 1, column 2: 'stateDir': the environment variable behind 'env:' has no name; set "
                               "it, or write the value itself"},
    {R"({"sessions":{"max":"env:UNSET"}})", "line 1, column 14: 'sessions.max': the environment variable 'UNSET' is "
                                            "not set; set it, or write the value itself"},
    {R"({"sessions":{"max":"env:WORD"}})",
     R"(line 1, column 14: 'sessions.max' must be an integer from 1 to 1000, not "env:WORD")"},
    {R"({"security":{"allowRead":["env:UNSET/x"]}})", "line 1, column 27: 'security.allowRead[0]': the environment "
                                                      "variable 'UNSET' is not set; set it, or write the value itself"},
    {R"({"log":{"level":"env:WORD"}})",
     R"(line 1, column 9: 'log.level' must be trace, debug, info, warning, warn, error, err, critical or off, not "env:WORD")"},
    {R"({"version":1,"version":1})", "line 1, column 14: 'version' is given twice; remove one of the two"},
    {"{\"runs\":{\"queueSize\":1,\n\t\"queueSize\":2}}",
     "line 2, column 2: 'runs.queueSize' is given twice; remove one of the two"},
    {R"({"sampling":5})", "line 1, column 2: 'sampling' must be an object, not 5"},
    {R"({"sampling":{"enabled":"yes"}})", "line 1, column 14: 'sampling.enabled' must be true or false, not \"yes\""},
    {R"({"sampling":{"enable":true}})", "line 1, column 14: 'sampling.enable' is no setting; did you mean 'enabled'? "
                                        "Known here: allowedModels, allowedSystemPrompts, apiKeys, baseUrl, "
                                        "clientTimeoutMs, contentFilter, contentFilteringEnabled, enabled, "
                                        "maxRoundsPerExecution, maxTokensPerExecution, maxToolSteps, models, "
                                        "provider, "
                                        "timeoutPerCallMs"},
    {R"({"sampling":{"provider":"claude"}})", "line 1, column 14: 'sampling.provider' must be anthropic, openai, "
                                              "gemini, grok, perplexity or compatible, not \"claude\""},
    {R"({"sampling":{"provider":"Anthropic"}})", "line 1, column 14: 'sampling.provider' must be anthropic, openai, "
                                                 "gemini, grok, perplexity or compatible, not \"Anthropic\""},
    {R"({"sampling":{"provider":["openai"]}})", "line 1, column 14: 'sampling.provider' must be anthropic, openai, "
                                                "gemini, grok, perplexity or compatible, not [\"openai\"]"},
    {R"({"sampling":{"provider":"compatible"}})",
     "line 1, column 14: 'sampling.provider' is compatible, and nothing says where that is; set 'sampling.baseUrl' or "
     "CODE_EXECUTOR_AI_BASE_URL"},
    {R"({"sampling":{"apiKeys":"sk-ant-1"}})", "line 1, column 14: 'sampling.apiKeys' must be an object, not a text"},
    {R"({"sampling":{"apiKeys":{"openai":"sk-12345678"}}})",
     "line 1, column 25: 'sampling.apiKeys.openai' is a key, and others may read this file: run `chmod 600 FILE`, or "
     "write env:NAME in its place and "
     "set that variable"},
    {R"({"sampling":{"apiKeys":{"openai":""}}})", "line 1, column 25: 'sampling.apiKeys.openai' must be a key: visible "
                                                  "ASCII characters without blanks, at most 500, not ***"},
    {R"({"sampling":{"apiKeys":{"openai":"sk-1 2"}}})",
     "line 1, column 25: 'sampling.apiKeys.openai' must be a key: visible ASCII characters without blanks, at most "
     "500, not ***"},
    {R"({"sampling":{"apiKeys":{"openai":"sk-1\r\nx: y"}}})",
     "line 1, column 25: 'sampling.apiKeys.openai' must be a key: visible ASCII characters without blanks, at most "
     "500, not ***"},
    {R"({"sampling":{"apiKeys":{"openai":7}}})", "line 1, column 25: 'sampling.apiKeys.openai' must be a key: visible "
                                                 "ASCII characters without blanks, at most 500, not ***"},
    {R"({"sampling":{"apiKeys":{"openai":"env:UNSET_4711"}}})",
     "line 1, column 25: 'sampling.apiKeys.openai': the environment variable 'UNSET_4711' is not set; set it, or write "
     "the value itself"},
    {R"({"sampling":{"apiKeys":{"opnai":"x"}}})",
     "line 1, column 25: 'sampling.apiKeys.opnai' is no setting; did you mean 'openai'? Known here: anthropic, "
     "compatible, gemini, grok, openai, "
     "perplexity"},
    {R"({"sampling":{"baseUrl":"localhost:11434"}})",
     R"(line 1, column 14: 'sampling.baseUrl' must be an address such as http://localhost:11434/v1: http or https, without user, query and fragment, not "localhost:11434")"},
    {R"({"sampling":{"baseUrl":"ftp://h/"}})",
     R"(line 1, column 14: 'sampling.baseUrl' must be an address such as http://localhost:11434/v1: http or https, without user, query and fragment, not "ftp://h/")"},
    {R"({"sampling":{"baseUrl":"http://"}})",
     R"(line 1, column 14: 'sampling.baseUrl' must be an address such as http://localhost:11434/v1: http or https, without user, query and fragment, not "http://")"},
    {R"({"sampling":{"baseUrl":"http:///v1"}})",
     R"(line 1, column 14: 'sampling.baseUrl' must be an address such as http://localhost:11434/v1: http or https, without user, query and fragment, not "http:///v1")"},
    {R"({"sampling":{"baseUrl":"http://user:pass@h/v1"}})",
     R"(line 1, column 14: 'sampling.baseUrl' must be an address such as http://localhost:11434/v1: http or https, without user, query and fragment, not "http://user:pass@h/v1")"},
    {R"({"sampling":{"baseUrl":"http://h/v1?key=1"}})",
     R"(line 1, column 14: 'sampling.baseUrl' must be an address such as http://localhost:11434/v1: http or https, without user, query and fragment, not "http://h/v1?key=1")"},
    {R"({"sampling":{"baseUrl":"http://h/ v1"}})",
     R"(line 1, column 14: 'sampling.baseUrl' must be an address such as http://localhost:11434/v1: http or https, without user, query and fragment, not "http://h/ v1")"},
    {R"({"sampling":{"models":{"openai":""}}})",
     "line 1, column 24: 'sampling.models.openai' must be the name of a model, not \"\""},
    {R"({"sampling":{"models":{"openai":"a b"}}})",
     "line 1, column 24: 'sampling.models.openai' must be the name of a model, not \"a b\""},
    {R"({"sampling":{"models":["gpt-4o"]}})",
     "line 1, column 14: 'sampling.models' must be an object, not [\"gpt-4o\"]"},
    {R"({"sampling":{"allowedModels":"gpt-4o"}})",
     "line 1, column 14: 'sampling.allowedModels' must be a list, not \"gpt-4o\""},
    {R"({"sampling":{"allowedModels":["gpt-4o",5]}})",
     "line 1, column 40: 'sampling.allowedModels[1]' must be the name of a model, not 5"},
    {R"({"sampling":{"allowedModels":{"openai":"gpt-4o"}}})",
     "line 1, column 31: 'sampling.allowedModels.openai' must be a list, not \"gpt-4o\""},
    {R"({"sampling":{"allowedModels":{"openai":[""]}}})",
     "line 1, column 41: 'sampling.allowedModels.openai[0]' must be the name of a model, not \"\""},
    {R"({"sampling":{"allowedModels":{"mistral":["x"]}}})",
     "line 1, column 31: 'sampling.allowedModels.mistral' is no setting. Known here: anthropic, compatible, gemini, "
     "grok, openai, perplexity"},
    {R"({"sampling":{"maxRoundsPerExecution":0}})",
     "line 1, column 14: 'sampling.maxRoundsPerExecution' must be an integer from 1 to 100, not 0"},
    {R"({"sampling":{"maxRoundsPerExecution":101}})",
     "line 1, column 14: 'sampling.maxRoundsPerExecution' must be an integer from 1 to 100, not 101"},
    {R"({"sampling":{"maxTokensPerExecution":99}})",
     "line 1, column 14: 'sampling.maxTokensPerExecution' must be an integer from 100 to 100000, not 99"},
    {R"({"sampling":{"maxToolSteps":51}})",
     "line 1, column 14: 'sampling.maxToolSteps' must be an integer from 1 to 50, not 51"},
    {R"({"sampling":{"timeoutPerCallMs":999}})",
     "line 1, column 14: 'sampling.timeoutPerCallMs' must be an integer from 1000 to 600000, not 999"},
    {R"({"sampling":{"allowedSystemPrompts":"x"}})",
     "line 1, column 14: 'sampling.allowedSystemPrompts' must be a list, not \"x\""},
    {R"({"sampling":{"allowedSystemPrompts":[null]}})",
     "line 1, column 38: 'sampling.allowedSystemPrompts[0]' must be a system prompt of at most 20000 bytes, not null"},
    {R"({"sampling":{"contentFilteringEnabled":"on"}})",
     "line 1, column 14: 'sampling.contentFilteringEnabled' must be true or false, not \"on\""},
    {R"({"sampling":{"contentFilter":{"email":"drop"}}})",
     "line 1, column 31: 'sampling.contentFilter.email' must be redact, block or allow, not \"drop\""},
    {R"({"sampling":{"contentFilter":{"emails":"allow"}}})",
     "line 1, column 31: 'sampling.contentFilter.emails' is no setting; did you mean 'email'? Known here: card, email, "
     "jwt, pem, phone, secret, ssn"},
    {"\xef"
     "\xbb"
     "\xbf"
     "{\"x\":1}",
     "line 1, column 2: 'x' is no setting; did you mean 'executors'? Known here: audit, executors, faults, health, "
     "log, "
     "mcpConfigPath, outputs, process, "
     "rateLimit, recording, "
     "resources, results, runs, sampling, sandbox, security, server, servers, sessions, stateDir, surface, version"},
    {"{\n  // mine\n  \"runs\": {\n    \"queueSize\": 5, /* few */ \"maxConcurrent\": \"many\"\n  }\n}",
     R"(line 4, column 31: 'runs.maxConcurrent' must be an integer from 1 to 1000, not "many")"},
  };
  static_assert(std::size(rows) >= 120);
  test::folder folder;
  auto lookup = [](std::string_view name) { return std::string{name == "WORD" ? "secret-word" : ""}; };
  auto env = config::read_environment(lookup, folder.path("project"));
  env.home = folder.path("home");
  for (auto& r : rows) {
    auto file = folder.write("home/.code-executor.json", r.text);
    auto reading = config::read_settings(env, lookup);
    ASSERT_EQ(reading.problems.size(), 1u) << r.text;
    auto expected = std::string{r.message};
    if (auto at = expected.find("FILE"); at != expected.npos)
      expected.replace(at, 4, file);
    EXPECT_EQ(reading.problems.front().message, file + ": " + expected) << r.text;
    EXPECT_FALSE(config::load_settings(env, lookup).ok()) << r.text;
  }
}

TEST(settings_corpus, of_wrong_variables) {
  const struct {
    const char *variable, *value, *message;
  } rows[] = {
    {"POOL_MAX_CONCURRENT", "0", "an integer from 1 to 1000, not '0'"},
    {"POOL_QUEUE_SIZE", "-1", "an integer from 0 to 1000, not '-1'"},
    {"POOL_QUEUE_TIMEOUT_MS", "30s", "an integer from 1000 to 300000, not '30s'"},
    {"CIRCUIT_BREAKER_THRESHOLD", "five", "an integer from 1 to 1000, not 'five'"},
    {"CIRCUIT_BREAKER_TIMEOUT_MS", "99", "an integer from 100 to 3600000, not '99'"},
    {"CODE_EXECUTOR_RATE_LIMIT_RPM", "0", "an integer from 1 to 1000000, not '0'"},
    {"CODE_EXECUTOR_SKIP_DANGEROUS_PATTERNS", "yes", "true or false, not 'yes'"},
    {"ENABLE_AUDIT_LOG", "on", "true or false, not 'on'"},
    {"AUDIT_LOG_RETENTION_DAYS", "0", "an integer from 1 to 3650, not '0'"},
    {"HEALTH_CHECK_PORT", "http", "an integer from 0 to 65535, not 'http'"},
    {"HEALTH_CHECK_HOST", "a/b", "a host name or an address, without port, not 'a/b'"},
    {"ENABLE_HEALTH_CHECK", "2", "true or false, not '2'"},
    {"CODE_EXECUTOR_LOG_LEVEL", "loud", "trace, debug, info, warning, warn, error, err, critical or off, not 'loud'"},
    {"CODE_EXECUTOR_LOG_FORMAT", "yaml", "text or json, not 'yaml'"},
    {"CODE_EXECUTOR_SAMPLING_ENABLED", "on", "true or false, not 'on'"},
    {"CODE_EXECUTOR_AI_PROVIDER", "gpt", "anthropic, openai, gemini, grok, perplexity or compatible, not 'gpt'"},
    {"CODE_EXECUTOR_AI_BASE_URL", "h:1",
     "an address such as http://localhost:11434/v1: http or https, without user, query and fragment, not 'h:1'"},
    {"CODE_EXECUTOR_MAX_SAMPLING_ROUNDS", "0", "an integer from 1 to 100, not '0'"},
    {"CODE_EXECUTOR_MAX_SAMPLING_TOKENS", "1e6", "an integer from 100 to 100000, not '1e6'"},
    {"CODE_EXECUTOR_SAMPLING_TIMEOUT_MS", "30s", "an integer from 1000 to 600000, not '30s'"},
    {"CODE_EXECUTOR_CONTENT_FILTERING_ENABLED", "no", "true or false, not 'no'"},
    {"CODE_EXECUTOR_ALLOWED_MODELS", "a,,b", "the name of a model, not 'a,,b'"},
    {"CODE_EXECUTOR_ALLOWED_MODELS_OPENAI", "[\"a\"", "a list, separated by commas or as JSON, not '[\"a\"'"},
    {"CODE_EXECUTOR_ALLOWED_SYSTEM_PROMPTS", "[1]", "a system prompt of at most 20000 bytes, not '[1]'"},
    {"OPENAI_API_KEY", "sk-1 sk-2", "a key: visible ASCII characters without blanks, at most 500, not ***"},
    {"XAI_API_KEY", "schl\xc3\xbcssel", "a key: visible ASCII characters without blanks, at most 500, not ***"},
    {"PYTHON_ENABLED", "maybe", "true or false, not 'maybe'"},
  };
  test::folder folder;
  for (auto& r : rows) {
    auto lookup = [&](std::string_view name) { return std::string{name == r.variable ? r.value : ""}; };
    auto reading = config::read_settings(config::read_environment(lookup, folder.path("project")), lookup);
    ASSERT_EQ(reading.problems.size(), 1u) << r.variable;
    EXPECT_EQ(reading.problems.front().message, std::string{r.variable} + " must be " + r.message);
  }
}

} // namespace config_settings_corpus_test
