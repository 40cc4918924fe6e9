/**
 * Finds out whether undici's fetch connects through the connector of its agent. A runtime or a bundler may replace undici by a module that
 * ignores it, as Bun does: then no address rule would apply.
 */
import type { Agent, fetch } from "undici";
import { SvcError } from "../../shared/errors.ts";

interface Undici {
  readonly fetch: typeof fetch;
  readonly Agent: typeof Agent;
}

/** Reserved (RFC 6761), so that a fetch without the connector reaches nothing. */
const PROBE_URL = "http://connector-probe.invalid/";

/** Opens no connection if the connector is used. @throws SvcError `SVC_RUNTIME` if it is ignored */
export async function requireConnector({ fetch: send, Agent: AgentClass }: Undici): Promise<void> {
  let wasAsked = false;
  const dispatcher = new AgentClass({
    connect: (_target, callback) => {
      wasAsked = true;
      callback(new Error("The probe connects to nothing"), null);
    },
  });
  // Fails in any case: this is about the way there.
  await send(PROBE_URL, { dispatcher }).catch(() => undefined);
  await dispatcher.destroy();
  if (wasAsked) return;
  throw new SvcError(
    "SVC_RUNTIME",
    "The module undici ignores the connector of an agent, so createGuardedFetch can't keep requests out of your network. Run svc with Node or Deno, and don't replace undici in a bundle",
  );
}
