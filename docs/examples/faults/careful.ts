// Looks before it writes, and looks again; believes no answer that has not the form it should have.
const wanted = ["Leak in the roof", "Door squeaks", "Light is out"];
const patience = 5_000; // ms that a pause may have

async function titles(): Promise<string[]> {
  const { tickets } = await callMCPTool("mcp__tickets__list", {});
  if (!Array.isArray(tickets)) throw new Error("the list of tickets is none");
  return tickets.map((ticket) => ticket.title);
}

async function patiently<T>(what: () => Promise<T>): Promise<T> {
  for (let pause = 50; ; pause *= 2) {
    try {
      return await what();
    } catch (error) {
      if (pause > patience) throw error;
      await new Promise((done) => setTimeout(done, Math.max(pause, error.retryAfterMs ?? 0)));
    }
  }
}

for (const title of wanted) {
  await patiently(async () => {
    if (!(await titles()).includes(title)) await callMCPTool("mcp__tickets__create", { title });
  });
}
return await patiently(titles);
