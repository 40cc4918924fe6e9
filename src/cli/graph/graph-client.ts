/** The graphs of a running app, over its operator endpoints (contract section 4). */
import { ERRORS, SvcError, type ErrorCode } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { CLI_CLIENT, HEADERS, PATHS, VARIABLES } from "../../platform/shared/wire.ts";
import type { Snapshot } from "../../graphs/machine/view-types.ts";

/** An event as it is sent. */
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
  /** Milliseconds before a stream that was cut is asked for again. Default 500. */
  retryMs?: number;
}

/** Times a stream is asked for again without a word from the server. */
const MOST_RETRIES = 10;
const ENDS: readonly unknown[] = ["graph.done", "graph.failed"];

export class GraphClient {
  readonly #options: GraphClientOptions;

  constructor(options: GraphClientOptions) {
    this.#options = options;
  }

  /** @throws SvcError as the server refuses it, `SVC_UNAVAILABLE` where none answers. */
  async get<Reply>(path: string): Promise<Reply> {
    return (await (await this.#send("GET", path)).json()) as Reply;
  }

  /** @throws as get */
  async post<Reply>(path: string, body?: Json): Promise<Reply> {
    return (await (await this.#send("POST", path, body)).json()) as Reply;
  }

  graph(id: string): Promise<Snapshot> {
    return this.get(`${PATHS.graphs}/${encodeURIComponent(id)}`);
  }

  /** All events from the first on, and those to come until the graph ends. A stream that is cut is taken up where it ended. */
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
        // A graph that was run again has ended before; the server closes the stream behind the last end.
        if (hasEnded) return;
      } catch (error) {
        // Refusals stay; what was cut may come back.
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
        // The server's word that it is closing has no number.
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
  return new SvcError(
    "SVC_UNAVAILABLE",
    `Nothing answers at ${url}. Start the app, or name another place with --url.`,
    { cause },
  );
}

/** What the server said of itself, with the way out where that is ours to know. */
async function refusal(response: Response): Promise<SvcError> {
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  const { code, detail = `The server answered ${response.status}` } = problem;
  if (response.status === 401) {
    return new SvcError(
      "SVC_UNAUTHORIZED",
      `${detail}. Set ${VARIABLES.execApiKey} to the key that the app was started with; one that was started without lets nobody in.`,
    );
  }
  return new SvcError(code !== undefined && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : "SVC_INTERNAL", detail);
}
