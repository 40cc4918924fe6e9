/** Receivers by the names that people know them by. */
import type { App } from "../../index.ts";

/** Hosts by the id of the webhook. Those that are gone are not among them. */
export type Hosts = ReadonlyMap<string, string>;

/** As many webhooks as an answer has at most; of others the id is told. */
const MOST = "200";

export async function hostsOf(webhooks: App["webhooks"]): Promise<Hosts> {
  const list = await webhooks.list(new URLSearchParams({ limit: MOST }));
  return new Map(list.webhooks.map(({ id, url }) => [id, new URL(url).host]));
}
