"""The HTTP formats of the providers of models, from the side of the provider: what a request means, and how answers, streams and errors look."""

import json
from dataclasses import dataclass, field


@dataclass
class Answer:
    text: str = ""
    tool: str = ""
    arguments: dict = field(default_factory=dict)
    tokens_in: int = 0
    tokens_out: int = 0
    reports_usage: bool = True
    refuses: bool = False


@dataclass
class Question:
    """What all providers are asked, read from their formats."""

    provider: str
    model: str
    system: str
    messages: list  # of {"role", "text"}
    tools: list  # of {"name", "schema"}
    results: list  # texts of tools, after the last text of the user
    stream: bool
    max_tokens: int

    @property
    def prompt(self):
        texts = [m["text"] for m in self.messages if m["role"] == "user" and m["text"]]
        return texts[-1] if texts else ""


def pieces(text, length=5):
    return [text[i:i + length] for i in range(0, len(text), length)]


def event(data, name=None):
    text = json.dumps(data, ensure_ascii=False) if not isinstance(data, str) else data
    return (f"event: {name}\n" if name else "") + f"data: {text}\n\n"


class Anthropic:
    key_header = "x-api-key"
    errors = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}

    @staticmethod
    def question(_path, body):
        messages, results = [], []
        for m in body["messages"]:
            blocks = [{"type": "text", "text": m["content"]}] if isinstance(m["content"], str) else m["content"]
            text = "".join(b["text"] for b in blocks if b["type"] == "text")
            results += [b["content"] for b in blocks if b["type"] == "tool_result"]
            if any(b["type"] == "text" and not b["text"] for b in blocks):
                raise ValueError("messages: text content blocks must be non-empty")
            messages.append({"role": m["role"], "text": text})
        tools = [{"name": t["name"], "schema": t["input_schema"]} for t in body.get("tools", [])]
        return Question("anthropic", body["model"], body.get("system", ""), messages, tools, results, body.get("stream", False), body["max_tokens"])

    @classmethod
    def error(cls, status, message):
        return {"type": "error", "error": {"type": cls.errors.get(status, "api_error"), "message": message}, "request_id": "req_1"}

    @staticmethod
    def stop(answer):
        return "refusal" if answer.refuses else "tool_use" if answer.tool else "end_turn"

    @classmethod
    def whole(cls, question, answer):
        content = [{"type": "text", "text": answer.text}] if answer.text else []
        if answer.tool:
            content.append({"type": "tool_use", "id": f"toolu_{len(question.results)}", "name": answer.tool, "input": answer.arguments})
        out = {"id": "msg_1", "type": "message", "role": "assistant", "model": question.model, "content": content,
               "stop_reason": cls.stop(answer), "stop_sequence": None}
        if answer.reports_usage:
            out["usage"] = {"input_tokens": answer.tokens_in, "output_tokens": answer.tokens_out}
        return out

    @classmethod
    def events(cls, question, answer):
        message = {**cls.whole(question, Answer(tokens_in=answer.tokens_in, tokens_out=1, reports_usage=answer.reports_usage)), "stop_reason": None}
        yield event({"type": "message_start", "message": message}, "message_start")
        index = 0
        if answer.text:
            yield event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}, "content_block_start")
            yield event({"type": "ping"}, "ping")
            for piece in pieces(answer.text):
                yield event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}, "content_block_delta")
            yield event({"type": "content_block_stop", "index": 0}, "content_block_stop")
            index = 1
        if answer.tool:
            block = {"type": "tool_use", "id": f"toolu_{len(question.results)}", "name": answer.tool, "input": {}}
            yield event({"type": "content_block_start", "index": index, "content_block": block}, "content_block_start")
            for piece in pieces(json.dumps(answer.arguments)):
                delta = {"type": "input_json_delta", "partial_json": piece}
                yield event({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
            yield event({"type": "content_block_stop", "index": index}, "content_block_stop")
        end = {"type": "message_delta", "delta": {"stop_reason": cls.stop(answer), "stop_sequence": None}}
        if answer.reports_usage:
            end["usage"] = {"output_tokens": answer.tokens_out}
        yield event(end, "message_delta")
        yield event({"type": "message_stop"}, "message_stop")

    @classmethod
    def error_event(cls, message):
        return event(cls.error(529, message), "error")


class OpenAI:
    """Also Grok, Perplexity and compatible servers."""

    key_header = "authorization"
    errors = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}

    @staticmethod
    def question(_path, body):
        messages, results, system = [], [], ""
        for m in body["messages"]:
            if m["role"] == "system":
                system = m["content"]
            elif m["role"] == "tool":
                results.append(m["content"])
            else:
                messages.append({"role": m["role"], "text": m["content"] or ""})
        tools = [{"name": t["function"]["name"], "schema": t["function"]["parameters"]} for t in body.get("tools", [])]
        max_tokens = body["max_completion_tokens"] if "max_completion_tokens" in body else body["max_tokens"]
        return Question("openai", body["model"], system, messages, tools, results, body.get("stream", False), max_tokens)

    @classmethod
    def error(cls, status, message):
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": cls.errors.get(status)}}

    @staticmethod
    def stop(answer):
        return "content_filter" if answer.refuses else "tool_calls" if answer.tool else "stop"

    @staticmethod
    def usage(answer):
        return {"prompt_tokens": answer.tokens_in, "completion_tokens": answer.tokens_out, "total_tokens": answer.tokens_in + answer.tokens_out}

    @classmethod
    def whole(cls, question, answer):
        message = {"role": "assistant", "content": answer.text or None, "refusal": None}
        if answer.tool:
            function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
            message["tool_calls"] = [{"id": f"call_{len(question.results)}", "type": "function", "function": function}]
        out = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": question.model,
               "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": cls.stop(answer)}]}
        if answer.reports_usage:
            out["usage"] = cls.usage(answer)
        return out

    @classmethod
    def events(cls, question, answer):
        def chunk(delta, reason=None):
            return event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": question.model,
                          "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": None})

        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(answer.text):
            yield chunk({"content": piece})
        if answer.tool:
            call = {"index": 0, "id": f"call_{len(question.results)}", "type": "function", "function": {"name": answer.tool, "arguments": ""}}
            yield chunk({"tool_calls": [call]})
            for piece in pieces(json.dumps(answer.arguments)):
                yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        yield chunk({}, cls.stop(answer))
        if answer.reports_usage:
            yield event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": question.model, "choices": [], "usage": cls.usage(answer)})
        yield event("[DONE]")

    @staticmethod
    def error_event(message):
        return event({"error": {"message": message, "type": "server_error", "code": None}})


class Gemini:
    key_header = "x-goog-api-key"
    errors = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 529: "UNAVAILABLE"}

    @staticmethod
    def question(path, body):
        model, action = path.rsplit("/", 1)[1].split("?")[0].split(":")
        messages, results = [], []
        for content in body["contents"]:
            for part in content["parts"]:
                if "functionResponse" in part:
                    results.append(str(next(iter(part["functionResponse"]["response"].values()))))
                if "functionCall" in part and part.get("thoughtSignature") != "c2lnbmF0dXJl":
                    raise ValueError("Function call is missing a thought_signature")
            text = "".join(part.get("text", "") for part in content["parts"])
            messages.append({"role": "assistant" if content["role"] == "model" else "user", "text": text})
        system = "".join(part["text"] for part in body.get("systemInstruction", {}).get("parts", []))
        declared = [d for tool in body.get("tools", []) for d in tool["functionDeclarations"]]
        tools = [{"name": d["name"], "schema": d["parametersJsonSchema"]} for d in declared]
        return Question("gemini", model, system, messages, tools, results, action == "streamGenerateContent", body["generationConfig"]["maxOutputTokens"])

    @classmethod
    def error(cls, status, message):
        return {"error": {"code": status, "message": message, "status": cls.errors.get(status, "UNKNOWN")}}

    @staticmethod
    def chunk(question, answer, parts, reason=None):
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        if reason:
            candidate["finishReason"] = reason
        out = {"candidates": [candidate], "modelVersion": question.model}
        if answer.reports_usage:
            out["usageMetadata"] = {"promptTokenCount": answer.tokens_in, "candidatesTokenCount": answer.tokens_out,
                                    "totalTokenCount": answer.tokens_in + answer.tokens_out}
        return out

    @staticmethod
    def call(answer):
        return {"functionCall": {"name": answer.tool, "args": answer.arguments}, "thoughtSignature": "c2lnbmF0dXJl"}

    @classmethod
    def whole(cls, question, answer):
        parts = ([{"text": answer.text}] if answer.text else []) + ([cls.call(answer)] if answer.tool else [])
        return cls.chunk(question, answer, parts, "SAFETY" if answer.refuses else "STOP")

    @classmethod
    def events(cls, question, answer):
        for piece in pieces(answer.text):
            yield event(cls.chunk(question, answer, [{"text": piece}]))
        if answer.tool:
            yield event(cls.chunk(question, answer, [cls.call(answer)]))
        yield event(cls.chunk(question, answer, [{"text": ""}], "SAFETY" if answer.refuses else "STOP"))

    @classmethod
    def error_event(cls, message):
        return event(cls.error(529, message))


def format_of(path):
    """None: nothing is at that path."""
    path = path.split("?")[0]
    if path.endswith("/v1/messages"):
        return Anthropic
    if path.endswith("/chat/completions"):
        return OpenAI
    if ":" in path and "/models/" in path and path.split(":")[-1] in ("generateContent", "streamGenerateContent"):
        return Gemini
    return None
