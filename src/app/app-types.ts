/** The face of an app: what `createApp` gives. How it works is app.ts. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestOrigin } from "../platform/http/http.ts";
import type { Result } from "../platform/http/types.ts";
import type { GraphDefinition } from "../graphs/definition/definition-types.ts";
import type { Engine } from "../graphs/engine/engine-types.ts";
import type { Duration } from "../platform/shared/clock.ts";
import type { SvcError } from "../platform/shared/errors.ts";
import type { Json } from "../platform/shared/json.ts";
import type { Log } from "../platform/shared/log.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { Config } from "./lifecycle/config.ts";
import type { Drained } from "./lifecycle/drain.ts";
import type { BootOptions } from "./options.ts";
import type { Operations } from "./observability/operations-types.ts";
import type { ExportStep } from "./pages/static-export.ts";

export interface StartOptions extends Omit<BootOptions, "url"> {
  /** Default: HOST. */
  host?: string;
  /** Default: PORT; 0 takes any free one. */
  port?: number;
}

export interface Started {
  /** `http://127.0.0.1:3000` */
  url: string;
  /** Drains and closes socket and app: `createApp({ drain })` says how long that may take. Safe to call twice. */
  close(): Promise<Drained>;
  /** Longest that `close` should take. */
  readonly drainMs: number;
}

export interface App {
  /** Listens and boots. @throws SvcError `SVC_CONFIG` for bad variables or a taken port, and as `boot`. */
  start(options?: StartOptions): Promise<Started>;
  /** Boots without a socket, for `fetch` and `handler`; the first request does it by itself where nothing need be told. */
  boot(where?: BootOptions): Promise<void>;
  /** Answers a web request. */
  fetch(request: Request, origin?: RequestOrigin): Promise<Response>;
  /**
   * Answers a node request; with `next`, passes on what the app has no page, route or file for, and the error of a boot
   * that failed. Mounted at the root, ahead of whatever reads bodies. Never rejects.
   */
  readonly handler: (
    message: IncomingMessage,
    reply: ServerResponse,
    next?: (error?: unknown) => void,
  ) => Promise<void>;
  /**
   * Makes files of the pages that need no request, one after the other; boots the app for nothing else.
   * @param dist as `svc build` wrote it. @throws as `boot`, and SvcError `SVC_DEFINITION` for `entries` that fit no file
   */
  exportPages(dist: string): AsyncIterable<ExportStep>;
  /** The answer, with all its headers, to what never became a request: for those who listen themselves. */
  refuse(error: SvcError): Result;
  /**
   * There once the app has booted. Of an app without graphs and webhooks its first use opens the database, and may fail with `SVC_STORE`.
   * @throws SvcError `SVC_UNAVAILABLE` before the app has booted.
   */
  readonly engine: Engine;
  /** @throws as engine */
  readonly webhooks: Webhooks;
  /** What those who run the app see and do beyond graphs and webhooks. @throws as engine */
  readonly operations: Operations;
  /**
   * Makes a value unreadable and unchangeable to who carries it (AES-256-GCM under `SVC_SECRET`): for cookies, links in mail.
   * @param purpose what it is for: sealed for one, it opens for no other @param lifetime how long it is good, such as "1h"
   * @throws as engine
   */
  seal(purpose: string, value: Json, lifetime: Duration): string;
  /** What `seal` was given; undefined where it was not sealed here for this purpose, was changed, or is over. @throws as engine */
  unseal(purpose: string, text: string): Json | undefined;
  /** Where this app's lines go, for lines of your own. @throws as `config` */
  readonly log: Log;
  /** The variables this app reads. @throws SvcError `SVC_CONFIG` */
  readonly config: Config;
  /**
   * Where visitors reach the site, without a slash at its end, for links that leave it: SVC_SITE_URL. In development, where
   * that is not set, where apps listen. @throws SvcError `SVC_CONFIG` in production without it.
   */
  readonly siteUrl: string;
  /** Whether the webhook demo is served. */
  readonly hasDemo: boolean;
  /** Where its extensions begin: `/_svc/ops`. */
  readonly extensionPaths: readonly string[];
  /** Graphs, and workers alone, by the names they are started with; of each its versions. @throws SvcError `SVC_DEFINITION` */
  readonly definitions: ReadonlyMap<string, readonly GraphDefinition[]>;
  /** Paths of the pages, as defined: `/`, `/audits/:id`. */
  readonly pagePaths: readonly string[];
  /** Where a page may follow a graph's events, for a day: holds a token that reads this one graph. */
  eventsUrl(graphId: string): string;
  /**
   * A token for this one graph, for a day, as header `X-Svc-Graph-Token`. `read` looks and follows; `control` also steers and
   * sends signals, from a page that holds a CSRF token. Whoever has it needs no key: give it to whom you would let in.
   */
  graphToken(graphId: string, scope: "read" | "control"): string;
  /** Whether a token of `graphToken` lets its bearer look at this graph now: it is for this one, is not over, and was made here. */
  mayReadGraph(graphId: string, token: string | undefined): boolean;
  /**
   * Ends event streams, waits for requests, graphs and deliveries under way (`createApp({ drain })` says how long), closes the
   * store. Safe to call twice. A server of your own is told to close before, and waited for after: event streams hold it open.
   * What asks after that is answered 503, at `/health` 200.
   */
  close(): Promise<void>;
}
