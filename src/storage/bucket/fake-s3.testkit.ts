/**
 * S3 in memory, on loopback: it verifies signatures by the rules of AWS (Signature Version 4, written without the library that svc signs
 * with), and can refuse, fail, or end a test's process at a request.
 */
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { BucketConfig } from "./bucket-url.ts";
import { MARKER } from "./prefix-owner.ts";

export const FAKE_CREDENTIALS = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const BUCKET = "payloads";
export const FAKE_REGION = "eu-test-1";

export interface FakeReply {
  status: number;
  code: string;
  more?: string;
}

interface FakeObject {
  data: Buffer;
  changedMs: number;
}

export interface FakeS3 {
  origin: string;
  /** By name, with the prefix. Without markers. */
  objects: Map<string, FakeObject>;
  /** Markers of the databases that own prefixes, likewise. */
  markers: Map<string, FakeObject>;
  /** Methods and paths of verified requests. */
  seen: string[];
  /** Answers in place of the server, or delays it; undefined: the server answers. */
  intercept: ((method: string, path: string) => FakeReply | undefined | Promise<FakeReply | undefined>) | undefined;
  /** Called after an object was stored, before the answer. */
  stored: (() => Promise<void>) | undefined;
  config(change?: Partial<BucketConfig>): BucketConfig;
  close(): Promise<void>;
}

export async function fakeS3(): Promise<FakeS3> {
  const server = createServer((request, response) => void answer(self, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const self: FakeS3 = {
    origin,
    objects: new Map(),
    markers: new Map(),
    seen: [],
    intercept: undefined,
    stored: undefined,
    config: (change) => ({
      origin,
      bucket: BUCKET,
      prefix: "app/",
      region: FAKE_REGION,
      above: 8,
      values: undefined,
      isWriting: true,
      ...FAKE_CREDENTIALS,
      sessionToken: undefined,
      retryMs: [0, 0],
      ...change,
    }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return self;
}

async function answer(self: FakeS3, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "" } = request;
  const body = await buffer(request);
  const { pathname, searchParams } = new URL(url, self.origin);
  const [, bucket, ...name] = pathname.split("/").map(decodeURIComponent);
  const refused = refusal(request, body, bucket) ?? (await self.intercept?.(method, pathname));
  const reply = (status: number, content: string | Buffer = ""): void => void response.writeHead(status).end(content);
  if (refused) return reply(refused.status, `<Error><Code>${refused.code}</Code>${refused.more ?? ""}</Error>`);
  self.seen.push(`${method} ${name.join("/")}`);
  if (searchParams.has("list-type")) return reply(200, listing(self, searchParams));
  const key = name.join("/");
  const objects = name.at(-1) === MARKER ? self.markers : self.objects;
  if (method === "PUT") {
    objects.set(key, { data: body, changedMs: Date.now() });
    if (objects === self.objects) await self.stored?.();
  }
  if (method === "DELETE") objects.delete(key);
  const found = objects.get(key);
  if (method === "GET" && !found) return reply(404, "<Error><Code>NoSuchKey</Code></Error>");
  return reply(method === "DELETE" ? 204 : 200, method === "GET" ? found?.data : "");
}

function listing({ objects }: FakeS3, query: URLSearchParams): string {
  const [prefix, after] = [query.get("prefix") ?? "", query.get("start-after") ?? ""];
  const names = [...objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
  const most = Number(query.get("max-keys"));
  const contents = names.slice(0, most).map((name) => {
    const changed = new Date(objects.get(name)?.changedMs ?? 0).toISOString();
    return `<Contents><Key>${name}</Key><LastModified>${changed}</LastModified></Contents>`;
  });
  return `<ListBucketResult><IsTruncated>${names.length > most}</IsTruncated>${contents.join("")}</ListBucketResult>`;
}

/** What AWS answers to a request that is not signed as it should be. */
function refusal(request: IncomingMessage, body: Buffer, bucket: string | undefined): FakeReply | undefined {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      request.headers.authorization ?? "",
    );
  if (!parts) return { status: 403, code: "AccessDenied" };
  const [, id, date = "", region = "", names = "", signature] = parts;
  if (id !== FAKE_CREDENTIALS.accessKeyId) return { status: 403, code: "InvalidAccessKeyId" };
  if (region !== FAKE_REGION)
    return { status: 400, code: "AuthorizationHeaderMalformed", more: `<Region>${FAKE_REGION}</Region>` };
  if (sha256(body) !== request.headers["x-amz-content-sha256"])
    return { status: 400, code: "XAmzContentSHA256Mismatch" };
  const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
  const query = [...searchParams].map((pair) => pair.map(encoded).join("=")).sort();
  const signed = names.split(";");
  const canonical = [
    request.method,
    pathname
      .split("/")
      .map((segment) => encoded(decodeURIComponent(segment)))
      .join("/"),
    query.join("&"),
    ...signed.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const time = String(request.headers["x-amz-date"]);
  const text = ["AWS4-HMAC-SHA256", time, `${date}/${region}/s3/aws4_request`, sha256(Buffer.from(canonical))].join(
    "\n",
  );
  const key = [date, region, "s3", "aws4_request"].reduce<Buffer>(
    (from, part) => hmac(from, part),
    Buffer.from(`AWS4${FAKE_CREDENTIALS.secretAccessKey}`),
  );
  if (!signed.includes("host") || hmac(key, text).toString("hex") !== signature)
    return { status: 403, code: "SignatureDoesNotMatch" };
  return bucket === BUCKET ? undefined : { status: 404, code: "NoSuchBucket" };
}

const sha256 = (data: Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
/** RFC 3986, as the signature demands. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
