// Checked by `tsc --strict`, and run: what the documents show.
import { CodeExecutor, CodeExecutorError, ServerExitedError, ToolError, type RunReport, type SearchResult } from "code-executor";

interface Note {
  content: string;
}

export async function use(folder: string, server: string): Promise<string> {
  await using api = new CodeExecutor({
    mcpServers: { filesystem: { command: "node", args: [server, folder] } },
    onLog: ({ level, text }) => void `${level.toUpperCase()}: ${text}`,
  });
  const report: RunReport<number[]> = await api.runTypescript<number[]>("return [1, 2]", {
    timeoutMs: 10_000,
    allowedTools: ["mcp__filesystem__*"],
    signal: AbortSignal.timeout(60_000),
    onProgress: ({ progress, message }) => void `${progress.toFixed(1)} ${message ?? ""}`,
  });
  if (!report.success) throw new Error(report.error);
  const sum: number = report.result.reduce((a, b) => a + b);
  const found: SearchResult = await api.searchTools("filesystem read", { limit: 1, detail: "full" });
  const note = await api.callTool<Note>("filesystem", "read_text_file", { path: `${folder}/notes.txt` });
  try {
    await api.callTool("filesystem", "read_text_fil");
  } catch (error) {
    if (error instanceof ToolError) return `${sum} ${found.tools[0]?.tool} ${note.content.trim()} ${error.code} ${error.suggestions.length}`;
    if (error instanceof ServerExitedError) return `${error.signal ?? error.exitCode}`;
    if (error instanceof CodeExecutorError) return error.code;
    throw error;
  }
  return "";
}

// @ts-expect-error: there is no such option
export const misspelt = () => new CodeExecutor({ comand: "x" });
// @ts-expect-error: a result is there only of a run that has succeeded
export const early = async (api: CodeExecutor): Promise<number> => (await api.runPython<number>("1")).result;
