// Hono on @hono/node-server: zod for the body, a web stream for the parts.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { z } from "zod";
import * as a from "./answers.js";

const app = new Hono();

app.get("/page", (c) => {
  const nonce = a.createNonce();
  return c.body(a.pageOf(nonce), 200, { ...a.pageHead, "content-security-policy": a.policyOf(nonce) });
});

app.get("/stream", (c) => c.body(a.webStream(), 200, a.streamHead));

app.get("/asset.js", (c) => {
  if (c.req.header("if-none-match") === a.etag) return c.body(null, 304, a.unchangedHead);
  return c.body(a.asset, 200, a.assetHead);
});

const Body = z.object({ args: z.tuple([z.object({ a: z.number(), b: z.number(), name: z.string() })]) });
app.post("/_svc/action/addUp", async (c) => {
  const [{ a: left, b: right, name }] = Body.parse(await c.req.json()).args;
  return c.json({ ok: true, value: { sum: left + right, name }, error: null }, 200, a.actionHead);
});

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
