/**
 * The wire: every built-in path, header, cookie, environment variable and DOM attribute name, once.
 *
 * No other file may spell these as literals (held by: test/guards/wire-names.test.ts), so a change of the
 * protocol is a change of this file and shows in the contract tests.
 */

/** Prefix of every built-in path. */
export const BASE_PATH = "/_svc";

/** Between prefix and file name, once for each time that something could not be fetched: `/_svc/~/~/core.js`. */
export const RETRY = "~/";

export const PATHS = {
  loader: "/_svc/loader.js",
  core: "/_svc/core.js",
  /** Parts of the runtime that a page loads only where it uses them. */
  region: "/_svc/region.js",
  attr: "/_svc/attr.js",
  store: "/_svc/store.js",
  data: "/_svc/data.js",
  act: "/_svc/act.js",
  /** Sends forms of the full-stack variant and takes in the page that comes back. */
  forms: "/_svc/forms.js",
  /** Looks of forms, for apps that name it among their stylesheets. */
  formsCss: "/_svc/forms.css",
  lines: "/_svc/lines.js",
  call: "/_svc/call.js",
  form: "/_svc/form.js",
  moments: "/_svc/moments.js",
  ref: "/_svc/ref.js",
  fn: "/_svc/fn.js",
  stream: "/_svc/stream.js",
  resource: "/_svc/resource.js",
  effect: "/_svc/effect.js",
  portal: "/_svc/portal.js",
  boundary: "/_svc/boundary.js",
  select: "/_svc/select.js",
  virtual: "/_svc/virtual.js",
  toast: "/_svc/toast.js",
  /** Of pages that become others: forms and navigation of the full-stack variant. */
  pageSwap: "/_svc/page-swap.js",
  transferState: "/_svc/reseat.js",
  tokenPart: "/_svc/token.js",
  runtime: "/_svc/runtime.js",
  /** Of the widgets: what browsers may lack, and then what none has; loaded by pages that use it (src/web/ssr/widget-scripts.ts). */
  ui: "/_svc/ui.js",
  uiMenu: "/_svc/ui-menu.js",
  uiTheme: "/_svc/ui-theme.js",
  uiGesture: "/_svc/ui-gesture.js",
  uiCss: "/_svc/ui.css",
  flow: "/_svc/flow.js",
  /** Enhanced navigation: sees in the page that a link is about to be followed; follows it; does so for handlers. */
  links: "/_svc/links.js",
  visit: "/_svc/visit.js",
  navigate: "/_svc/navigate.js",
  /** Of the operators' screens, which are at `/_svc/ops` and below. */
  ops: "/_svc/ops.js",
  opsPalette: "/_svc/ops-palette.js",
  opsBrush: "/_svc/ops-brush.js",
  opsEntries: "/_svc/ops-entries.js",
  opsSplitter: "/_svc/ops-splitter.js",
  opsCss: "/_svc/ops.css",
  /** The mark of the screens in a tab: browsers would ask the app for an icon, which it may not have. */
  opsIcon: "/_svc/ops-icon.svg",
  flowCss: "/_svc/flow.css",
  /** Parts of flow.js: the connection of a page's widgets, the picture of a graph, the log of its events. */
  flowLive: "/_svc/flow-live.js",
  flowGraph: "/_svc/flow-graph.js",
  flowLog: "/_svc/flow-log.js",
  benchmark: "/_svc/benchmark.json",
  /** Takes a visitor's choice, where the app has themes. */
  theme: "/_svc/theme",
  /** Followed by a file name: `/_svc/handler/counter-1a2b3c4d.js`. */
  handler: "/_svc/handler",
  island: "/_svc/island",
  /** Hashed, immutable build assets such as stylesheets: `/_svc/asset/app-1a2b3c4d.css`. */
  asset: "/_svc/asset",
  action: "/_svc/action",
  submit: "/_svc/submit",
  /** Gives a page that many share the CSRF token of its visitor. */
  token: "/_svc/token",
  webhooks: "/_svc/webhooks",
  deliveries: "/_svc/deliveries",
  graphs: "/_svc/graphs",
  graphsBulk: "/_svc/graphs/bulk",
  schedules: "/_svc/schedules",
  queues: "/_svc/queues",
  audit: "/_svc/audit",
  status: "/_svc/status",
  metrics: "/_svc/metrics",
  /** Where browsers tell of what the policy refused, where the app asks for it. */
  cspReport: "/_svc/csp-report",
  demo: "/_svc/demo",
  demoInbox: "/_svc/demo/webhook-inbox",
  /** Development only: the script that keeps a page equal to its source, and what it talks to (src/cli/dev/dev-endpoints.ts). */
  devClient: "/_svc/dev.js",
  dev: "/_svc/dev",
  devEvents: "/_svc/dev/events",
  devValues: "/_svc/dev/values",
  devFault: "/_svc/dev/fault",
  devOpen: "/_svc/dev/open",
  health: "/health",
  ready: "/ready",
} as const;

/**
 * Scripts that svc's pages name without a nonce where a policy has hashes. Enhanced navigation runs exactly these
 * (src/web/client/navigation/page-scripts.ts), so a path that merely begins like them stays inert.
 */
export const PAGE_SCRIPTS = [
  PATHS.loader,
  PATHS.moments,
  PATHS.stream,
  PATHS.links,
  PATHS.uiMenu,
  PATHS.uiTheme,
  PATHS.uiGesture,
] as const;
export type PageScript = (typeof PAGE_SCRIPTS)[number];

/** In `dist`: which of the exported pages a start answers with. */
export const STATIC_INDEX = "static.json";

/** Header names in lower case, as Node gives them; HTTP names are case-insensitive (RFC 9110 section 5.1). */
export const HEADERS = {
  csrf: "x-svc-csrf",
  graphToken: "x-svc-graph-token",
  requestId: "x-request-id",
  /** IETF draft-ietf-httpapi-idempotency-key-header: calls with the same key run once. */
  idempotencyKey: "idempotency-key",
  /** On an answer that was given before, to an earlier call with the same key. */
  idempotencyReplayed: "idempotency-replayed",
  /** Asks for a page in one part, to be put into the document that is there (src/web/client/navigation/client-navigation.ts); of its values only `AHEAD` says more. */
  navigation: "x-svc-navigation",
  /** On a submit of browser code that takes pages in: the page again where it is refused, else the envelope with where to go. */
  swap: "x-svc-swap",
  /** On pages that svc rendered. Only these are put into the document that is there; app code can't set it (src/app/pipeline/page-mark.ts). */
  page: "x-svc-page",
  policy: "content-security-policy",
  /** Says of a call which program of ours it comes from: what it starts is listed as started by that. */
  client: "x-svc-client",
  /** Development only: asks for a page with the values that a browser has; an id that `devValues` gave. */
  devValues: "x-svc-dev-values",
} as const;

/** In the header `navigation`: nobody has followed the link to that page yet. */
export const AHEAD = "ahead";

/** `svc graph`, in the header `client`. */
export const CLI_CLIENT = "cli";

/** Headers of an outgoing delivery, in the spelling that is sent. */
export const DELIVERY_HEADERS = {
  signature: "X-Svc-Signature",
  event: "X-Svc-Event",
  delivery: "X-Svc-Delivery",
  attempt: "X-Svc-Attempt",
  standardId: "webhook-id",
  standardTimestamp: "webhook-timestamp",
  standardSignature: "webhook-signature",
} as const;

/** W3C Trace Context. */
export const TRACE_HEADERS = { parent: "traceparent", state: "tracestate" } as const;

export const COOKIES = {
  csrf: "__svc-csrf",
  theme: "svc-theme",
  session: "svc-session",
  /** Over HTTPS. */
  secureSession: "__Host-svc-session",
  /** What the next page tells once; signed. */
  flash: "svc-flash",
} as const;

/** Name of the framework's Trusted Types policy. */
export const TRUSTED_TYPES_POLICY = "svc";

/** Name of the endpoint that reports go to (`Reporting-Endpoints`). */
export const REPORT_GROUP = "svc";

/** Form field that carries the CSRF token where no script runs. */
export const CSRF_FIELD = "_csrf";

/** Form field that names what is sent, so that it runs once however often it comes. */
export const KEY_FIELD = "_key";

/** Form fields that are not the form's own: the token, what names this one intent, the page that the form stands in, and which of its forms it is. */
export const FORM_FIELDS = { csrf: CSRF_FIELD, key: KEY_FIELD, page: "_page", form: "_form" } as const;

/** Variables that earlier versions read, with the reason why they have no effect now. */
export const RETIRED_VARIABLES: Readonly<Record<string, string>> = {
  SVC_WRITER_THREAD: "the event loop writes the SQLite database",
};

/** Configuration variables (contract section 2). */
export const VARIABLES = {
  host: "HOST",
  port: "PORT",
  nodeEnv: "NODE_ENV",
  dataDir: "SVC_DATA_DIR",
  databaseUrl: "SVC_DATABASE_URL",
  secret: "SVC_SECRET",
  previousSecrets: "SVC_SECRET_PREVIOUS",
  webhookUrls: "SVC_WEBHOOK_URLS",
  webhookSecret: "SVC_WEBHOOK_SECRET",
  execApiKey: "SVC_EXEC_API_KEY",
  webhookAllowCidrs: "SVC_WEBHOOK_ALLOW_CIDRS",
  trustProxy: "SVC_TRUST_PROXY",
  siteUrl: "SVC_SITE_URL",
  rateActions: "SVC_RATE_ACTIONS",
  rateSubmits: "SVC_RATE_SUBMITS",
  rateFile: "SVC_RATE_FILE",
  bodyMemoryBytes: "SVC_BODY_MEMORY_BYTES",
  retention: "SVC_RETENTION",
  graphInputBytes: "SVC_GRAPH_INPUT_BYTES",
  graphResultBytes: "SVC_GRAPH_RESULT_BYTES",
  graphEventBytes: "SVC_GRAPH_EVENT_BYTES",
  progressRate: "SVC_PROGRESS_RATE",
  pauseGrace: "SVC_PAUSE_GRACE",
  graphConcurrency: "SVC_GRAPH_CONCURRENCY",
  webhookPayloadBytes: "SVC_WEBHOOK_PAYLOAD_BYTES",
  webhookConnections: "SVC_WEBHOOK_CONNECTIONS",
  role: "SVC_ROLE",
  workers: "SVC_WORKERS",
  logLevel: "SVC_LOG_LEVEL",
  otlpEndpoint: "OTEL_EXPORTER_OTLP_ENDPOINT",
  otlpHeaders: "OTEL_EXPORTER_OTLP_HEADERS",
  serviceName: "OTEL_SERVICE_NAME",
  samplerArg: "OTEL_TRACES_SAMPLER_ARG",
} as const;

/** DOM names of the resume protocol (docs/resume-protocol.md). */
export const DOM = {
  /** id of the state script element. */
  stateId: "svc-state",
  /** Scope attribute: `s="7 counter-1a2b3c4d region store"`. */
  scope: "s",
  /** Key attribute of an element whose position is not static: `b="2"`. */
  key: "b",
  /** Number of a portal in a row or branch: on its content, and on what stands in its stead. */
  portal: "pt",
  /** Start (a comment) and end (an attribute of a `<template>`) of what an error boundary holds. */
  boundary: "eb",
  /** Type of the event that asks for a boundary's fallback. */
  caught: "caught",
  /** Prefix of handler attributes: `on:click="h0"`. */
  on: "on:",
  /** A handler that there isn't: the event does no more than fetch and wake its scope. */
  noHandler: "_",
  /** Behind `on:`, for events wherever they happen: `on:window:resize="h0"`; alone on `<html>` where a page has any. */
  window: "window:",
  /** Media query of an element with `on:media`. */
  media: "m",
  /** Attribute of `<html>`: build id. */
  build: "data-build",
  /** Attribute of `<html>`: mark of the page's Content-Security-Policy (platform/shared/policy-mark.ts). */
  policy: "data-svc-policy",
  /** Attribute of `<html>`: `idle` warms chunks up when the browser is idle. */
  prefetch: "data-svc-prefetch",
  /** Set on an element while the code of its handler is on the way; `failed` while that can't be fetched. */
  pending: "data-svc-pending",
  /** Element around what is shown until a late piece of the page is there: `<svc-wait data-svc-wait="1">`. */
  waitTag: "svc-wait",
  /** Attribute of an element whose place a late piece takes. */
  wait: "data-svc-wait",
  /** Attribute of the element that holds a late piece. */
  piece: "data-svc-piece",
  /** Attribute of a script with what a late piece adds to the state. */
  more: "data-svc-more",
  /** Event of the window: a late piece has come to its place. */
  arrived: "svc:piece",
  /** Where a popover stands beside its button: `bottom-start`. */
  place: "data-svc-place",
  /** Attribute of `<html>`: the theme that the visitor has chosen, in apps with themes. */
  theme: "data-svc-theme",
  /** On the element around the rows of a virtual list. */
  virtual: "data-svc-virtual",
  /** Element of `<Gesture>`. */
  gestureTag: "svc-gesture",
  /** Where toasts are shown; its value names the button that closes one. */
  toasts: "data-svc-toasts",
  /** On scripts of widgets: a page that takes over another runs those of it. */
  widget: "data-svc-ui",
  /** Element around the markup of a graph (flow.js), and what tells that its stream is open. */
  flowTag: "svc-flow",
  flowLive: "data-live",
  /** Id of the node that an element is about. */
  flowNode: "data-flow-node",
  /** What an element shows: `status`, `done`, `total`, `progress`, `note`, `log`. */
  flow: "data-flow",
  /** Fired by it for every event of the graph. */
  flowEvent: "svc:flow",
  /** Attribute of the script of enhanced navigation: the build that made the page. */
  links: "data-svc-links",
  /** Attribute of links, and of elements around some: `off` leaves them to the browser. */
  navigation: "data-svc-navigation",
  /** Marks elements that scripts of the framework have put into the page: no page's content. */
  own: "data-svc-own",
  announcerTag: "svc-announcer",
  progressTag: "svc-progress",
  /** Fired at the window when enhanced navigation has shown a page. */
  navigated: "svc:navigated",
  /** What a comment begins with before the content of a layout, with the layout's key behind it; and the comment after it. */
  slot: "svc:slot ",
  slotEnd: "/svc:slot",
  /** Element around a widget that the server keeps up to date, and what it fires when that has happened. */
  liveTag: "svc-live",
  /** Event at the beginning of the stream of a page's widgets: the server's time in Unix milliseconds. */
  liveNow: "now",
  /** What one connection of a page's widgets follows: an address has a length, and a server something to do for each. */
  liveMost: 20,
  flowPatch: "svc:patch",
  /** On a form that forms.js may send. */
  form: "data-svc-form",
  /** On what shows how far a form's files have got. */
  formProgress: "data-svc-progress",
  /** On a file field: longest file that it takes, in bytes. */
  fileBytes: "data-svc-max-bytes",
  /** On an element of a form in which forms.js tells of what no page tells. */
  formNews: "data-svc-news",
  /** Fired by a form: before it is sent (may be cancelled), while its files are, once it was taken, once it was not. */
  formSend: "form-send",
  formProgressed: "form-progress",
  formDone: "form-done",
  formFailed: "form-failed",
  /** Global queue of events caught before the loader has arrived. */
  queue: "$svc",
  /** Development only: id of the script that holds a fault, on the page that tells of it. */
  faultId: "svc-fault",
  /** Development only: attribute of the development script that tells which build made the page. */
  devBuild: "data-svc-build",
} as const;

export const WEBHOOK_EVENTS = ["graph.done", "graph.failed", "graph.paused"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Wire status of a graph (contract section 4). */
export const GRAPH_STATUSES = ["pending", "running", "paused", "done", "failed"] as const;
export type GraphStatus = (typeof GRAPH_STATUSES)[number];

/**
 * What starts a graph: an action, a form or another route of the app, the endpoint, `svc graph`, an operator's screen, a schedule, a node
 * of another graph, a fork, or the app's code by itself.
 */
export const GRAPH_ORIGINS = [
  "action",
  "form",
  "route",
  "api",
  "cli",
  "operator",
  "schedule",
  "graph",
  "fork",
  "code",
] as const;
export type GraphOrigin = (typeof GRAPH_ORIGINS)[number];

/** Reply envelope of actions and submits (contract section 1). */
export type ActionReply =
  | { ok: true; value: unknown; error: null; redirect?: string }
  | { ok: false; value: null; error: string; issues?: { path: (string | number)[]; message: string }[] };

/** What a caller accepts who wants the values of an action one by one; the answer has it as its type. */
export const ACTION_STREAM_TYPE = "application/x-ndjson";

/** A line of such an answer: a value; last the envelope, with the status that it would have had. Empty ones say that the connection lives. */
export type ActionLine = { value: unknown } | (ActionReply & { status: number });
