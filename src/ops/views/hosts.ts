/** The host names of webhook receivers. */
import type { App } from "../../index.ts";

/** Host by webhook ID. Removed webhooks are missing. */
export type Hosts = ReadonlyMap<string, string>;

/** Maximum page size of the webhook list. Other webhooks are shown by their ID. */
const MOST = "200";

export async function hostsOf(webhooks: App["webhooks"]): Promise<Hosts> {
  const list = await webhooks.list(new URLSearchParams({ limit: MOST }));
  return new Map(list.webhooks.map(({ id, url }) => [id, new URL(url).host]));
}
