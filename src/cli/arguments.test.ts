import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { readArguments } from "./arguments.ts";
import { createOutput } from "./output.ts";

const read = (...args: string[]) => readArguments(args, "/srv");

function told(...args: string[]): string {
  const invocation = read(...args);
  assert.ok("text" in invocation, `${args.join(" ")} told nothing`);
  return `${invocation.kind}: ${invocation.text}`;
}

describe("the command line", () => {
  it("runs a command with its options", () => {
    assert.deepEqual(read("start", "--port", "0", "--host", "::1", "--root", "demo"), {
      kind: "run",
      command: "start",
      options: { root: resolve("/srv/demo"), host: "::1", port: 0, publicMaps: false },
    });
    assert.deepEqual(read("build"), {
      kind: "run",
      command: "build",
      options: { root: "/srv", host: undefined, port: undefined, publicMaps: false },
    });
  });

  it("runs explain with a file, as text or JSON", () => {
    const explained = read("explain", "pages/home.tsx", "--json");
    assert.ok(explained.kind === "run");
    assert.equal(explained.options.file, resolve("/srv/pages/home.tsx"));
    assert.equal(explained.options.json, true);
    assert.match(told("explain"), /^mistake: svc explain needs a file/);
    assert.match(told("explain", "a.tsx", "b.tsx"), /^mistake: svc explain takes no argument "b\.tsx"/);
    assert.match(told("build", "--json"), /^mistake: svc build takes no --json/);
  });

  it("has source maps served only by a build that is told to", () => {
    const built = read("build", "--public-maps");
    assert.ok(built.kind === "run" && built.options.publicMaps);
    assert.match(told("start", "--public-maps"), /^mistake: svc start takes no --public-maps/);
  });

  it("suggests the command that was meant, and none when nothing is near", () => {
    assert.match(told("strat"), /^mistake: There is no command "strat"; did you mean "start"\?/);
    assert.match(told("biuld"), /did you mean "build"\?/);
    assert.match(told("nwe"), /did you mean "new"\?/);
    assert.doesNotMatch(told("deploy"), /did you mean/);
    assert.match(told("constructor"), /There is no command "constructor"/);
  });

  it("tells help overall and by command, with examples", () => {
    assert.match(told("--help"), /^tell: [\s\S]+Usage: svc <command>/);
    for (const command of ["new", "graph", "top", "backup", "migrate"])
      assert.match(told("--help"), new RegExp(`^ {2}${command} `, "m"));
    for (const command of ["dev", "build", "start"]) assert.match(told(command, "--help"), /^tell: [\s\S]+Examples:/);
  });

  it("tells the version", () => assert.deepEqual(read("--version"), { kind: "version" }));

  it("refuses options it does not know, ports that are none, and stray words", () => {
    assert.equal(
      told("start", "--prot", "1"),
      "mistake: Unknown option '--prot'; did you mean --port?\n\nsvc start --help tells more.",
    );
    assert.match(told("dev", "--something"), /^mistake: Unknown option '--something'\n\nsvc dev --help tells more\.$/);
    assert.match(told("start", "--port"), /^mistake: Option '--port <value>' argument missing\n\nsvc start --help/);
    assert.match(told("start", "--port", "80a"), /^mistake: --port is "80a"/);
    assert.match(told("start", "--port", "65536"), /^mistake: --port/);
    assert.match(told("build", "demo"), /^mistake: svc build takes no argument "demo"/);
    assert.match(told(), /^mistake: No command given/);
  });
});

describe("output", () => {
  const sink = (isTTY: boolean) => ({ isTTY, write: () => true });

  it("is styled on a terminal only, and never with NO_COLOR", () => {
    const styled = (isTTY: boolean, env: Record<string, string>) =>
      createOutput(sink(isTTY), sink(isTTY), env).style("green", "x");
    assert.equal(styled(true, {}), "\u001b[32mx\u001b[39m");
    assert.equal(styled(true, { NO_COLOR: "1" }), "x");
    assert.equal(styled(true, { TERM: "dumb" }), "x");
    assert.equal(styled(false, {}), "x");
  });
});
