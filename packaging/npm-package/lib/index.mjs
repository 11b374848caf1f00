import api from "./index.cjs";

export const { CodeExecutor } = api;
export const { CodeExecutorError, StartError, ServerExitedError, ClosedError, TimeoutError, BusyError, RequestError, RunError, ToolError } = api;
