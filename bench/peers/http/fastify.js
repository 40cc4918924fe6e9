// Fastify: headers by reply.headers, the body by its own parser and JSON schema, the stream as a Readable.
import { Readable } from "node:stream";
import Fastify from "fastify";
import * as a from "./answers.js";

const app = Fastify({ logger: false });

app.get("/page", async (_request, reply) => {
  const nonce = a.createNonce();
  reply.headers(a.pageHead).header("content-security-policy", a.policyOf(nonce));
  return a.pageOf(nonce);
});

app.get("/stream", (_request, reply) => reply.headers(a.streamHead).send(Readable.from(a.parts())));

app.get("/asset.js", async (request, reply) => {
  if (request.headers["if-none-match"] === a.etag) return reply.code(304).headers(a.unchangedHead).send();
  return reply.headers(a.assetHead).send(a.asset);
});

const schema = {
  body: {
    type: "object",
    required: ["args"],
    properties: {
      args: {
        type: "array",
        minItems: 1,
        maxItems: 1,
        items: {
          type: "object",
          required: ["a", "b", "name"],
          properties: { a: { type: "number" }, b: { type: "number" }, name: { type: "string" } },
        },
      },
    },
  },
};
app.post("/_svc/action/addUp", { schema }, async (request, reply) => {
  const [{ a: left, b: right, name }] = request.body.args;
  reply.headers(a.actionHead);
  return { ok: true, value: { sum: left + right, name }, error: null };
});

await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
