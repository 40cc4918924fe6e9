#!/usr/bin/env node
// Checks the runtime before anything else loads: an old one fails at a syntax or an import, with a stack that names neither.
import { runtimeProblem } from "../out/platform/package/runtime.js";

const problem = runtimeProblem(process.versions);
if (problem === undefined) await import("../out/bundle/main.js");
else {
  process.stderr.write(`Error SVC_RUNTIME: ${problem}\n`);
  process.exitCode = 1;
}
