/** A client of a cluster: sends requests to any web process, retries until they succeed, and follows runs across failures. */
import { setTimeout as sleep } from "node:timers/promises";
import { any, type ClusterNodes } from "./cluster-nodes.ts";

export const API_KEY = "an-operator-key-of-the-chaos-0123456789";
const ASK_MS = 20_000;
const MOST_TRIES = 300;
const AGAIN_MS = 100;

export class ClusterClient {
  readonly #nodes: ClusterNodes;

  constructor(nodes: ClusterNodes) {
    this.#nodes = nodes;
  }

  #url(): string {
    const url = any(this.#nodes.up("web"))?.url;
    if (url === undefined) throw new Error("no web process is up");
    return url;
  }

  async #ask(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${this.#url()}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ASK_MS),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** Retries until the request succeeds. Idempotency keys make that safe. */
  async insist(path: string, body: unknown): Promise<Record<string, string>> {
    for (let tries = 0; ; tries++)
      try {
        return (await this.#ask(path, body)) as Record<string, string>;
      } catch (error) {
        if (tries > MOST_TRIES) throw error;
        await sleep(AGAIN_MS);
      }
  }

  /** Follows a run to its end, resuming from the last event received. @returns what was wrong */
  async follow(id: string, signal: AbortSignal): Promise<string | undefined> {
    let last = 0;
    while (!signal.aborted)
      try {
        const headers = { authorization: `Bearer ${API_KEY}`, "last-event-id": String(last) };
        const response = await fetch(`${this.#url()}/_svc/graphs/${id}/events`, { headers, signal });
        if (!response.ok || !response.body) throw new Error(String(response.status));
        for await (const frame of framesOf(response.body)) {
          const seq = Number(/^id: ?(\d+)$/m.exec(frame)?.[1]);
          if (Number.isNaN(seq)) continue;
          if (seq !== last + 1) return `${id}: event ${seq} came after event ${last}`;
          last = seq;
          if (/"type":"graph\.(?:done|failed)"/.test(frame)) return undefined;
        }
      } catch {
        await sleep(AGAIN_MS);
      }
    return `${id}: no event came after event ${last}`;
  }
}

async function* framesOf(body: NonNullable<Response["body"]>): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let at = text.indexOf("\n\n"); at >= 0; at = text.indexOf("\n\n")) {
      yield text.slice(0, at);
      text = text.slice(at + 2);
    }
  }
}
