/** Where the operators' screens would be, in an app that has none. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withFixture } from "./app.ts";

const TOLD = {
  development: /require createFullStackApp of "svckit\/fullstack"/,
  production: /^Nothing is at \/_svc\/ops$/,
};

describe("/_svc/ops of an app of createApp", () => {
  for (const mode of ["development", "production"] as const) {
    it(`is 404, which tells in ${mode} ${mode === "development" ? "where the screens are" : "no more than that"}`, () =>
      withFixture(
        async ({ client }) => {
          const answer = await client.get("/_svc/ops");
          assert.equal(answer.status, 404);
          assert.match(((await answer.json()) as { detail: string }).detail, TOLD[mode]);
        },
        { NODE_ENV: mode },
      ));
  }
});
