// Express: zod for the body, the stream by pipeline.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import express from "express";
import { z } from "zod";
import * as a from "./answers.js";

const app = express();
app.disable("x-powered-by");
app.disable("etag");

app.get("/page", (_request, reply) => {
  const nonce = a.createNonce();
  reply.set(a.pageHead).set("content-security-policy", a.policyOf(nonce)).send(a.pageOf(nonce));
});

app.get("/stream", async (_request, reply) => {
  reply.set(a.streamHead);
  await pipeline(Readable.from(a.parts()), reply);
});

app.get("/asset.js", (request, reply) => {
  if (request.headers["if-none-match"] === a.etag) return void reply.status(304).set(a.unchangedHead).end();
  reply.set(a.assetHead).send(a.asset);
});

const Body = z.object({ args: z.tuple([z.object({ a: z.number(), b: z.number(), name: z.string() })]) });
app.post("/_svc/action/addUp", express.json(), (request, reply) => {
  const [{ a: left, b: right, name }] = Body.parse(request.body).args;
  reply.set(a.actionHead).json({ ok: true, value: { sum: left + right, name }, error: null });
});

app.listen(Number(process.env.PORT), "127.0.0.1");
