/**
 * The wire protocol: every built-in path, header, cookie, environment variable and DOM attribute name, defined once.
 *
 * No other file may contain them as literals (test/guards/wire-names.test.ts checks this), so a change of the
 * protocol is a change of this file and is visible in the contract tests.
 */

/** Prefix of every built-in path. */
export const BASE_PATH = "/_svc";

/** Path segment after the prefix, repeated once per failed fetch: `/_svc/~/~/core.js`. */
export const RETRY = "~/";

export const PATHS = {
  loader: "/_svc/loader.js",
  core: "/_svc/core.js",
  /** Parts of the runtime that a page loads only if it uses them. */
  region: "/_svc/region.js",
  create: "/_svc/create.js",
  context: "/_svc/context.js",
  builtins: "/_svc/builtins.js",
  spread: "/_svc/spread.js",
  dynamic: "/_svc/dynamic.js",
  errorBoundary: "/_svc/error-boundary.js",
  createdMoments: "/_svc/created-moments.js",
  widgets: "/_svc/widgets.js",
  image: "/_svc/image.js",
  portals: "/_svc/portals.js",
  attr: "/_svc/attr.js",
  raw: "/_svc/raw.js",
  store: "/_svc/store.js",
  data: "/_svc/data.js",
  act: "/_svc/act.js",
  /** Sends forms of the full-stack variant and applies the returned page. */
  forms: "/_svc/forms.js",
  /** Styles of forms, for apps that list it among their stylesheets. */
  formsCss: "/_svc/forms.css",
  lines: "/_svc/lines.js",
  call: "/_svc/call.js",
  form: "/_svc/form.js",
  moments: "/_svc/moments.js",
  /** Fetches the code of a page's handlers when the browser is idle. */
  prefetch: "/_svc/prefetch.js",
  ref: "/_svc/ref.js",
  fn: "/_svc/fn.js",
  prop: "/_svc/prop.js",
  stream: "/_svc/stream.js",
  resource: "/_svc/resource.js",
  effect: "/_svc/effect.js",
  portal: "/_svc/portal.js",
  boundary: "/_svc/boundary.js",
  select: "/_svc/select.js",
  virtual: "/_svc/virtual.js",
  toast: "/_svc/toast.js",
  /** Replaces the content of a page: used by forms and navigation of the full-stack variant. */
  pageSwap: "/_svc/page-swap.js",
  transferState: "/_svc/reseat.js",
  tokenPart: "/_svc/token.js",
  runtime: "/_svc/runtime.js",
  /**
   * Widgets: first polyfills of browser features, then features that no browser has. Pages load the ones that they use
   * (src/web/ssr/widget-scripts.ts).
   */
  ui: "/_svc/ui.js",
  uiMenu: "/_svc/ui-menu.js",
  uiTheme: "/_svc/ui-theme.js",
  uiGesture: "/_svc/ui-gesture.js",
  uiCss: "/_svc/ui.css",
  flow: "/_svc/flow.js",
  /** Enhanced navigation: `links` detects that a link will be followed, `visit` follows it, `navigate` does so for handlers. */
  links: "/_svc/links.js",
  visit: "/_svc/visit.js",
  navigate: "/_svc/navigate.js",
  /** Scripts and styles of the ops screens at `/_svc/ops` and below. */
  ops: "/_svc/ops.js",
  opsPalette: "/_svc/ops-palette.js",
  opsBrush: "/_svc/ops-brush.js",
  opsEntries: "/_svc/ops-entries.js",
  opsSplitter: "/_svc/ops-splitter.js",
  opsCss: "/_svc/ops.css",
  /** Favicon of the ops screens. Without it, browsers would request an icon from the app, which may have none. */
  opsIcon: "/_svc/ops-icon.svg",
  flowCss: "/_svc/flow.css",
  /** Parts of flow.js: the live connection of a page's widgets, the drawing of a graph, the log of its events. */
  flowLive: "/_svc/flow-live.js",
  flowGraph: "/_svc/flow-graph.js",
  flowLog: "/_svc/flow-log.js",
  benchmark: "/_svc/benchmark.json",
  /** Stores a visitor's theme, in apps with themes. */
  theme: "/_svc/theme",
  /** Followed by a file name: `/_svc/handler/counter-1a2b3c4d.js`. */
  handler: "/_svc/handler",
  /** Chunk of the package: binds elements whose name is a value. */
  elementChunk: "/_svc/handler/element.js",
  island: "/_svc/island",
  /** Hashed, immutable build assets such as stylesheets: `/_svc/asset/app-1a2b3c4d.css`. */
  asset: "/_svc/asset",
  action: "/_svc/action",
  submit: "/_svc/submit",
  /** Returns the visitor's CSRF token for a shared page. */
  token: "/_svc/token",
  webhooks: "/_svc/webhooks",
  deliveries: "/_svc/deliveries",
  graphs: "/_svc/graphs",
  graphsBulk: "/_svc/graphs/bulk",
  schedules: "/_svc/schedules",
  events: "/_svc/events",
  queues: "/_svc/queues",
  audit: "/_svc/audit",
  status: "/_svc/status",
  metrics: "/_svc/metrics",
  /** Receives violation reports of the content security policy, if the app enables them. */
  cspReport: "/_svc/csp-report",
  demo: "/_svc/demo",
  demoInbox: "/_svc/demo/webhook-inbox",
  /** Development only: the script that updates a page when its source changes, and its endpoints (src/cli/dev/dev-endpoints.ts). */
  devClient: "/_svc/dev.js",
  dev: "/_svc/dev",
  devEvents: "/_svc/dev/events",
  devValues: "/_svc/dev/values",
  devFault: "/_svc/dev/fault",
  devOpen: "/_svc/dev/open",
  /** Followed by the path of a stylesheet or another imported file. */
  devFiles: "/_svc/dev/files",
  health: "/health",
  ready: "/ready",
} as const;

/**
 * Scripts that svc's pages include without a nonce if a policy has hashes. Enhanced navigation runs exactly these
 * (src/web/client/navigation/page-scripts.ts), so a path that merely starts like one of them stays inert.
 */
export const PAGE_SCRIPTS = [
  PATHS.loader,
  PATHS.moments,
  PATHS.prefetch,
  PATHS.stream,
  PATHS.links,
  PATHS.uiMenu,
  PATHS.uiTheme,
  PATHS.uiGesture,
] as const;
export type PageScript = (typeof PAGE_SCRIPTS)[number];

/** File in `dist`: lists the exported pages that the server answers with. */
export const STATIC_INDEX = "static.json";

/** Kind of a value in the page's state: a function or computed that the browser creates. */
export const FUNCTION_KIND = 3;
/** Kind of a value in the page's state: the value of a provider of the server, for components that the browser creates. */
export const CONTEXT_KIND = 11;

/** Name among those of live props that stands for all props. */
export const ALL_PROPS = "*";

/** Header names in lower case, as Node returns them; HTTP names are case-insensitive (RFC 9110 section 5.1). */
export const HEADERS = {
  csrf: "x-svc-csrf",
  graphToken: "x-svc-graph-token",
  requestId: "x-request-id",
  /** IETF draft-ietf-httpapi-idempotency-key-header: calls with the same key run once. */
  idempotencyKey: "idempotency-key",
  /** Marks a stored response to an earlier call with the same key. */
  idempotencyReplayed: "idempotency-replayed",
  /**
   * Requests a page for enhanced navigation, in one part (src/web/client/navigation/client-navigation.ts). Only the value `AHEAD`
   * has a meaning.
   */
  navigation: "x-svc-navigation",
  /**
   * On a submit by browser code that can swap pages: the response is the page again on refusal, else the envelope with the
   * redirect.
   */
  swap: "x-svc-swap",
  /**
   * Marks pages that svc rendered. Enhanced navigation accepts only these; app code can't set it (src/app/pipeline/page-mark.ts).
   */
  page: "x-svc-page",
  policy: "content-security-policy",
  /** Names the svc program that calls. Runs that it starts are listed with it as their origin. */
  client: "x-svc-client",
  /** Development only: requests a page with the values of a browser; the value is an id from `devValues`. */
  devValues: "x-svc-dev-values",
} as const;

/** Value of the header `navigation` for a prefetch: nobody has followed the link yet. */
export const AHEAD = "ahead";

/** Value of the header `client` for `svc graph`. */
export const CLI_CLIENT = "cli";

/**
 * Headers of an outgoing delivery, in the spelling on the wire.
 * @example
 * const deliveryId = request.headers.get(DELIVERY_HEADERS.delivery);
 */
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
  /** Name of the session cookie over HTTPS. */
  secureSession: "__Host-svc-session",
  /** Message that the next page shows once; signed. */
  flash: "svc-flash",
} as const;

/** Name of the framework's Trusted Types policy. */
export const TRUSTED_TYPES_POLICY = "svc";

/** Name of the endpoint for reports (`Reporting-Endpoints`). */
export const REPORT_GROUP = "svc";

/** Form field with the CSRF token, for forms without scripts. */
export const CSRF_FIELD = "_csrf";

/** Form field with an idempotency key: the submit runs once, even if it arrives again. */
export const KEY_FIELD = "_key";

/** Form fields that svc adds: the CSRF token, the idempotency key, the page that contains the form, and the form's name on it. */
export const FORM_FIELDS = { csrf: CSRF_FIELD, key: KEY_FIELD, page: "_page", form: "_form" } as const;

/** Variables of earlier versions, with the reason why they have no effect now. */
export const RETIRED_VARIABLES: Readonly<Record<string, string>> = {
  SVC_WRITER_THREAD: "the event loop writes the SQLite database",
};

/** Configuration variables (docs/reference/http.md section 2). */
export const VARIABLES = {
  host: "HOST",
  port: "PORT",
  socket: "SVC_SOCKET",
  nodeEnv: "NODE_ENV",
  dataDir: "SVC_DATA_DIR",
  databaseUrl: "SVC_DATABASE_URL",
  secret: "SVC_SECRET",
  previousSecrets: "SVC_SECRET_PREVIOUS",
  payloadKeys: "SVC_PAYLOAD_KEYS",
  payloadBucket: "SVC_PAYLOAD_BUCKET",
  awsAccessKeyId: "AWS_ACCESS_KEY_ID",
  awsSecretAccessKey: "AWS_SECRET_ACCESS_KEY",
  awsSessionToken: "AWS_SESSION_TOKEN",
  awsRegion: "AWS_REGION",
  webhookUrls: "SVC_WEBHOOK_URLS",
  webhookSecret: "SVC_WEBHOOK_SECRET",
  execApiKey: "SVC_EXEC_API_KEY",
  webhookAllowCidrs: "SVC_WEBHOOK_ALLOW_CIDRS",
  trustProxy: "SVC_TRUST_PROXY",
  siteUrl: "SVC_SITE_URL",
  allowedHosts: "SVC_ALLOWED_HOSTS",
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
  /** Comments around a range of nodes that the browser may replace. */
  rangeStart: "[",
  rangeEnd: "]",
  /** Text of the comment after a part of a component's children that changes, before its number. */
  childPart: "c",
  /** Text of the comment after the children of an element whose name is a value. */
  elementChildren: "p0",
  /** Symbol of the handlers of elements that the browser created in a range. */
  createdHandler: "_c",
  /** Scope attribute: `s="7 counter-1a2b3c4d region store"`. */
  scope: "s",
  /** Key attribute of an element whose position is not static: `b="2"`. */
  key: "b",
  /** Number of a portal in a row or branch: on its content, and on its placeholder. */
  portal: "pt",
  /** Element around the content of a portal that may have several roots. */
  portalTag: "svc-portal",
  /** Start (a comment) and end (an attribute of a `<template>`) of the content of an error boundary. */
  boundary: "eb",
  /** Type of the event that requests a boundary's fallback. */
  caught: "caught",
  /** Prefix of handler attributes: `on:click="h0"`. */
  on: "on:",
  /** Prefix of attributes that name a condition of `preventDefault`: `prevent:keydown="3f9a02c1"`. */
  prevent: "prevent:",
  /** Name of a missing handler: the event only fetches and wakes its scope. */
  noHandler: "_",
  /** After `on:`, for events anywhere in the window: `on:window:resize="h0"`; alone on `<html>` if a page has any. */
  window: "window:",
  /** Media query of an element with `on:media`. */
  media: "m",
  /** Attribute of `<html>`: build id. */
  build: "data-build",
  /** Attribute of `<html>`: mark of the page's Content-Security-Policy (platform/shared/policy-mark.ts). */
  policy: "data-svc-policy",
  /** Attribute of `<html>`: `idle` fetches code when the browser is idle, `none` only at the first event. */
  prefetch: "data-svc-prefetch",
  /** On an element while the code of its handler is loading; `failed` while it can't be fetched. */
  pending: "data-svc-pending",
  /** Element around the placeholder of deferred content: `<svc-wait data-svc-wait="1">`. */
  waitTag: "svc-wait",
  /** Attribute of an element that deferred content replaces. */
  wait: "data-svc-wait",
  /** Attribute of the element that contains deferred content. */
  piece: "data-svc-piece",
  /** Attribute of a script with the state that deferred content adds. */
  more: "data-svc-more",
  /** Event of the window: deferred content has been inserted. */
  arrived: "svc:piece",
  /** Placement of a popover relative to its button: `bottom-start`. */
  place: "data-svc-place",
  /** Attribute of `<html>`: the visitor's theme, in apps with themes. */
  theme: "data-svc-theme",
  /** On the element around the rows of a virtual list. */
  virtual: "data-svc-virtual",
  /** Element of `<Gesture>`. */
  gestureTag: "svc-gesture",
  /** Container of toasts; its value is the label of the close button. */
  toasts: "data-svc-toasts",
  /** On scripts of widgets. A page that replaces another one runs its own. */
  widget: "data-svc-ui",
  /** Element around the markup of a graph (flow.js), and the attribute that marks its stream as open. */
  flowTag: "svc-flow",
  flowLive: "data-live",
  /** Id of the node that an element describes. */
  flowNode: "data-flow-node",
  /** Content of an element: `status`, `done`, `total`, `progress`, `note`, `log`. */
  flow: "data-flow",
  /** Event that it fires for every event of the run. */
  flowEvent: "svc:flow",
  /** Attribute of the script of enhanced navigation: the build of the page. */
  links: "data-svc-links",
  /** Attribute of links and of elements around links: `off` leaves them to the browser. */
  navigation: "data-svc-navigation",
  /** Marks elements that framework scripts have inserted and that belong to no page. */
  own: "data-svc-own",
  announcerTag: "svc-announcer",
  progressTag: "svc-progress",
  /** Event of the window: enhanced navigation has shown a page. */
  navigated: "svc:navigated",
  /** Start of the comment before the content of a layout, followed by the layout's key; and the comment after the content. */
  slot: "svc:slot ",
  slotEnd: "/svc:slot",
  /** Element around a widget that the server updates, and the event that it fires after an update. */
  liveTag: "svc-live",
  /** First event of the stream of a page's widgets: the server's time in Unix milliseconds. */
  liveNow: "now",
  /** Event with which a stream asks the page for a new address. */
  liveRenew: "renew",
  /** Most widgets per connection: URLs have a maximum length, and each widget costs server work. */
  liveMost: 20,
  flowPatch: "svc:patch",
  /** On a form that forms.js may send. */
  form: "data-svc-form",
  /** On an element that shows the upload progress of a form's files. */
  formProgress: "data-svc-progress",
  /** On a file field: maximum file size in bytes. */
  fileBytes: "data-svc-max-bytes",
  /** Translated texts of a form, as JSON: English text -> text. */
  formTexts: "data-svc-texts",
  /** On an element of a form in which forms.js shows messages that no page shows. */
  formNews: "data-svc-news",
  /** Events of a form: before it is sent (cancelable), during the upload of its files, on success, on failure. */
  formSend: "form-send",
  formProgressed: "form-progress",
  formDone: "form-done",
  formFailed: "form-failed",
  /** Global queue of events that occurred before the loader arrived. */
  queue: "$svc",
  /** Development only: id of the script with the fault, on the fault page. */
  faultId: "svc-fault",
  /** id of the element with the fault that a development page shows with its `_error.tsx`. */
  caughtId: "svc-caught",
  /** Development only: attribute of the development script with the build of the page. */
  devBuild: "data-svc-build",
} as const;

export const WEBHOOK_EVENTS = ["graph.done", "graph.failed", "graph.paused"] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Status of a run on the wire (docs/reference/http.md section 4). */
export const GRAPH_STATUSES = ["pending", "running", "paused", "done", "failed"] as const;
export type GraphStatus = (typeof GRAPH_STATUSES)[number];

/**
 * Stored status of a run, by which filters select and counts are kept. Snapshots, events and webhooks show a cancelled run as failed,
 * a parked one as paused, and a queued one as pending.
 */
export const RUN_STATUSES = [...GRAPH_STATUSES, "cancelled", "parked", "queued"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/**
 * @returns the status on the wire, where a cancelled run has failed with the reason `cancelled`, a parked one is paused, and a queued one,
 * which waits for a key of its graph, is pending.
 */
export function wireStatus(status: RunStatus): GraphStatus {
  if (status === "parked") return "paused";
  if (status === "queued") return "pending";
  return status === "cancelled" ? "failed" : status;
}

/**
 * Origin of a run: an action, a form or another route of the app, the HTTP API, `svc graph`, an operator's screen, a schedule, an
 * event, a node of another run, a fork, or code of the app.
 */
export const GRAPH_ORIGINS = [
  "action",
  "form",
  "route",
  "api",
  "cli",
  "operator",
  "schedule",
  "event",
  "graph",
  "fork",
  "code",
] as const;
export type GraphOrigin = (typeof GRAPH_ORIGINS)[number];

/** Response envelope of actions and submits (docs/reference/http.md section 1). */
export type ActionReply =
  | { ok: true; value: unknown; error: null; redirect?: string }
  | { ok: false; value: null; error: string; issues?: { path: (string | number)[]; message: string }[] };

/** Value of `Accept` that requests the values of an action one by one; the response has it as its type. */
export const ACTION_STREAM_TYPE = "application/x-ndjson";

/** A line of such a response: a value, or at the end the envelope with its status. Empty lines are heartbeats. */
export type ActionLine = { value: unknown } | (ActionReply & { status: number });
