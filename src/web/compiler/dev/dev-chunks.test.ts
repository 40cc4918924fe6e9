import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { devChunkOf } from "../temp-app.testkit.ts";

const VIEW = `import { signal } from "svckit";
export const LABELS = ["a"];
export const Row = (props) => <li onClick={() => props.onPick(props.text)}>{props.text}</li>;
export function List() {
  const texts = signal(LABELS);
  return <ul>{texts.value.map((text) => <Row key={text} text={text} onPick={(picked) => (texts.value = [picked])} />)}</ul>;
}
`;

describe("a chunk of the development host", () => {
  it("contains the components that its rows create, and nothing of the server module", async () => {
    const code = await devChunkOf({ "view.tsx": VIEW });
    assert.match(code, /New\(Row, \{/);
    assert.match(code, /export \{ _c, /);
    assert.doesNotMatch(code, /jsx-runtime|block\(/);
  });

  it("contains the modules that its handlers import later", async () => {
    const code = await devChunkOf({
      "view.tsx": `export const View = () => <b onClick={async () => alert((await import("./late.ts")).text)}>x</b>;`,
      "late.ts": `export const text = "from a late module";`,
    });
    assert.match(code, /from a late module/);
    assert.doesNotMatch(code, /import\("/);
  });
});
