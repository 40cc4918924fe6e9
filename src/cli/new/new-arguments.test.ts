/** The command line of `svc new`. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { readNewArguments } from "./new-arguments.ts";

const read = (...args: string[]) => readNewArguments(args, resolve("/srv/apps"), resolve("/srv/svc"));

function told(...args: string[]): string {
  const invocation = read(...args);
  return "text" in invocation ? `${invocation.kind}: ${invocation.text}` : invocation.kind;
}

describe("svc new", () => {
  it("names the app by its folder, and has it depend on the svc that runs", () => {
    assert.deepEqual(read("shop"), {
      kind: "new",
      command: { folder: resolve("/srv/apps/shop"), told: "shop", name: "shop", svc: "file:../../svc" },
    });
    const here = read(".");
    assert.ok(here.kind === "new");
    assert.deepEqual([here.command.folder, here.command.name], [resolve("/srv/apps"), "apps"]);
  });

  it("takes another name, and another svc", () => {
    const invocation = read("My Shop", "--name", "@me/shop", "--svc", "^0.1.0");
    assert.ok(invocation.kind === "new");
    assert.deepEqual([invocation.command.name, invocation.command.svc], ["@me/shop", "^0.1.0"]);
  });

  it("tells its help, and in it of --svc", () => {
    assert.match(told("--help"), /^tell: svc new: [\s\S]+--svc <spec>[\s\S]+somebody else's/);
  });

  for (const [args, text] of [
    [[], /needs a folder/],
    [["a", "b"], /takes no argument "b"/],
    [["My Shop"], /called "My Shop": it has [\s\S]+such as --name my-shop/],
    [["\u5e97"], /Give another with --name\n/],
    [["a", "--name", "http"], /"http": it is taken\. [\s\S]+--name http-app/],
    [["a", "--svc", "./gone.tgz"], /--svc is "\.\/gone\.tgz"/],
    [["a", "--nam"], /did you mean --name\?/],
  ] as const)
    it(`says what is wrong with "${args.join(" ")}"`, () => {
      assert.match(told(...args), /^mistake: [\s\S]+svc new --help tells more\.$/);
      assert.match(told(...args), text);
    });

  it("asks for --svc where nobody knows where this one came from", () => {
    const invocation = readNewArguments(["shop"], resolve("/srv"), resolve("/nowhere/node_modules/svc"));
    assert.ok(invocation.kind === "mistake");
    assert.match(invocation.text, /can't tell where this svc came from; give --svc/);
  });
});
