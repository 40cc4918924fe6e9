/** A run or one of its nodes as a JSON file: the complete text of the Raw tab, with the same values hidden. */
import { notFound, route, type Context, type Entry, type Result } from "../../../index.ts";
import type { Json, NodeDetail, Snapshot } from "../../../graph.ts";
import type { Screens } from "../../ops-context.ts";
import { payloadView } from "../../views/runs/payload.ts";
import { readRunReveal } from "./run-reveal.ts";

export function rawRoute(screens: Screens): Entry {
  return route("GET", "/runs/:id/raw", (ctx) => raw(ctx, screens));
}

/** The JSON that the API returns. */
export function rawOf(shown: Snapshot | NodeDetail): Json {
  return JSON.parse(JSON.stringify(shown)) as Json;
}

async function raw(ctx: Context, screens: Screens): Promise<Result> {
  const asked = await readRunReveal(ctx, screens);
  if ("denial" in asked) return asked.denial;
  const { shown, isRevealed } = asked;
  if (!shown) return notFound("There is no such run, or it has no such node");
  return {
    status: 200,
    headers: [
      "content-type",
      "application/json; charset=utf-8",
      "content-disposition",
      'attachment; filename="raw.json"',
      "cache-control",
      "private, no-store",
    ],
    body: payloadView(rawOf(shown), { keys: screens.redact, isRevealed }).raw,
  };
}
