/** Client of the operator endpoints of a running app (docs/reference/http.md). */
import { ERRORS, SvcError, type ErrorCode } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { CLI_CLIENT, HEADERS, PATHS, VARIABLES } from "../../platform/shared/wire.ts";
import type { Snapshot } from "../../graphs/machine/view-types.ts";

/** An event as the server sends it. */
export interface WireEvent {
  seq: number;
  type: string;
  node?: string;
  timestamp_ms: number;
  [field: string]: unknown;
}

export interface GraphClientOptions {
  /** `http://127.0.0.1:3000` */
  url: string;
  apiKey: string | undefined;
  /** Milliseconds before a broken stream is requested again. Default 500. */
  retryMs?: number;
}

/** Number of attempts to reopen a stream without any data from the server. */
const MOST_RETRIES = 10;
const ENDS: readonly unknown[] = ["graph.done", "graph.failed"];

export class GraphClient {
  readonly #options: GraphClientOptions;

  constructor(options: GraphClientOptions) {
    this.#options = options;
  }

  /** @throws SvcError as the server answers; `SVC_UNAVAILABLE` if no server answers. */
  async get<Reply>(path: string): Promise<Reply> {
    return (await (await this.#send("GET", path)).json()) as Reply;
  }

  /** @throws as get */
  async post<Reply>(path: string, body?: Json): Promise<Reply> {
    return (await (await this.#send("POST", path, body)).json()) as Reply;
  }

  /** A run with all its nodes. The server lists them in parts. */
  async graph(id: string): Promise<Snapshot> {
    const path = `${PATHS.graphs}/${encodeURIComponent(id)}`;
    const { next_node: first, ...snapshot } = await this.get<Snapshot>(path);
    for (let after = first; after !== undefined;) {
      const part = await this.get<Snapshot>(`${path}?after=${encodeURIComponent(after)}`);
      snapshot.nodes.push(...part.nodes);
      after = part.next_node;
    }
    return snapshot;
  }

  /** All events of a run from the first one, until it ends. A broken stream is resumed after the last event. */
  async *events(id: string): AsyncGenerator<WireEvent> {
    let last = 0;
    let hasEnded = false;
    for (let silent = 0; silent <= MOST_RETRIES; silent++) {
      if (silent > 0) await new Promise((done) => setTimeout(done, this.#options.retryMs ?? 500));
      try {
        for await (const event of this.#stream(id, last)) {
          silent = 0;
          last = event.seq;
          hasEnded = ENDS.includes(event.type);
          yield event;
        }
        // A retried run has ended before. The server closes the stream after the last end.
        if (hasEnded) return;
      } catch (error) {
        // A refusal is final. A broken connection may recover.
        if (error instanceof SvcError && error.code !== "SVC_UNAVAILABLE") throw error;
        if (last === 0) throw error;
      }
    }
    throw unavailable(this.#options.url, undefined);
  }

  async *#stream(id: string, after: number): AsyncGenerator<WireEvent> {
    const response = await this.#send("GET", `${PATHS.graphs}/${encodeURIComponent(id)}/events?after=${after}`);
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        const event = data === undefined ? undefined : (JSON.parse(data) as Partial<WireEvent>);
        // The server's event for a shutdown has no sequence number.
        if (event?.seq !== undefined) yield event as WireEvent;
      }
    }
  }

  async #send(method: string, path: string, body?: Json): Promise<Response> {
    const { url, apiKey } = this.#options;
    const headers: Record<string, string> = { [HEADERS.client]: CLI_CLIENT };
    if (apiKey !== undefined) headers["authorization"] = `Bearer ${apiKey}`;
    if (body !== undefined) headers["content-type"] = "application/json";
    let response;
    try {
      response = await fetch(new URL(path, url), {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
    } catch (error) {
      throw unavailable(url, error);
    }
    if (response.ok) return response;
    throw await refusal(response);
  }
}

function unavailable(url: string, cause: unknown): SvcError {
  return new SvcError("SVC_UNAVAILABLE", `No response from ${url}. Start the app, or set another address with --url.`, {
    cause,
  });
}

/** Turns the server's response into an error, with advice where svc knows the cause. */
async function refusal(response: Response): Promise<SvcError> {
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  const { code, detail = `The server answered ${response.status}` } = problem;
  if (response.status === 401) {
    return new SvcError(
      "SVC_UNAUTHORIZED",
      `${detail}. Set ${VARIABLES.execApiKey} to the key that the app was started with. An app without a key rejects all requests.`,
    );
  }
  return new SvcError(code !== undefined && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : "SVC_INTERNAL", detail);
}
