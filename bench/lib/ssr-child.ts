/**
 * One contender of bench:ssr in a separate process. On request it renders for some time and reports processor time per render, which
 * excludes time spent waiting for other processes.
 *
 *   node ssr-child.js <name> <path of its module>
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./places.ts";
import { makeUsers, SHELL, spiral, type Tile, type User } from "./ssr-data.ts";

export type Workload = "spiral" | "table";

export interface Slice {
  /** Microseconds of processor time per render. */
  cpu: number;
  renders: number;
  bytes: number;
  tiles: number;
  rows: number;
  /** Whether text was left unescaped. */
  isUnescaped: boolean;
}

type Views = Record<Workload, (input: Tile[] | User[]) => string | Promise<string>>;

const [, , name = "", path = ""] = process.argv;

/** svc renders whole documents, with the scripts they need; the others get the same shell around them. */
async function load(): Promise<Views> {
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  if (!name.startsWith("svc")) {
    const views = module as unknown as Views;
    const whole = (view: Views["table"]): Views["table"] => {
      return (input) => {
        const html = view(input);
        return typeof html === "string"
          ? SHELL.head + html + SHELL.tail
          : html.then((text) => SHELL.head + text + SHELL.tail);
      };
    };
    return { spiral: whole(views.spiral), table: whole(views.table) };
  }
  const { renderPage } = (await import(pathToFileURL(join(root, "out/web/ssr/render-page.js")).href)) as {
    renderPage: (view: () => unknown, options: object) => { html: string };
  };
  const views = (module["views"] as Record<string, Record<Workload, (input: never) => unknown>>)[name];
  const { default: manifest } = (await import(pathToFileURL(join(path, "../../manifest.json")).href, {
    with: { type: "json" },
  })) as { default: unknown };
  const options = { nonce: "n0nce", csrfToken: () => "token", manifest, title: "Bench", stub: "stub" };
  const page = (workload: Workload) => (input: Tile[] | User[]) =>
    renderPage(() => views?.[workload]?.(input as never), options).html;
  return { spiral: page("spiral"), table: page("table") };
}

const users = makeUsers(1000);
const views = await load();

process.on("message", async ({ workload, ms }: { workload: Workload; ms: number }) => {
  const input = (): Tile[] | User[] => (workload === "spiral" ? spiral() : users);
  const began = process.cpuUsage();
  const end = performance.now() + ms;
  let renders = 0;
  let bytes = 0;
  let html: string | Promise<string> = "";
  do {
    html = views[workload](input());
    if (typeof html !== "string") html = await html;
    // Makes V8 flatten the string, as sending it would.
    bytes = Buffer.byteLength(html);
    renders++;
  } while (performance.now() < end);
  const { user, system } = process.cpuUsage(began);
  const text = html;
  const slice: Slice = {
    cpu: (user + system) / renders,
    renders,
    bytes,
    tiles: text.split(/class="?tile/).length - 1,
    rows: text.split("<tr").length - 1,
    isUnescaped: text.includes("<b>"),
  };
  process.send?.(slice);
});
process.send?.("ready");
