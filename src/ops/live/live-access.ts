/**
 * The sealed address of a live stream. For some minutes it lets the sessions that got the page follow what the page shows; without a session, whoever
 * has the address. The page asks for a new address by fetching itself, which checks the visitor's access again.
 */
import type { App, Context } from "../../index.ts";
import { BASE_PATH, useApp, useRequest } from "../../internal.ts";
import { hasOperatorSession, operatorSessionOf } from "../operator-access.ts";
import type { LiveTopic } from "./topics.ts";

/** Purpose of the seal. */
const PURPOSE = "live";
/** Time that an address is valid, and that a stream runs before the page's access is checked again. */
export const LIVE_MS = 5 * 60_000;

/** The sessions of the page's visitor. A stream needs the same ones. */
interface Binding {
  visitor?: string;
  operator?: string;
}

interface Sealed {
  of: LiveTopic;
  by: Binding;
}

/** The attributes of a `<svc-live>` that follow a topic: the stream's address, and a name by which the page finds a new address. */
export type LiveAttributes = (topic: LiveTopic) => { "data-src": string; "data-topic": string };

/**
 * For widgets: call it in the body of the component that the page contains. The page is then not shared, because its addresses are those of
 * one visitor.
 */
export function useLive(): LiveAttributes {
  const [app, ctx] = [useApp(), useRequest()];
  const by = bindingOf(ctx);
  return (topic) => ({ "data-src": address(app, { of: topic, by }), "data-topic": nameOf(topic) });
}

/** The address for a page's request. */
export function liveSrc(app: App, ctx: Context, topic: LiveTopic): string {
  return address(app, { of: topic, by: bindingOf(ctx) });
}

/** The topic of a sealed text, if this request may follow it now. */
export async function openLive(app: App, ctx: Context, text: string): Promise<LiveTopic | undefined> {
  // Only this app can have sealed it.
  const sealed = app.unseal(PURPOSE, text) as unknown as Sealed | undefined;
  return sealed && (await isAllowed(app, ctx, sealed)) ? sealed.of : undefined;
}

async function isAllowed(app: App, ctx: Context, { of, by }: Sealed): Promise<boolean> {
  // A token may expire before the address does.
  if ("token" in of && !app.mayReadGraph(of.id, of.token)) return false;
  if (by.operator !== undefined && !(await hasOperatorSession(app, ctx, by.operator))) return false;
  if (by.visitor === undefined) return true;
  // Opening the session detects one that was removed from its store.
  await ctx.session();
  return ctx.sessionId === by.visitor;
}

function bindingOf(ctx: Context): Binding {
  const [visitor, operator] = [ctx.sessionId, operatorSessionOf(ctx)];
  return { ...(visitor !== undefined && { visitor }), ...(operator !== undefined && { operator }) };
}

function address(app: App, { of, by }: Sealed): string {
  return `${BASE_PATH}/live?on=${app.seal(PURPOSE, { of: { ...of }, by: { ...by } }, LIVE_MS)}`;
}

function nameOf(topic: LiveTopic): string {
  return "id" in topic ? `${topic.topic} ${topic.id}` : topic.topic;
}
