/**
 * Stands between a browser and an app. It delays scripts on request, and adds a script to each page that reports errors: WebDriver has no
 * way to see them. The page's own policy stays as it is; the added script uses its nonce.
 */
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Relay {
  readonly url: string;
  /**
   * Delays requests below a path until the returned function is called.
   * @param limit the number of requests to delay; later ones pass. Default: all
   */
  hold(path: string, limit?: number): () => void;
  /** Whether a delayed request has arrived. */
  isHolding(): boolean;
  /** Closes the connections of requests below a path. */
  refuse(path: string): void;
  /** Delays and refuses nothing any more. */
  release(): void;
  /** @returns the errors of pages since the last call */
  takeComplaints(): string[];
  close(): Promise<void>;
}

const REPORT = "/relay-complaints";
/** An empty page. Its header is that of svc's pages: without it, WebKit would start a process for each change between them. */
export const BLANK = "/relay-blank";

const COLLECTOR = `{let r=t=>navigator.sendBeacon("${REPORT}",t),e=console.error;
console.error=(...a)=>{r("console: "+a.join(" "));e.apply(console,a)};
addEventListener("error",e=>e.message&&r("error: "+e.message+" "+(e.error?.stack??"")));
addEventListener("unhandledrejection",({reason:e})=>r("rejection: "+e+" "+(e?.stack??"")));
document.addEventListener("securitypolicyviolation",e=>r("CSP: "+[e.violatedDirective,e.blockedURI,e.sample,e.sourceFile,e.lineNumber,e.columnNumber].join(" ")))}`;

export async function startRelay(target: string): Promise<Relay> {
  const complaints: string[] = [];
  let held: { path: string; limit: number; count: number; released: Promise<void>; release(): void } | undefined;
  let refused: string | undefined;
  const release = (): void => {
    held?.release();
    held = undefined;
    refused = undefined;
  };
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === REPORT) {
      collect(incoming, complaints);
      outgoing.writeHead(204).end();
      return;
    }
    if (incoming.url === BLANK) {
      outgoing.writeHead(200, { "content-type": "text/html", "cross-origin-opener-policy": "same-origin" });
      outgoing.end("<!doctype html>");
      return;
    }
    if (refused !== undefined && incoming.url?.startsWith(refused)) return void outgoing.destroy();
    const holding = held && incoming.url?.startsWith(held.path) && held.count < held.limit ? held : undefined;
    if (holding) holding.count++;
    void (holding?.released ?? Promise.resolve()).then(() => forward(target, incoming, outgoing));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (path, limit = Infinity) => {
      let resolve = (): void => {};
      const released = new Promise<void>((done) => (resolve = done));
      held = { path, limit, count: 0, released, release: () => resolve() };
      return release;
    },
    isHolding: () => held !== undefined && held.count > 0,
    refuse: (path) => {
      refused = path;
    },
    release,
    takeComplaints: () => complaints.splice(0),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function collect(incoming: IncomingMessage, complaints: string[]): void {
  let text = "";
  incoming.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  incoming.on("end", () => complaints.push(text));
}

/** Passes on a request under the app's own address: it answers for no other host, and accepts forms from no other origin. */
function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { "accept-encoding": _compression, ...headers } = incoming.headers;
  if (headers.origin === `http://${headers.host}`) headers.origin = target;
  headers.host = new URL(target).host;
  const onward = request(target + incoming.url, { method: incoming.method, headers }, (answer) => {
    const nonce = isDocument(incoming, answer.headers) ? nonceOf(answer.headers) : undefined;
    const { "content-length": length, ...others } = answer.headers;
    // WebKit stores no secure cookies of plain HTTP, not even on loopback.
    const cookies = others["set-cookie"];
    if (cookies) others["set-cookie"] = cookies.map((cookie) => cookie.replace(/; Secure(?=;|$)/, ""));
    const all = nonce === undefined && length !== undefined ? { ...others, "content-length": length } : others;
    outgoing.writeHead(answer.statusCode ?? 502, all);
    if (nonce === undefined) answer.pipe(outgoing);
    else insert(answer, outgoing, `<script nonce="${nonce}">${COLLECTOR}</script>`);
  });
  // Either side may leave: a visitor goes to another page while a response is under way.
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
}

const isDocument = (incoming: IncomingMessage, headers: IncomingHttpHeaders): boolean =>
  incoming.headers["x-svc-navigation"] === undefined && headers["content-type"]?.startsWith("text/html") === true;

const nonceOf = (headers: IncomingHttpHeaders): string | undefined =>
  /'nonce-([^']+)'/.exec(String(headers["content-security-policy"]))?.[1];

/** Adds the script to the beginning of the head, which is in the first piece of a page. */
function insert(answer: IncomingMessage, outgoing: ServerResponse, script: string): void {
  let isDone = false;
  answer.setEncoding("utf8").on("data", (piece: string) => {
    outgoing.write(isDone ? piece : piece.replace("<head>", () => `<head>${script}`));
    isDone = true;
  });
  answer.on("end", () => outgoing.end());
  answer.on("error", () => outgoing.destroy());
}
