// Five agents work on one piece of code. Reviewer and security analyst look at it at the same time; with what they found it is
// refactored; then tests and documentation are written for the new code, again at the same time. Needs sampling: `enableSampling`.

const CODE = `
export function login(users, name, password) {
  var user = users.filter(function (u) { return u.name == name })[0];
  if (user.password == password) {
    console.log("login of " + name + " with " + password);
    return { token: Math.random().toString(36) };
  }
  return null;
}`;

// One that is allowed by default (sampling.allowedSystemPrompts).
const systemPrompt = "You are a code analysis expert";

/** What one agent says. One that fails (no budget left, no answer) does not end the others. */
async function agent(name: string, task: string, ...material: string[]) {
  try {
    const text = await llm.ask([task, ...material].join("\n\n"), { systemPrompt, maxTokens: 600 });
    return { agent: name, text };
  } catch (error) {
    return { agent: name, text: "", error: error.message };
  }
}

const [review, security] = await Promise.all([
  agent("reviewer", "Review this code: list its five most important problems, one line each.", CODE),
  agent("security analyst", "List the vulnerabilities of this code, the worst first, one line each.", CODE),
]);
const refactored = await agent("refactoring expert", "Rewrite this code in modern TypeScript so that these findings are gone. Code only.",
  CODE, review.text, security.text);
const [tests, docs] = await Promise.all([
  agent("test author", "Write three Vitest test cases for this code. Code only.", refactored.text || CODE),
  agent("documentation author", "Write a JSDoc comment for each export of this code.", refactored.text || CODE),
]);

return [review, security, refactored, tests, docs];
