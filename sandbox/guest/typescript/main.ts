// The TypeScript guest: announces itself, runs the programs that the host sends, and reports how each ended.
//
//   main.ts             the channel to the host is descriptor 3
//   main.ts PORT        the channel is what listens on that port of the box's own network
//   main.ts prepare     there is no host: does once what every guest does, so that Deno's cache has it

import { installApi } from "./api.ts";
import { Channel, type Message } from "./channel.ts";
import { openDescriptor } from "./descriptor_stream.ts";
import { Displays } from "./display.ts";
import { heardBy, rehearseEnd } from "./exit_events.ts";
import { Finish } from "./finish.ts";
import { exitProcess, tellHalvesAgain } from "./intrinsics.ts";
import { OpenWork } from "./open_work.ts";
import { type Outcome, Programs } from "./program.ts";
import { Requests } from "./requests.ts";
import { RunEnd } from "./run_end.ts";
import { openSocket } from "./socket_stream.ts";
import { StrayErrors } from "./stray_errors.ts";
import { StrayHandlers } from "./stray_handlers.ts";
import { UserErrors } from "./user_error.ts";
import { warmUp, warmUpCalls } from "./warm_up.ts";
import { Workers } from "./workers.ts";

/** Takes 60 ms on a quiet machine. */
const PREPARE_MAX_MILLISECONDS = 30_000;

const [place] = Deno.args;
const isPreparing = place === "prepare";
const channel = new Channel(isPreparing ? undefined : place ? await openSocket(place) : openDescriptor());
const work: OpenWork = new OpenWork(channel, () => runEnd.idle());
const requests = new Requests(channel, work);
const finish = new Finish(channel);
const displays = new Displays(channel);
const mcp = installApi(requests, displays);
const errors = new UserErrors();
const programs = new Programs(errors, mcp);
const handlers = new StrayHandlers();
const strays = new StrayErrors(errors, handlers);
const workers = new Workers();
workers.watch();
const runEnd = new RunEnd(strays, work, workers);
let warming: Promise<void> | undefined;

function receive(message: Message, text: string): void {
  if (message.type === "reply") requests.settle(message, text);
  else if (message.type === "run") run(message.code as string, message.keep === true);
  else if (message.type === "warm_up") warming = prepare();
}

/** What is called for the first time is compiled then: a run after this one takes 1.5 ms, and would take 3.4. */
async function prepare(): Promise<void> {
  const dummies = await warmUp(mcp);
  const { result } = await outcomeOf("return 1", true, dummies); // as in a session: nobody is told of the end of the process
  finish.result(result); // no run has begun: it is not sent
  await warmUpCalls(requests, mcp);
  rehearseEnd();
  warming = undefined;
  channel.send('{"type":"warm"}');
}

async function outcomeOf(code: string, keep: boolean, programs: Programs): Promise<Outcome> {
  tellHalvesAgain();
  requests.begin();
  displays.begin();
  handlers.begin(code);
  workers.begin(code);
  const outcome = await runEnd.of(() => programs.run(code, keep), keep, heardBy(code));
  requests.end();
  await displays.end();
  return outcome;
}

async function run(code: string, keep: boolean): Promise<void> {
  if (warming !== undefined) await warming;
  // What a program before has left over may end this process at any moment: the host wants to know whose end it is.
  if (keep) channel.send('{"type":"begun"}');
  finish.begin();
  const outcome = await outcomeOf(code, keep, programs);
  if (outcome.error !== undefined) finish.error(outcome.error);
  else finish.result(outcome.result);
}

finish.returned = () => runEnd.returned();
requests.called = (result) => errors.called(result);
strays.strayed = (isFinal) => runEnd.strayed(isFinal);
channel.listen(receive);
channel.send('{"type":"ready"}');
if (isPreparing) {
  setTimeout(exitProcess, PREPARE_MAX_MILLISECONDS, 1); // keeps the process; and programs use timers
  warmUp(mcp).then(() => exitProcess(0));
}
