import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unwrapErrors } from "./build-errors.ts";

/** An error of the bundler, as Rolldown throws it. */
function failed(...errors: unknown[]): Error {
  return Object.assign(new Error("Build failed with 1 error"), { errors });
}

async function messageOf(error: Error): Promise<string> {
  const thrown = await unwrapErrors(() => Promise.reject(error)).catch((reason: unknown) => reason);
  return (thrown as Error).message;
}

describe("errors of the bundler", () => {
  it("are told with their file", async () => {
    const unresolved = Object.assign(new Error('Could not resolve "./x"\n  in a frame'), { id: "/app/app.ts" });
    assert.match(await messageOf(failed(unresolved)), /\n\/app\/app\.ts: Could not resolve "\.\/x"\nFix the code/);
  });

  it("of a failed transformation are those inside of it, rather than their count", async () => {
    const counted = Object.assign(new Error("Transform failed with 2 errors:"), {
      id: "/app/page.tsx",
      errors: [{ message: "\u001b[31m[PARSE_ERROR]\u001b[0m Unexpected token\n  1 | (" }, { message: "Another" }],
    });
    assert.match(
      await messageOf(failed(counted)),
      /failed:\n\/app\/page\.tsx: \[PARSE_ERROR\] Unexpected token\n\/app\/page\.tsx: Another\nFix/,
    );
  });
});
