/** Messages for the page that comes after this answer: set by what redirects, shown once. In a signed cookie, so that nobody else can. */
import { SvcError, type Context } from "../../index.ts";
import { COOKIES } from "../../internal.ts";
import { html, spread, t, type Child } from "../../jsx-runtime.ts";
import { usePage } from "../page-scope.ts";

export interface FlashMessage {
  /** What it is, for styles: `svc-flash-success`. */
  kind: "success" | "info" | "warning" | "error";
  text: string;
}

/** Nobody waits longer for the page that a redirect leads to. */
const MAX_AGE_S = 60;
/** Cookies hold 4 KB, and a message is a sentence. */
const MAX_TEXT = 500;

/** Messages of requests whose page takes them itself. */
const taken = new WeakMap<Context, FlashMessage[]>();

/**
 * Has the next page of this visitor show a message, where it has a `<Flash />`; several are shown together.
 * @throws SvcError `SVC_DEFINITION` for one that is longer than 500 characters
 */
export function flash(ctx: Context, message: FlashMessage | string): void {
  const { kind, text } = typeof message === "string" ? { kind: "success" as const, text: message } : message;
  if (text.length > MAX_TEXT)
    throw new SvcError(
      "SVC_DEFINITION",
      `flash was given ${text.length} characters; a message has ${MAX_TEXT} at most`,
    );
  const all = [...(set.get(ctx) ?? []), { kind, text }].slice(-3);
  set.set(ctx, all);
  ctx.setCookie(COOKIES.flash, JSON.stringify(all), { signed: true, maxAgeSeconds: MAX_AGE_S });
}

const set = new WeakMap<Context, FlashMessage[]>();

/** The messages for this page, for markup of one's own; from then on they are gone. */
export function takeFlash(ctx: Context): readonly FlashMessage[] {
  const known = taken.get(ctx);
  if (known) return known;
  const text = ctx.signedCookie(COOKIES.flash);
  const messages = text === undefined ? [] : (JSON.parse(text) as FlashMessage[]);
  taken.set(ctx, messages);
  // A page that is fetched ahead is not one that was seen.
  if (messages.length > 0 && !/prefetch/.test(ctx.header("sec-purpose") ?? "")) ctx.deleteCookie(COOKIES.flash);
  return messages;
}

/** Shows what `flash` was told on the request before; for a layout. Announced by screen readers. */
export function Flash(props: { class?: string }): Child {
  const { ctx } = usePage("Flash");
  return html(() => {
    const items = takeFlash(ctx).map(({ kind, text }) => `<p class="svc-flash-${kind}">${t(text)}</p>`);
    return `<div${spread({ class: props.class ?? "svc-flash", role: "status" }, [])}>${items.join("")}</div>`;
  });
}
