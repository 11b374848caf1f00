# Which product sells best in all shops together? Writes a report beside the files.
files = search_tools("filesystem find files that match a pattern", limit=3)
adder = search_tools("everything sum of two numbers")[0]
print("found", files[0]["name"], "and", adder["name"])

folder = mcp.filesystem.list_allowed_directories()["content"].splitlines()[1]
paths = mcp.filesystem.search_files(path=folder, pattern="*.csv")["content"].splitlines()

pieces = {}
for path in paths:
    text = mcp.filesystem.read_text_file(path=path)["content"]
    for line in text.splitlines()[1:]:
        product, count, _price = line.split(",")
        pieces[product] = pieces.get(product, 0) + int(count)

best, second = sorted(pieces, key=pieces.get, reverse=True)[:2]
answer = call_mcp_tool(adder["name"], {"a": pieces[best], "b": pieces[second]})
await mcp.filesystem.write_file(path=f"{folder}/report.txt", content=f"{best}: {pieces[best]}\n")

{"best": best, "pieces": pieces[best], "with the second": answer}
