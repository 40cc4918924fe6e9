/** Serves one entry of an input or result, without hidden values: as text for copying, and as an image if it contains one. */
import { notFound, route, type Context, type Entry, type Result } from "../../index.ts";
import type { Json } from "../../graph.ts";
import { OPS_PATH } from "../operator-access.ts";
import type { Screens } from "../ops-context.ts";
import { pictureOf } from "../views/runs/binary.ts";
import { redacted } from "../views/runs/payload.ts";
import { atPointer } from "../views/json-pointer.ts";
import type { RunQuery } from "../views/runs/run-query.ts";
import { readRunReveal } from "./runs/run-reveal.ts";
import { UNTRUSTED_HEADERS } from "./untrusted-headers.ts";

export type EntriesOf = "input" | "result";

/** The URL of entries. Append `&at=` and a JSON Pointer (RFC 6901). */
export function entryHref(graphId: string, { node, reveal }: RunQuery, of: EntriesOf): string {
  const fields = { of, ...(node !== undefined && { node }), ...(reveal !== undefined && { reveal }) };
  return `${OPS_PATH}/runs/${graphId}/entry?${new URLSearchParams(fields).toString()}`;
}

export function entryRoutes(screens: Screens): Entry[] {
  return [
    route("GET", "/runs/:id/entry", (ctx) => answer(ctx, screens, textAnswer)),
    route("GET", "/runs/:id/entry/image", (ctx) => answer(ctx, screens, imageAnswer)),
  ];
}

async function answer(ctx: Context, screens: Screens, made: (entry: Json) => Result): Promise<Result> {
  const asked = await readRunReveal(ctx, screens);
  if ("denial" in asked) return asked.denial;
  const { shown, isRevealed } = asked;
  const of: EntriesOf = ctx.query.get("of") === "result" ? "result" : "input";
  const entry =
    shown && atPointer(redacted(shown[of], { keys: screens.redact, isRevealed }), ctx.query.get("at") ?? "");
  return entry === undefined
    ? notFound("There is no such entry: the run or its node was deleted or has run again")
    : made(entry);
}

function textAnswer(entry: Json): Result {
  const body = typeof entry === "string" ? entry : JSON.stringify(entry, null, 2);
  return { status: 200, headers: [...UNTRUSTED_HEADERS, "content-type", "text/plain; charset=utf-8"], body };
}

/** The content type comes from the bytes, and only if they are an image. */
function imageAnswer(entry: Json): Result {
  const picture = typeof entry === "string" ? pictureOf(entry) : undefined;
  if (!picture) return notFound("This entry is not an image that can be shown");
  const { type, body } = picture;
  return {
    status: 200,
    headers: [...UNTRUSTED_HEADERS, "content-type", type, "content-length", String(body.length)],
    body,
  };
}
