/** Database URLs, and the meaning of PostgreSQL errors. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../../platform/shared/errors.ts";
import { inSchema, readPostgresUrl } from "./driver.ts";
import { isUnavailable, isSerializationFailure, storeError } from "./store-error.ts";

describe("the URL of a PostgreSQL database", () => {
  it("contains the schema and the number of connections, which the driver does not receive", () => {
    const url = "postgres://u:p@h:5433/d?sslmode=require";
    assert.deepEqual(readPostgresUrl(url), { url, schema: "svc", connections: 10 });
    assert.deepEqual(readPostgresUrl(`${url}&schema=shop_jobs&connections=25`), {
      url,
      schema: "shop_jobs",
      connections: 25,
    });
  });

  it("is rejected for a schema that needs quotes or an invalid number of connections, without printing the password", () => {
    for (const query of [
      "schema=A",
      "schema=a-b",
      "schema=",
      'schema=x";drop',
      "connections=3",
      "connections=201",
      "connections=x",
    ])
      assert.throws(
        () => readPostgresUrl(`postgres://u:hidden@h/d?${query}`),
        (error: SvcError) => error.code === "SVC_CONFIG" && !error.message.includes("hidden"),
      );
  });

  it("replaces svc in statements with its schema", () => {
    assert.equal(inSchema("SELECT svc.a, mysvc.b FROM svc.graph", "shop"), "SELECT shop.a, mysvc.b FROM shop.graph");
  });
});

describe("an error of PostgreSQL", () => {
  const errorOf = (code: string | undefined, message = "m"): Error => Object.assign(new Error(message), { code });

  it("is retried if the server was unreachable or transactions conflicted, and in no other case", () => {
    for (const code of ["57P01", "57P03", "08006", "53300", "ECONNREFUSED", "ECONNRESET"])
      assert.ok(isUnavailable(errorOf(code)), code);
    for (const message of [
      "Connection terminated unexpectedly",
      "timeout exceeded when trying to connect",
      "Query read timeout",
    ])
      assert.ok(isUnavailable(errorOf(undefined, message)), message);
    for (const code of ["40001", "40P01"])
      assert.deepEqual([isUnavailable(errorOf(code)), isSerializationFailure(errorOf(code))], [false, true]);
    for (const code of ["23505", "42601", "57014", "22P02"])
      assert.deepEqual([isUnavailable(errorOf(code)), isSerializationFailure(errorOf(code))], [false, false]);
  });

  it("becomes SVC_STORE with a remedy if it concerns the database, and otherwise stays unchanged", () => {
    for (const [code, part] of [
      ["53100", /Free disk space/],
      ["28P01", /check user, password/],
      ["3D000", /does not have this database/],
      ["25006", /primary/],
      ["ECONNREFUSED", /continues by itself/],
    ] as const) {
      const reported = storeError(errorOf(code));
      assert.ok(reported instanceof SvcError && reported.code === "SVC_STORE");
      assert.match(reported.message, part);
    }
    const own = errorOf("42601");
    assert.equal(storeError(own), own);
    assert.match(
      storeError(Object.assign(errorOf("23505"), { table: "registration" })).message,
      /UNIQUE.*registration/,
    );
  });
});
