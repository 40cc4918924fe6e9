/** "Lockfile audit": the demo app. Pages, one route, one action, one graph; all of it through svc's public exports. */
import { createApp, notFound, page, readForm, redirect, route } from "svc";
import { echo } from "./actions.ts";
import { audit, inspect, parse, report } from "./audit/graph.ts";
import { findProject } from "./audit/installed.ts";
import { lockfileOf, MAX_LOCKFILE_BYTES, PROBLEMS } from "./audits.ts";
import { AuditPage } from "./pages/audit.tsx";
import { CounterPage } from "./pages/counter.tsx";
import { HomePage } from "./pages/home.tsx";
import { StaticPage } from "./pages/static.tsx";
import { TodoPage } from "./pages/todo.tsx";

const project = findProject(process.cwd());
const utf8 = new TextDecoder();

const home = page("/", {
  title: "Lockfile audit",
  description: "What does your package-lock.json install? A demo of svc.",
  load: (ctx) => ({ problem: PROBLEMS[ctx.query.get("problem") ?? ""] }),
  view: (data) => <HomePage problem={data.problem} hasOwn={project !== undefined} />,
});

/** Whoever knows an audit's id may read it: ids are 26 random characters. */
const auditPage = page("/audits/:id", {
  load: async (ctx) => {
    const snapshot = await app.engine.snapshot(ctx.params["id"] ?? "");
    if (snapshot?.worker !== "audit") return notFound();
    return { audit: snapshot, eventsUrl: `${app.eventsUrl(snapshot.graph_id)}&after=${snapshot.last_seq}` };
  },
  title: (data) => `Audit ${data.audit.status}`,
  view: (data) => <AuditPage audit={data.audit} eventsUrl={data.eventsUrl} />,
});

const startAudit = route("POST", "/audits", async (ctx) => {
  const { fields, files } = await readForm(ctx, MAX_LOCKFILE_BYTES);
  const lockfile = await lockfileOf(
    {
      file: utf8.decode(files["lockfile"]?.bytes),
      pasted: fields["lockfile_text"] ?? "",
      wantsOwn: fields["sample"] === "own",
    },
    project,
  );
  if (lockfile === undefined) return redirect("/?problem=empty");
  const { snapshot } = await app.engine.start("audit", { lockfile });
  return redirect(`/audits/${snapshot.graph_id}`);
});

const app = createApp({
  pages: [
    home,
    auditPage,
    page("/counter", { title: "Counter", view: () => <CounterPage /> }),
    page("/todo", { title: "To-do", view: () => <TodoPage /> }),
    page("/static", { title: "A page without script", view: () => <StaticPage /> }),
  ],
  routes: [startAudit],
  actions: { echo },
  workers: [parse, inspect, report],
  graphs: [audit],
  stylesheets: ["/app.css"],
  demo: true,
});

export default app;
