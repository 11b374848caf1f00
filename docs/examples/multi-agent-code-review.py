# Five agents work on one piece of code. Reviewer and security analyst look at it at the same time; with what they found it is
# refactored; then tests and documentation are written for the new code, again at the same time. Needs sampling: `enableSampling`.

import asyncio

CODE = """
def login(users, name, password):
    user = [u for u in users if u["name"] == name][0]
    if user["password"] == password:
        print("login of " + name + " with " + password)
        return {"token": str(random.random())}
    return None
"""

# One that is allowed by default (sampling.allowedSystemPrompts).
SYSTEM_PROMPT = "You are a code analysis expert"


async def agent(name, task, *material):
    """What one agent says. One that fails (no budget left, no answer) does not end the others."""
    try:
        text = await llm.ask("\n\n".join([task, *material]), system_prompt=SYSTEM_PROMPT, max_tokens=600)
        return {"agent": name, "text": text}
    except MCPError as error:
        return {"agent": name, "text": "", "error": error.message}


review, security = await asyncio.gather(
    agent("reviewer", "Review this code: list its five most important problems, one line each.", CODE),
    agent("security analyst", "List the vulnerabilities of this code, the worst first, one line each.", CODE),
)
refactored = await agent("refactoring expert", "Rewrite this code in modern Python so that these findings are gone. Code only.",
                         CODE, review["text"], security["text"])
tests, docs = await asyncio.gather(
    agent("test author", "Write three pytest test cases for this code. Code only.", refactored["text"] or CODE),
    agent("documentation author", "Write a docstring for each function of this code.", refactored["text"] or CODE),
)

[review, security, refactored, tests, docs]
