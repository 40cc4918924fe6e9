/**
 * `npm run demo`: starts the built demo without any configuration. Without an operator key it generates and prints one for this run, so
 * that the operator screens and endpoints work and stay closed to everybody else.
 */
import { randomBytes } from "node:crypto";

const [KEY, MODE] = ["SVC_EXEC_API_KEY", "NODE_ENV"] as const;

// Development shows error details and uses the listening address as the demo's.
process.env[MODE] ||= "development";
if (!process.env[KEY]?.trim()) {
  process.env[KEY] = randomBytes(16).toString("hex");
  console.log(
    `The operator key of this run, for /_svc/ops and for other terminals:\n  export ${KEY}=${process.env[KEY]}`,
  );
}
process.argv.splice(2, Infinity, "start");
// A variable, because the package's command is not a module of this TypeScript project.
const command = new URL("../../bin/svc.js", import.meta.url).href;
await import(command);
