import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DevHost } from "../../web/compiler/dev/dev-host.ts";
import { isBySide, watch } from "./dev-watch.ts";

describe("svc dev", () => {
  it("does not reload for files that programs write beside the source, such as its own log", () => {
    const loaded: string[] = [];
    let change: (file: string) => void = () => assert.fail("nobody listens");
    const host: Pick<DevHost, "onChange"> = {
      onChange: (listener) => {
        change = (file) => listener({ file, isUsed: true, styles: [] });
        return () => undefined;
      },
    };
    let at = "";
    const stop = watch({
      host,
      root: "/app",
      written: ["/app/.svc"],
      onCode: () => loaded.push(at),
      onSettings: () => assert.fail("no settings changed"),
      onStyle: () => assert.fail("no stylesheet changed"),
    });
    for (at of ["/app/dev.log", "/app/pages/a.tsx", "/app/nohup.out", "/app/.svc/svc.db", "/app/shop.json"]) change(at);
    stop();
    assert.deepEqual(loaded, ["/app/pages/a.tsx", "/app/shop.json"]);
  });

  it("reloads for every other file", () => {
    for (const name of ["dev.log", "dev.pid", "shop.db-wal", "b.db.part", "app.tsx~", ".app.tsx.swp", "x.sqlite"])
      assert.ok(isBySide(`/app/${name}`), name);
    for (const name of ["app.tsx", "login.ts", "log/page.tsx", "db.ts", "texts.md", "out/index.ts", "catalog"])
      assert.ok(!isBySide(`/app/${name}`), name);
  });
});
