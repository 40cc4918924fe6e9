// srvx: web requests and responses, zod for the body, a web stream for the parts.
import { serve } from "srvx";
import { z } from "zod";
import * as a from "./answers.js";

const Body = z.object({ args: z.tuple([z.object({ a: z.number(), b: z.number(), name: z.string() })]) });

const routes = {
  "/page": () => {
    const nonce = a.createNonce();
    return new Response(a.pageOf(nonce), { headers: { ...a.pageHead, "content-security-policy": a.policyOf(nonce) } });
  },
  "/stream": () => new Response(a.webStream(), { headers: a.streamHead }),
  "/asset.js": (request) => {
    if (request.headers.get("if-none-match") === a.etag)
      return new Response(null, { status: 304, headers: a.unchangedHead });
    return new Response(a.asset, { headers: a.assetHead });
  },
  "/_svc/action/addUp": async (request) => {
    const [{ a: left, b: right, name }] = Body.parse(await request.json()).args;
    return Response.json({ ok: true, value: { sum: left + right, name }, error: null }, { headers: a.actionHead });
  },
};

serve({
  port: Number(process.env.PORT),
  hostname: "127.0.0.1",
  silent: true,
  fetch: (request) => routes[new URL(request.url).pathname]?.(request) ?? new Response(null, { status: 404 }),
});
