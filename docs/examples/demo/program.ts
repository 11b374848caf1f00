// What did each shop earn, and what was the weather like there?
// One MCP server reads the files, another one knows the weather; neither was running before it was searched for.
const [reader] = await searchTools("filesystem read text file");
const [weather] = await searchTools("everything structured content", { limit: 1 });
console.log(`found ${reader.name} and ${weather.name}`);

const { content } = await mcp.filesystem.list_allowed_directories();
const folder = content.split("\n")[1];

const cities = { "New York": "new-york.csv", "Chicago": "chicago.csv", "Los Angeles": "los-angeles.csv" };
const shops = await Promise.all(Object.entries(cities).map(async ([city, file]) => {
  const [orders, sky] = await Promise.all([
    callMCPTool(reader.name, { path: `${folder}/${file}` }),
    callMCPTool(weather.name, { location: city }),
  ]);
  const rows: string[][] = orders.content.trim().split("\n").slice(1).map((line: string) => line.split(","));
  const revenue = rows.reduce((sum, [, pieces, price]) => sum + Number(pieces) * Number(price), 0);
  return { city, revenue, conditions: sky.conditions };
}));

return shops.sort((a, b) => b.revenue - a.revenue);
