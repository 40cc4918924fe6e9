/** A POST route for an operator action on a screen: checks the role, records the actor, and shows the result on the next screen. */
import {
  forbidden,
  readForm,
  redirect,
  route,
  SvcError,
  unauthorized,
  type App,
  type Context,
  type Handler,
  type Middleware,
  type RouteDefinition,
} from "../index.ts";
import { isUnreadable } from "../internal.ts";
import type { AuditContext } from "../graph.ts";
import { backOf, type Visitor } from "./operator-access.ts";
import type { Screens } from "./ops-context.ts";
import { setOpsFlash, type OpsFlash } from "./ops-flash.ts";

export interface Step {
  readonly app: App;
  readonly params: Readonly<Record<string, string>>;
  /** The form's fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** Actor, reason and address, for the audit trail. */
  readonly auditContext: AuditContext;
  readonly nowMs: number;
}

/** The message to show, and the URL to redirect to if it is not the previous screen. An empty text shows no message. */
export type StepResult = OpsFlash & { to?: string };

/**
 * @param path below the path of the screens. The route itself checks the CSRF token. @param maxBytes of the form; default 16 KiB @param run
 * a thrown `SvcError` below 500, or about a value that can't be read, is shown as a message; other errors are server errors
 */
export function operatorRoute(
  { app, gate }: Screens,
  path: string,
  run: (step: Step) => Promise<StepResult>,
  maxBytes = OPS_FORM_BYTES,
): RouteDefinition {
  const operatorOf = async (ctx: Context): Promise<Visitor> => {
    const access = await gate.access(ctx);
    if ("denial" in access) return unauthorized("Sign in to the operator screens first");
    if (access.visitor.role !== "operator") return forbidden("Read-only access: the operator role is required");
    return access.visitor;
  };
  // Check before reading the form: a stranger's body is not worth reading.
  const requireOperator: Middleware = async (ctx, next) => {
    await operatorOf(ctx);
    return next();
  };
  const handler: Handler = async (ctx) => {
    const { name } = await operatorOf(ctx);
    const { fields } = await readForm(ctx, maxBytes);
    const note = fields["note"]?.trim().slice(0, MAX_NOTE_LENGTH);
    const auditContext = { by: name, address: ctx.clientIp, ...(note && { note }) };
    const step = { app: app(), params: ctx.params, fields, auditContext, nowMs: app().operations.nowMs() };
    const { to, ...flash } = await run(step).catch(asFlash);
    if (flash.text !== "") setOpsFlash(ctx, app(), flash);
    return redirect(to ?? backOf(fields["list"] ?? fields["back"]));
  };
  return route("POST", path, handler, { maxBytes, middleware: [requireOperator] });
}

/** Forms with a token, a few choices and a reason. */
export const OPS_FORM_BYTES = 16 * 1024;
/** Forms with long texts: URLs and headers of a webhook, a page of selected runs. */
export const LONG_FORM_BYTES = 64 * 1024;
/** Forms with an input or a payload, which may have the maximum length that a graph accepts, percent-encoded. */
export const INPUT_FORM_BYTES = 1024 * 1024;
const MAX_NOTE_LENGTH = 500;

function asFlash(error: unknown): StepResult {
  if (error instanceof SvcError && (error.status < 500 || isUnreadable(error)))
    return { tone: "bad", text: error.message };
  throw error;
}
