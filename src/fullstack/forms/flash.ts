/** Messages for the next page: set before a redirect, shown once. They travel in a signed cookie, so nobody else can set them. */
import { SvcError, type Context } from "../../index.ts";
import { COOKIES } from "../../internal.ts";
import { html, spread, t, type Child } from "../../jsx-runtime.ts";
import { usePage } from "../page-scope.ts";

export interface FlashMessage {
  /** Kind for styles: `svc-flash-success`. */
  kind: "success" | "info" | "warning" | "error";
  text: string;
}

/** A redirect leads to the next page within this time. */
const MAX_AGE_S = 60;
/** Cookies have at most 4 KB, and a message is one sentence. */
const MAX_TEXT = 500;

/** Messages that the page of a request has already read. */
const taken = new WeakMap<Context, FlashMessage[]>();

/**
 * Shows a message on the visitor's next page with a `<Flash />`; several messages are shown together.
 * @throws SvcError `SVC_DEFINITION` for more than 500 characters
 * @example
 * submit("save", { schema: Title }, (_input, { ctx }) => {
 *   flash(ctx, "Saved");
 *   redirect("/");
 * });
 */
export function flash(ctx: Context, message: FlashMessage | string): void {
  const { kind, text } = typeof message === "string" ? { kind: "success" as const, text: message } : message;
  if (text.length > MAX_TEXT)
    throw new SvcError("SVC_DEFINITION", `flash was given ${text.length} characters; the limit is ${MAX_TEXT}`);
  const all = [...(set.get(ctx) ?? []), { kind, text }].slice(-3);
  set.set(ctx, all);
  ctx.setCookie(COOKIES.flash, JSON.stringify(all), { signed: true, maxAgeSeconds: MAX_AGE_S });
}

const set = new WeakMap<Context, FlashMessage[]>();

/**
 * Takes the messages for this page, for your own markup. They are not shown again.
 * @example
 * <ul>
 *   {takeFlash(ctx).map((message) => (
 *     <li>{message.text}</li>
 *   ))}
 * </ul>
 */
export function takeFlash(ctx: Context): readonly FlashMessage[] {
  const known = taken.get(ctx);
  if (known) return known;
  const text = ctx.signedCookie(COOKIES.flash);
  const messages = text === undefined ? [] : (JSON.parse(text) as FlashMessage[]);
  taken.set(ctx, messages);
  // The visitor may never see a prefetched page, so it does not take messages.
  if (messages.length > 0 && !/prefetch/.test(ctx.header("sec-purpose") ?? "")) ctx.deleteCookie(COOKIES.flash);
  return messages;
}

/**
 * Shows the messages that the previous request set with `flash`. Put it into a layout. Screen readers announce it.
 * @example
 * <main>
 *   <Flash class="notice" />
 * </main>
 */
export function Flash(props: { class?: string }): Child {
  const { ctx } = usePage("Flash");
  return html(() => {
    const items = takeFlash(ctx).map(({ kind, text }) => `<p class="svc-flash-${kind}">${t(text)}</p>`);
    return `<div${spread({ class: props.class ?? "svc-flash", role: "status" }, [])}>${items.join("")}</div>`;
  });
}
