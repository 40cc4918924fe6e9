/** What a served app says of itself: where it is and what to try. */
import type { App } from "../app/app.ts";
import { PATHS, VARIABLES } from "../shared/wire.ts";
import { facts, type Output } from "./output.ts";

/** @param readyMs from the start of the command. */
export function banner(app: App, url: string, readyMs: number, output: Output): void {
  output.line(`${output.style("green", "Ready")} in ${readyMs} ms  ${output.style("cyan", url)}`);
  if (!output.isInteractive) return;
  const key = app.config.execApiKey === undefined ? `set ${VARIABLES.execApiKey} to open ${PATHS.webhooks}` : undefined;
  facts(output, [
    ...(app.hasDemo
      ? ([
          ["Webhook demo", `${url}${PATHS.demo}`],
          ["Inbox", `${url}${PATHS.demoInbox}`],
        ] as const)
      : []),
    ["Operator", key ?? `curl -H "Authorization: Bearer $${VARIABLES.execApiKey}" ${url}${PATHS.status}`],
    ["Try", `curl ${url}${PATHS.health}`],
  ]);
}
