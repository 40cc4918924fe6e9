/** Reads what stands behind `svc top`. */
import { VARIABLES } from "../../platform/shared/wire.ts";
import { appUrl } from "../graph/graph-arguments.ts";
import { readOptions } from "../options.ts";

export interface TopCommand {
  /** Where the server is. */
  url: string;
  /** A line of JSON each time, whoever looks. */
  json: boolean;
  intervalMs: number;
  /** How often it looks; undefined: until it is ended. */
  times: number | undefined;
}

export type TopInvocation =
  | { kind: "top"; command: TopCommand }
  | { kind: "tell"; text: string }
  | { kind: "mistake"; text: string };

const OPTIONS = {
  help: { type: "boolean", short: "h" },
  json: { type: "boolean" },
  url: { type: "string" },
  interval: { type: "string" },
  times: { type: "string" },
} as const;

const INTERVAL = "2";

const HELP = `svc top: watch a running app: what runs, what waits, what has failed

Usage: svc top [options]

  --url <url>           where the app is (default: ${VARIABLES.siteUrl}, else http://127.0.0.1 and PORT or 3000)
  --interval <seconds>  how long between two looks (default: ${INTERVAL})
  --times <count>       how often to look; then it ends
  --json                a line of JSON for each look, as where no person is looking

The key of the operator endpoints is read from ${VARIABLES.execApiKey}. Ctrl-C ends it; on a terminal q does too.

Examples:
  svc top
  svc top --json --times 1 | jq .status.graphs`;

export function readTopArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): TopInvocation {
  let parsed;
  try {
    parsed = readOptions({ args: [...args], options: OPTIONS, allowPositionals: false });
  } catch (error) {
    return mistake((error as Error).message);
  }
  const { help, json = false, url, interval = INTERVAL, times } = parsed.values;
  if (help) return { kind: "tell", text: HELP };
  if (!/^\d{1,4}(\.\d)?$/.test(interval) || Number(interval) < 0.2)
    return mistake(`--interval is "${interval}"; it must be seconds, from 0.2 on`);
  if (times !== undefined && !/^[1-9]\d{0,6}$/.test(times))
    return mistake(`--times is "${times}"; it must be a whole number from 1 on`);
  try {
    const command = {
      url: appUrl(url, env),
      json,
      intervalMs: Number(interval) * 1000,
      times: times === undefined ? undefined : Number(times),
    };
    return { kind: "top", command };
  } catch (error) {
    return mistake((error as Error).message);
  }
}

function mistake(text: string): TopInvocation {
  return { kind: "mistake", text: `${text}\n\nsvc top --help tells more.` };
}
