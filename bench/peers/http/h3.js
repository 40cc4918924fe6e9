// h3 on its own server: headers on the event's answer, zod for the body, a web stream for the parts.
import { H3, readBody, serve } from "h3";
import { z } from "zod";
import * as a from "./answers.js";

const app = new H3();

const put = (event, headers) => {
  for (const [name, value] of Object.entries(headers)) event.res.headers.set(name, value);
};

app.get("/page", (event) => {
  const nonce = a.createNonce();
  put(event, a.pageHead);
  event.res.headers.set("content-security-policy", a.policyOf(nonce));
  return a.pageOf(nonce);
});

app.get("/stream", (event) => {
  put(event, a.streamHead);
  return a.webStream();
});

app.get("/asset.js", (event) => {
  if (event.req.headers.get("if-none-match") === a.etag) {
    event.res.status = 304;
    put(event, a.unchangedHead);
    return null;
  }
  put(event, a.assetHead);
  return a.asset;
});

const Body = z.object({ args: z.tuple([z.object({ a: z.number(), b: z.number(), name: z.string() })]) });
app.post("/_svc/action/addUp", async (event) => {
  const [{ a: left, b: right, name }] = Body.parse(await readBody(event)).args;
  put(event, a.actionHead);
  return { ok: true, value: { sum: left + right, name }, error: null };
});

serve(app, { port: Number(process.env.PORT), hostname: "127.0.0.1", silent: true });
