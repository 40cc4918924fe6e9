/** The path of the operator screens in an app without them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withFixture } from "./app.ts";

const DETAILS = {
  development: /require createFullStackApp of "svckit\/fullstack"/,
  production: /^Nothing is at \/_svc\/ops$/,
};

describe("The path /_svc/ops of an app without screens", () => {
  for (const mode of ["development", "production"] as const) {
    it(`answers 404 in ${mode}, ${mode === "development" ? "and says how to get the screens" : "without an explanation"}`, () =>
      withFixture(
        async ({ client }) => {
          const answer = await client.get("/_svc/ops");
          assert.equal(answer.status, 404);
          assert.match(((await answer.json()) as { detail: string }).detail, DETAILS[mode]);
        },
        { NODE_ENV: mode },
      ));
  }
});
