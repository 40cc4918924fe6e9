/**
 * `svckit/register`: `node --import svckit/register --test` runs tests that import TypeScript and TSX modules of an app, also on Node 20, which
 * can't load TypeScript itself. The hooks run in a thread of their own (web/compiler/typescript-hooks.ts).
 */
import { register } from "node:module";

// Beside this module in the bundle, and in the compiler's folder without it.
const isBundled = import.meta.url.includes("/bundle/");
register(isBundled ? "./typescript-hooks.js" : "./web/compiler/typescript-hooks.js", import.meta.url);
