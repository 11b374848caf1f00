// After the installation: unpacks the program. `--print`: also prints where it is, for bin/code-executor.
"use strict";

const { platformProblem, programPath } = require("./native.cjs");

const prints = process.argv.includes("--print");
try {
  // An installation does not fail for a machine that can not run it: the start says so.
  const problem = prints ? undefined : platformProblem();
  if (problem) {
    console.error(`code-executor: ${problem}. It will not start here.`);
  } else {
    const program = programPath();
    if (prints) console.log(program);
  }
} catch (error) {
  console.error(`code-executor: ${error.message}`);
  process.exitCode = 1;
}
