import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { buildCommand } from "./build/build-command.ts";
import { explainCommand } from "./build/explain-command.ts";
import { Command, type CommandContext } from "./command.ts";
import { COMMANDS, overview, readCommandLine, tableProblems } from "./command-table.ts";
import { devCommand } from "./dev/dev-command.ts";
import { startCommand } from "./serve/start-command.ts";

const context: CommandContext = { cwd: "/srv", env: {}, nowMs: 0 };

/** `kind: text` of help and usage errors. */
function read(...args: string[]): string {
  const reading = readCommandLine(args, context);
  assert.ok("text" in reading, `${args.join(" ")} is accepted`);
  return `${reading.kind}: ${reading.text}`;
}

describe("The command line of svc", () => {
  it("passes the options of start to its task", () => {
    const args = ["--port", "0", "--host", "::1", "--root", "demo", "--role", "worker", "--workers", "gpu"];
    assert.deepEqual(startCommand.read(args, context), {
      kind: "run",
      task: { root: resolve("/srv/demo"), host: "::1", port: 0, role: "worker", workers: "gpu" },
    });
  });

  it("builds the current folder, without public maps and static pages by default", () => {
    const task = { root: resolve("/srv"), publicMaps: false, isStatic: false };
    assert.deepEqual(buildCommand.read([], context), { kind: "run", task });
    const all = { ...task, publicMaps: true, isStatic: true };
    assert.deepEqual(buildCommand.read(["--public-maps", "--static"], context), { kind: "run", task: all });
  });

  it("names the folder of the app without symbolic links, as Vite names its modules", (test) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "svc-root-")));
    test.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "app"));
    symlinkSync(join(folder, "app"), join(folder, "link"), "dir");
    const { task } = devCommand.read(["--root", "link"], { ...context, cwd: folder }) as { task: { root: string } };
    assert.equal(task.root, join(folder, "app"));
  });

  it("resolves the file of explain", () => {
    const task = { root: resolve("/srv"), file: resolve("/srv/pages/home.tsx"), json: true };
    assert.deepEqual(explainCommand.read(["pages/home.tsx", "--json"], context), { kind: "run", task });
    assert.match(read("explain"), /^usageError: svc explain needs a file/);
    assert.match(read("explain", "a.tsx", "b.tsx"), /^usageError: svc explain takes no argument "b\.tsx"/);
  });

  it("rejects an option of another command", () => {
    for (const args of [
      ["build", "--json"],
      ["start", "--public-maps"],
      ["dev", "--role", "web"],
      ["start", "--static"],
    ])
      assert.match(read(...args), new RegExp(`^usageError: Unknown option '${args[1]}'`));
  });

  it("suggests the command with the closest name", () => {
    assert.match(read("strat"), /^usageError: Unknown command "strat"; did you mean "start"\?/);
    assert.match(read("biuld"), /did you mean "build"\?/);
    assert.match(read("nwe"), /did you mean "new"\?/);
    assert.doesNotMatch(read("deploy"), /did you mean/);
    assert.match(read("constructor"), /Unknown command "constructor"/);
  });

  it("lists every command in its help", () => {
    assert.equal(read("--help"), `help: ${overview()}`);
    for (const { name, summary } of COMMANDS) assert.match(overview(), new RegExp(`^ {2}${name} +${summary}$`, "m"));
  });

  it("prints usage, options and examples of each command", () => {
    for (const { name } of COMMANDS)
      assert.match(
        read(name, "--help"),
        new RegExp(`^help: svc ${name}: [^]+Usage: svc ${name} [^]+--[^]+Examples:\\n`),
      );
  });

  it("reads --version", () => assert.deepEqual(readCommandLine(["--version"], context), { kind: "version" }));

  it("rejects unknown options, invalid ports and extra arguments", () => {
    assert.equal(
      read("start", "--prot", "1"),
      `usageError: Unknown option '--prot'; did you mean --port?\n\nRun "svc start --help" for its options.`,
    );
    assert.match(read("dev", "--something"), /^usageError: Unknown option '--something'\n\nRun "svc dev --help"/);
    assert.match(read("start", "--port"), /^usageError: Option '--port <value>' argument missing\n\nRun "svc start/);
    assert.match(
      read("start", "--port", "80a"),
      /^usageError: --port is "80a"\. It must be a whole number from 0 to 65535/,
    );
    assert.match(read("start", "--port", "65536"), /^usageError: --port/);
    assert.match(read("build", "demo"), /^usageError: svc build takes no argument "demo"/);
    assert.match(read(), /^usageError: No command given/);
  });
});

describe("The command table", () => {
  it("is complete", () => assert.deepEqual(tableProblems(COMMANDS), []));

  it("reports a command without summary, usage, examples or help of an option", () => {
    const planted = new Command({
      name: "planted",
      summary: "",
      usage: [],
      options: { silent: { type: "boolean", help: "" } },
      examples: [],
      parse: () => undefined,
      load: async () => async () => undefined,
    });
    assert.deepEqual(tableProblems([planted]), [
      "svc planted has no summary",
      "svc planted has no usage",
      "svc planted has no example",
      "--silent of svc planted has no help",
    ]);
  });

  it("reports a name that two commands have", () => {
    assert.deepEqual(tableProblems([devCommand, devCommand]), ['Two commands have the name "dev"']);
  });
});
