/** The command line of `svc new`. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { newCommand, parseNew } from "./new-command.ts";

const read = (given: string, values: Parameters<typeof parseNew>[1] = {}) =>
  parseNew([given], values, resolve("/srv/apps"), resolve("/srv/svc"));

/** `kind: text` of help and usage errors. */
function textOf(...args: string[]): string {
  const reading = newCommand.read(args, { cwd: resolve("/srv/apps"), env: {}, nowMs: 0 });
  return "text" in reading ? `${reading.kind}: ${reading.text}` : reading.kind;
}

describe("svc new", () => {
  it("names the app by its folder, and depends on the svc that runs the command", () => {
    assert.deepEqual(read("shop"), {
      folder: resolve("/srv/apps/shop"),
      given: "shop",
      name: "shop",
      svc: "file:../../svc",
    });
    const here = read(".");
    assert.deepEqual([here.folder, here.name], [resolve("/srv/apps"), "apps"]);
  });

  it("accepts another name, and another svc", () => {
    const task = read("My Shop", { name: "@me/shop", svc: "^0.1.0" });
    assert.deepEqual([task.name, task.svc], ["@me/shop", "^0.1.0"]);
  });

  it("explains --svc in its help", () => {
    assert.match(textOf("--help"), /^help: svc new: [\s\S]+--svc <spec>[\s\S]+somebody else's/);
  });

  for (const [args, text] of [
    [[], /needs a folder/],
    [["a", "b"], /takes no argument "b"/],
    [["My Shop"], /the package name "My Shop": it may only have [\s\S]+such as --name my-shop/],
    [["\u5e97"], /Give another with --name\n/],
    [["a", "--name", "http"], /"http": it is taken\. [\s\S]+--name http-app/],
    [["a", "--svc", "./gone.tgz"], /--svc is "\.\/gone\.tgz"/],
    [["a", "--nam"], /did you mean --name\?/],
  ] as const)
    it(`reports the problem with "${args.join(" ")}"`, () => {
      assert.match(textOf(...args), /^usageError: [\s\S]+Run "svc new --help" for its options\.$/);
      assert.match(textOf(...args), text);
    });

  it("requires --svc if the source of this svc is unknown", () => {
    assert.throws(
      () => parseNew(["shop"], {}, resolve("/srv"), resolve("/nowhere/node_modules/svckit")),
      /cannot find out where this svc came from\. Give --svc/,
    );
  });
});
