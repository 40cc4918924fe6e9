import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { passwordsOf, shownDatabaseUrl } from "./database-url.ts";

describe("a database URL", () => {
  it("is displayed without its password, wherever the URL contains it", () => {
    const shown: [given: string, shown: string][] = [
      ["sqlite:.svc/svc.db", "sqlite:.svc/svc.db"],
      ["memory:", "memory:"],
      ["postgres://app:swordfish@db:5432/shop?schema=a", "postgres://app:…@db:5432/shop?schema=a"],
      ["postgres://db/app?user=app&password=swordfish&sslmode=require", "postgres://db/app?sslmode=require"],
      ["postgres://app:sword@fish@db/app", "postgres://app:…@db/app"],
      ["postgres://app:sword/fish@db", "postgres://…"],
      ["postgres://app@db/app", "postgres://app@db/app"],
    ];
    for (const [given, expected] of shown) assert.equal(shownDatabaseUrl(given), expected);
  });

  it("yields its passwords for redaction, encoded and decoded", () => {
    assert.deepEqual(passwordsOf("postgres://app:sword%40fish@db/app"), ["sword%40fish", "sword@fish"]);
    assert.deepEqual(passwordsOf("postgres://db/app?password=swordfish"), ["swordfish", "swordfish"]);
    for (const url of ["sqlite:.svc/svc.db", "postgres://app@db/app", "postgres://app:app@db/app"])
      assert.deepEqual(passwordsOf(url), []);
  });
});
