/**
 * A property of arbitrary component trees: components that the browser creates in rows and branches, and components of the server whose
 * props change, both equal the server's page for the same data. `FUZZ_SEED` selects other trees.
 */
import { testRandom } from "./random-app.ts";
import { randomTree } from "./random-tree.ts";

testRandom("tree", Number(process.env["FUZZ_TREES"] ?? 12), randomTree);
