/**
 * `npm run demo`: starts the built demo with nothing configured. Where no operator key is set, makes one for this run and prints it, so
 * that the operator screens and endpoints work and stay closed to everybody else.
 */
import { randomBytes } from "node:crypto";

const [KEY, MODE] = ["SVC_EXEC_API_KEY", "NODE_ENV"] as const;

// Errors with their details, and the address of the demo taken from where it listens.
process.env[MODE] ||= "development";
if (!process.env[KEY]?.trim()) {
  process.env[KEY] = randomBytes(16).toString("hex");
  console.log(
    `The operator key of this run, for /_svc/ops and for other terminals:\n  export ${KEY}=${process.env[KEY]}`,
  );
}
process.argv.splice(2, Infinity, "start");
// A variable, since the package's own command is no module of this project.
const command = new URL("../../bin/svc.js", import.meta.url).href;
await import(command);
