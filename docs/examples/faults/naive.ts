// Believes every answer, and that each call succeeds at once.
for (const title of ["Leak in the roof", "Door squeaks", "Light is out"]) {
  await callMCPTool("mcp__tickets__create", { title });
}
const { tickets } = await callMCPTool("mcp__tickets__list", {});
return tickets.map((ticket) => ticket.title);
