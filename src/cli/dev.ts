/**
 * `svc dev`: serves the app from source. The socket stays open while the app behind it is replaced after each change
 * (dev-stage.ts); open pages follow what changes (dev-pages.ts, src/browser/dev).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, resolve, sep } from "node:path";
import { performance } from "node:perf_hooks";
import { createDevHost } from "../compiler/dev.ts";
import { listen } from "../http/server.ts";
import { faultPage, type Fault } from "../shared/fault.ts";
import { BASE_PATH } from "../shared/wire.ts";
import type { CommandOptions } from "./arguments.ts";
import { banner } from "./banner.ts";
import { devScript, DevDoors } from "./dev-doors.ts";
import { faultOf, thrownOf, traceServer } from "./dev-fault.ts";
import { DevPages } from "./dev-pages.ts";
import { Stage } from "./dev-stage.ts";
import { errorText } from "./error-text.ts";
import type { Output } from "./output.ts";
import { endRequested } from "./signals.ts";

const DRAIN_MS = 2000;

export async function dev({ root, host, port }: CommandOptions, output: Output): Promise<void> {
  const devHost = await createDevHost({ root });
  const ended = endRequested();
  const closing = new AbortController();
  const pages = new DevPages();
  const fail = (error: unknown): void => output.error(`${output.style("red", "Error")} ${errorText(error)}`);
  let fault: Fault | undefined;
  let builds = 0;
  // Of this process: pages of an earlier one are out of date.
  const build = (): string => `${process.pid}-${builds}`;
  const tellFault = (error: unknown): Fault => {
    const found = faultOf("compile", thrownOf(error), root, traceServer);
    pages.tell({ event: "fault", data: found });
    return found;
  };
  const doors = new DevDoors({
    root,
    host: devHost,
    pages,
    closing: closing.signal,
    fault: () => fault,
    onBrowserFault: ({ code, message, place }) => {
      const where = place ? ` ${place.file}:${place.line}:${place.column}` : "";
      output.error(`${output.style("red", "Error in the browser")}${where} ${code}: ${message}`);
    },
  });
  const stage = new Stage({
    host: devHost,
    root,
    support: {
      manifest: () => devHost.manifest(),
      chunk: (name) =>
        devHost.chunk(name).catch((error: unknown) => {
          fail(error);
          tellFault(error);
          throw error;
        }),
      script: (nonce) => devScript(nonce, build()),
      kept: (id) => doors.kept(id),
      faultPage: (error, nonce) =>
        faultPage(faultOf("server", thrownOf(error), root, traceServer), nonce, devScript(nonce, build())),
    },
    onReady(tookMs) {
      builds++;
      fault = undefined;
      pages.tell({ event: "build", data: build() });
      if (tookMs !== undefined) output.line(output.style("dim", `Reloaded in ${Math.round(tookMs)} ms`));
    },
    onFault(error) {
      fail(error);
      fault = tellFault(error);
    },
  });
  const serve = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const path = (message.url ?? "/").split("?")[0] ?? "/";
    if (doors.owns(path)) return doors.answer(message, reply);
    // What open pages need goes on while the source does not compile; onFault has told of it.
    const app = await stage.app().catch(() => (path.startsWith(`${BASE_PATH}/`) ? stage.current : undefined));
    return app ? app.handler(message, reply) : doors.answer(message, reply);
  };
  const { config } = await stage.load();
  const listening = await listen(
    serve,
    {
      host: host ?? config.host,
      port: port ?? config.port,
      canFallBack: port === undefined && !config.isPortFixed,
      refuse: (error) => (stage.current ?? doors).refuse(error),
    },
    (error) => output.error(String(error)),
  );
  banner(await stage.boot(listening.url), listening.url, Math.round(performance.now()), output);
  const publicDir = join(root, "public");
  const written = [resolve(config.dataDir), join(root, "dist")];
  const stop = devHost.onChange((file) => {
    // What the app itself writes is no edit: its database would reload it for ever.
    if (written.some((folder) => isInside(folder, file))) return;
    if (!isInside(publicDir, file)) return stage.changed();
    // Public files are read anew each time; only styles stay on a page that is open.
    if (extname(file) === ".css")
      pages.tell({ event: "style", data: `/${relative(publicDir, file).split(sep).join("/")}` });
  });
  await ended;
  stop();
  closing.abort();
  await Promise.all([stage.close(), listening.close(DRAIN_MS)]);
  await devHost.close();
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return !path.startsWith("..") && path !== "";
}
