// tRPC on its standalone server: one procedure, asked for in its own words.
import { initTRPC } from "@trpc/server";
import { createHTTPServer } from "@trpc/server/adapters/standalone";
import { z } from "zod";

const t = initTRPC.create();
const input = z.object({ a: z.number(), b: z.number(), name: z.string() });
const router = t.router({
  addUp: t.procedure.input(input).mutation(({ input: { a, b, name } }) => ({ sum: a + b, name })),
});

createHTTPServer({ router }).listen(Number(process.env.PORT), "127.0.0.1");
