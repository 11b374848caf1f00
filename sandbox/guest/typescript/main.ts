// The TypeScript guest: announces itself, runs the one program that the host sends, and reports how it ended.

import { installApi } from "./api.ts";
import { type Message, openChannel } from "./channel.ts";
import { Finish } from "./finish.ts";
import { nextTurn } from "./intrinsics.ts";
import { runProgram } from "./program.ts";
import { Requests } from "./requests.ts";

const channel = openChannel(receive);
const requests = new Requests(channel);
const finish = new Finish(channel);
const mcp = installApi(requests);

function receive(message: Message): void {
  if (message.type === "reply") requests.settle(message);
  else if (message.type === "run") run(message.code as string);
}

async function run(code: string): Promise<void> {
  finish.interceptExit();
  const outcome = await runProgram(code, mcp);
  // Errors that nobody handles are reported at the end of a turn, and belong before the end of the program.
  await nextTurn();
  if ("error" in outcome) finish.error(outcome.error);
  else finish.result(outcome.result);
}

channel.send('{"type":"ready"}');
