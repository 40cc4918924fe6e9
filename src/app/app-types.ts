/** The type of an app, the result of `createApp`. app.ts implements it. */
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
  /** Default: HOST. With a host or a port, neither SVC_SOCKET nor a socket of systemd is used. */
  host?: string;
  /** Default: PORT; 0 takes any free one. */
  port?: number;
}

export interface Started {
  /** `http://127.0.0.1:3000`, or `http://localhost` for a Unix socket. */
  url: string;
  /** Drains and closes socket and app; `createApp({ drain })` sets the time limits. Safe to call twice. */
  close(): Promise<Drained>;
  /** Longest duration of `close`. */
  readonly drainMs: number;
}

export interface App {
  /** Listens and boots. @throws SvcError `SVC_CONFIG` for invalid variables or a used port, and as `boot`. */
  start(options?: StartOptions): Promise<Started>;
  /** Boots without a socket, for `fetch` and `handler`. Without options, the first request does it. */
  boot(where?: BootOptions): Promise<void>;
  /** Answers a web request. */
  fetch(request: Request, origin?: RequestOrigin): Promise<Response>;
  /**
   * Answers a node request; with `next`, passes on requests without a page, route or file of the app, and the error of a failed boot.
   * Mount it at the root, before body parsers. Never rejects.
   */
  readonly handler: (
    message: IncomingMessage,
    reply: ServerResponse,
    next?: (error?: unknown) => void,
  ) => Promise<void>;
  /**
   * Renders pages that need no request to files, one after the other; boots the app only for this.
   * @param dist output of `svc build`. @throws as `boot`, and SvcError `SVC_DEFINITION` for `entries` that match no file
   */
  exportPages(dist: string): AsyncIterable<ExportStep>;
  /** The complete response to what never became a request: for servers of your own. */
  refuse(error: SvcError): Result;
  /**
   * Available after the boot. In an app without graphs and webhooks, its first use opens the database, and may fail with `SVC_STORE`.
   * @throws SvcError `SVC_UNAVAILABLE` before the boot.
   */
  readonly engine: Engine;
  /** @throws as engine */
  readonly webhooks: Webhooks;
  /** Data and operations for operators, beyond graphs and webhooks. @throws as engine */
  readonly operations: Operations;
  /**
   * Encrypts and authenticates a value (AES-256-GCM under `SVC_SECRET`), for cookies or links in mail.
   * @param purpose a value that is sealed for one purpose opens for no other @param lifetime such as "1h"
   * @throws as engine
   */
  seal(purpose: string, value: Json, lifetime: Duration): string;
  /**
   * The value that was given to `seal`; undefined if it was sealed elsewhere or for another purpose, was changed, or has expired. @throws
   * as engine
   */
  unseal(purpose: string, text: string): Json | undefined;
  /** The app's log, also for your own lines. @throws as `config` */
  readonly log: Log;
  /** The variables this app reads. @throws SvcError `SVC_CONFIG` */
  readonly config: Config;
  /**
   * Public URL of the site without a final slash, for external links: SVC_SITE_URL. In development without it, the address on which the
   * app listens. @throws SvcError `SVC_CONFIG` in production without it.
   */
  readonly siteUrl: string;
  /** Whether the webhook demo is served. */
  readonly hasDemo: boolean;
  /** Base paths of its extensions: `/_svc/ops`. */
  readonly extensionPaths: readonly string[];
  /** Graphs and single workers by name, with their versions. @throws SvcError `SVC_DEFINITION` */
  readonly definitions: ReadonlyMap<string, readonly GraphDefinition[]>;
  /** Paths of the pages as defined: `/`, `/audits/:id`. */
  readonly pagePaths: readonly string[];
  /** URL by which a page may follow a run's events for a day: contains a token for this run. */
  eventsUrl(graphId: string): string;
  /**
   * A token for this run, valid for a day, for the header `X-Svc-Graph-Token`. `read` allows reading and following; `control` also
   * commands and signals, from a page with a CSRF token. Its bearer needs no key, so give it only to people who may have access.
   */
  graphToken(graphId: string, scope: "read" | "control"): string;
  /** Whether a token of `graphToken` allows its bearer to read this run now. */
  mayReadGraph(graphId: string, token: string | undefined): boolean;
  /**
   * Ends event streams, waits for running requests, runs and deliveries (`createApp({ drain })` sets the time limits), and closes the
   * store. Safe to call twice. Stop your own server before, and wait for it afterwards: event streams keep it open. Later requests get
   * 503, `/health` 200.
   */
  close(): Promise<void>;
}
