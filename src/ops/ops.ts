/** The operator screens of the full-stack package, as pages and endpoints of the base app. See screens/ for each screen. */
import { OPS_FORM_BYTES } from "./operator-route.ts";
import {
  notFound,
  readForm,
  redirect,
  route,
  type App,
  type Context,
  type Duration,
  type Entry,
  type Handler,
  type Middleware,
} from "../index.ts";
import { backOf, OperatorGate, OPS_PATH, type Authorize } from "./operator-access.ts";
import { DENSITY_COOKIE, ZONE_COOKIE, zoneOf, type Screens } from "./ops-context.ts";
import { setOpsFlash } from "./ops-flash.ts";
import { compareScreens } from "./screens/runs/compare.tsx";
import { overviewScreen } from "./screens/overview.tsx";
import { deliveryScreens } from "./screens/webhooks/deliveries.tsx";
import { settingsScreen } from "./screens/settings.tsx";
import { goScreen } from "./screens/navigation-list.tsx";
import { deferredScreens } from "./screens/bulk/deferred.tsx";
import { webhookScreens } from "./screens/webhooks/webhooks.tsx";
import { workerScreens } from "./screens/workers.tsx";
import { auditScreen } from "./screens/audit.tsx";
import { replayScreens } from "./screens/webhooks/replay.tsx";
import { queueScreens } from "./screens/queues.tsx";
import { requestScreens } from "./screens/requests.tsx";
import { runScreens } from "./screens/runs/run.tsx";
import { runsScreens } from "./screens/runs/runs.tsx";
import { scheduleScreens } from "./screens/schedules.tsx";

export interface OpsOptions {
  /**
   * Decides who may see the operator screens and who may change anything; called for each request. Other visitors can still sign in with
   * `SVC_EXEC_API_KEY` or, under `svc dev`, with the one-time link that it prints. Default: nobody else.
   */
  authorize?: Authorize;
  /** Additional keys whose values payloads hide, besides those that look like secrets: `["email", "iban"]`. */
  redact?: readonly string[];
  /** How long a bulk action is deferred, so that it can be undone. Default `"5s"`, maximum one hour; `false`: not deferred. */
  undo?: Duration | false;
}

/** Long enough to notice a mistake. */
const UNDO = "5s";
const YEAR_SECONDS = 365 * 86_400;

export function opsEntries(app: () => App, { authorize, redact = [], undo = UNDO }: OpsOptions): Entry[] {
  const gate = new OperatorGate(app, authorize);
  const screens: Screens = { app, gate, redact, undo };
  return [
    ...overviewScreen(screens),
    ...runsScreens(screens),
    ...deferredScreens(screens),
    ...compareScreens(screens),
    ...runScreens(screens),
    ...queueScreens(screens),
    ...webhookScreens(screens),
    ...deliveryScreens(screens),
    ...replayScreens(screens),
    ...workerScreens(screens),
    ...requestScreens(screens),
    ...auditScreen(screens),
    ...settingsScreen(screens),
    ...goScreen(screens),
    ...scheduleScreens(screens),
    route("POST", "/sign-in", signIn(screens), {
      maxBytes: OPS_FORM_BYTES,
      // Check before reading the form: the body of a rate-limited client is not worth reading.
      middleware: [requireAttempt(screens)],
    }),
    route("GET", "/link", openLink(screens)),
    route("POST", "/density", chooseDensity, { maxBytes: OPS_FORM_BYTES }),
    route("POST", "/zone", chooseZone, { maxBytes: OPS_FORM_BYTES }),
    route(
      "POST",
      "/sign-out",
      async (ctx) => {
        await gate.signOut(ctx);
        return redirect(OPS_PATH);
      },
      { maxBytes: OPS_FORM_BYTES },
    ),
  ];
}

async function chooseDensity(ctx: Context): Promise<never> {
  const { fields } = await readForm(ctx, OPS_FORM_BYTES);
  const density = fields["density"] === "compact" ? "compact" : "comfortable";
  ctx.setCookie(DENSITY_COOKIE, density, { path: OPS_PATH, maxAgeSeconds: YEAR_SECONDS });
  return redirect(backOf(fields["back"]));
}

async function chooseZone(ctx: Context): Promise<never> {
  const { fields } = await readForm(ctx, OPS_FORM_BYTES);
  const zone = zoneOf(fields["local"] === undefined ? undefined : fields["zone"]);
  ctx.setCookie(ZONE_COOKIE, zone, { path: OPS_PATH, maxAgeSeconds: YEAR_SECONDS });
  return redirect(backOf(fields["back"]));
}

function requireAttempt({ app }: Screens): Middleware {
  return (ctx, next) => {
    app().operations.requireAttempt(ctx.clientIp);
    return next();
  };
}

function signIn({ app, gate }: Screens): Handler {
  return async (ctx: Context) => {
    const { fields } = await readForm(ctx, OPS_FORM_BYTES);
    const back = backOf(fields["back"]);
    const role = fields["role"] === "read" ? "read" : "operator";
    const isIn = await gate.signIn(ctx, "key", fields["key"] ?? "", role);
    await app().operations.record(isIn ? "ops.sign-in" : "ops.refused", role, {
      by: "operator key",
      address: ctx.clientIp,
    });
    if (!isIn) setOpsFlash(ctx, app(), { tone: "bad", text: "The key is wrong." });
    return redirect(back);
  };
}

/** The URL that `svc dev` prints. */
function openLink({ app, gate }: Screens): Handler {
  return async (ctx: Context) => {
    const { operations } = app();
    if (!operations.hasProof("link")) return notFound();
    const isIn = await gate.signIn(ctx, "link", ctx.query.get("token") ?? "", "operator");
    await operations.record(isIn ? "ops.sign-in" : "ops.refused", "operator", {
      by: "one-time link",
      address: ctx.clientIp,
    });
    if (!isIn) setOpsFlash(ctx, app(), { tone: "bad", text: "This link has expired or has already been used." });
    return redirect(OPS_PATH);
  };
}
