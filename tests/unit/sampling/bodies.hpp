// Requests for tests, and responses as the documents of the providers show them.
#pragma once

#include "sampling/provider.hpp"
#include "tests/unit/support/values.hpp"

#include <string>
#include <string_view>

namespace test {

inline msg::model_request simple_request() {
  msg::model_request r;
  r.model = "m-1";
  r.system = "Be brief.";
  r.max_tokens = 100;
  r.messages.push_back({msg::chat_role::user, "How warm is it?", {}, {}});
  return r;
}

/// A question, a use of a tool, its answer.
inline msg::model_request tool_request() {
  auto r = simple_request();
  r.tools.push_back({"mcp__weather__now", "The weather of a city.",
                     doc(R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})")});
  msg::chat_message asks{msg::chat_role::assistant, "I shall look.", {}, {}};
  asks.uses.push_back({"id-7", "mcp__weather__now", doc(R"({"city":"Kiel"})"), doc(R"({"thoughtSignature":"c2ln"})")});
  r.messages.push_back(asks);
  msg::chat_message result{msg::chat_role::user, "", {}, {}};
  result.answers.push_back({"id-7", "mcp__weather__now", "11 degrees", false});
  r.messages.push_back(result);
  return r;
}

/// An answer with text and a use of a tool: "It is " "warm.", id tool-1, mcp__weather__now, {"city":"Kiel"}, 25 tokens
/// in and 12 out.
inline std::string_view whole_body(sampling::provider who) {
  switch (who) {
    case sampling::provider::anthropic:
      return R"({"id":"msg_1","type":"message","role":"assistant","model":"m-1-2026","content":[{"type":"text","text":"It is warm."},
        {"type":"tool_use","id":"tool-1","name":"mcp__weather__now","input":{"city":"Kiel"}}],"stop_reason":"tool_use","stop_sequence":null,
        "usage":{"input_tokens":20,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":12}})";
    case sampling::provider::gemini:
      return R"({"candidates":[{"content":{"role":"model","parts":[{"text":"I think","thought":true},{"text":"It is warm."},
        {"functionCall":{"id":"tool-1","name":"mcp__weather__now","args":{"city":"Kiel"}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP","index":0}],
        "usageMetadata":{"promptTokenCount":25,"candidatesTokenCount":9,"thoughtsTokenCount":3,"totalTokenCount":37},"modelVersion":"m-1-2026"})";
    case sampling::provider::openai:
    case sampling::provider::grok:
    case sampling::provider::perplexity:
    case sampling::provider::compatible: break;
  }
  return R"({"id":"c-1","object":"chat.completion","created":1,"model":"m-1-2026","choices":[{"index":0,"message":{"role":"assistant","content":"It is warm.",
    "refusal":null,"tool_calls":[{"id":"tool-1","type":"function","function":{"name":"mcp__weather__now","arguments":"{\"city\":\"Kiel\"}"}}]},
    "logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":25,"completion_tokens":12,"total_tokens":37,
    "completion_tokens_details":{"reasoning_tokens":0}},"system_fingerprint":null})";
}

/// The same answer as a stream.
inline std::string_view stream_body(sampling::provider who) {
  switch (who) {
    case sampling::provider::anthropic:
      return R"(event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m-1-2026","stop_reason":null,"usage":{"input_tokens":20,"cache_creation_input_tokens":2,"cache_read_input_tokens":3,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"It is "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"warm."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"tool-1","name":"mcp__weather__now","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\": \"Ki"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"el\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":12}}

event: message_stop
data: {"type":"message_stop"}

)";
    case sampling::provider::gemini:
      return "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"It is \"}],\"role\":\"model\"},\"index\":0}],"
             "\"usageMetadata\":{\"promptTokenCount\":25,\"totalTokenCount\":25},\"modelVersion\":\"m-1-2026\"}\r\n\r\n"
             "data: "
             "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"warm.\"},{\"functionCall\":{\"id\":\"tool-1\","
             "\"name\":\"mcp__weather__now\","
             "\"args\":{\"city\":\"Kiel\"}},\"thoughtSignature\":\"c2ln\"}],\"role\":\"model\"},\"index\":0}],"
             "\"modelVersion\":\"m-1-2026\"}\r\n\r\n"
             "data: "
             "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}],\"role\":\"model\"},\"finishReason\":\"STOP\","
             "\"index\":0}],"
             "\"usageMetadata\":{\"promptTokenCount\":25,\"candidatesTokenCount\":9,\"thoughtsTokenCount\":3,"
             "\"totalTokenCount\":37}}\r\n\r\n";
    case sampling::provider::openai:
    case sampling::provider::grok:
    case sampling::provider::perplexity:
    case sampling::provider::compatible: break;
  }
  return R"(data: {"id":"c-1","object":"chat.completion.chunk","model":"m-1-2026","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}

data: {"id":"c-1","object":"chat.completion.chunk","model":"m-1-2026","choices":[{"index":0,"delta":{"content":"It is "},"finish_reason":null}],"usage":null}

: keep-alive

data: {"id":"c-1","object":"chat.completion.chunk","model":"m-1-2026","choices":[{"index":0,"delta":{"content":"warm."},"finish_reason":null}],"usage":null}

data: {"id":"c-1","object":"chat.completion.chunk","model":"m-1-2026","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"tool-1","type":"function","function":{"name":"mcp__weather__now","arguments":""}}]},"finish_reason":null}]}

data: {"id":"c-1","object":"chat.completion.chunk","model":"m-1-2026","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"ci"}}]},"finish_reason":null}]}

data: {"id":"c-1","object":"chat.completion.chunk","model":"m-1-2026","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ty\":\"Kiel\"}"}}]},"finish_reason":null}]}

data: {"id":"c-1","object":"chat.completion.chunk","model":"m-1-2026","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"c-1","object":"chat.completion.chunk","model":"m-1-2026","choices":[],"usage":{"prompt_tokens":25,"completion_tokens":12,"total_tokens":37}}

data: [DONE]

)";
}

} // namespace test
