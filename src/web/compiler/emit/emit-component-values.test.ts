import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compile } from "../compile.ts";

const ICON = 'import { Dynamic } from "svckit"; export function Icon() { return <i />; }\n';
const valuesOf = (text: string) => compile(ICON + text, "a.tsx").values;

describe("a component as a value", () => {
  it("of an attribute or a table is an export of the second browser module", () => {
    for (const text of [
      "export const A = () => <B as={Icon} />; const B = (p) => <p.as />;",
      "export const A = (p) => <B as={p.on ? Icon : null} />; const B = (p) => <p.as />;",
      "const TABS = [{ view: Icon }]; export const A = () => <B tabs={TABS} />; const B = () => <p />;",
    ]) {
      assert.match(valuesOf(text)?.output.code ?? "", /import \{ Icon as \$c_Icon \} from ".\/a\.tsx\?svc-create";/);
      assert.match(valuesOf(text)?.output.code ?? "", /export const v0 = \(\) => \$c_Icon;/);
    }
  });

  it("is recorded where it is used, once for each component", () => {
    const { server } = compile(
      `${ICON}export const A = () => <B a={Icon} b={Icon} />; const B = () => <p />;`,
      "a.tsx",
    );
    assert.equal(server.code.match(/\$fn\(\$b\d, "v0", \[\], Icon\)/g)?.length, 2);
  });

  it("throws where the browser shows it if only the server can run it", () => {
    const text = `${ICON}export const A = () => <B as={Icon} />; const B = (p) => <p.as />;`;
    const { values } = compile(text, "a.tsx", { serverOnly: new Set(["Icon"]) });
    assert.match(
      values?.output.code ?? "",
      /v0 = \(\) => \(\) => \{ throw new Error\("<Icon> of a\.tsx runs only on the server/,
    );
    assert.doesNotMatch(values?.output.code ?? "", /svc-create/);
  });

  it("needs no module where it is only a tag, a view of a page, or passed to a function", () => {
    assert.equal(
      valuesOf(
        "export const A = () => <Icon />; page('/', { view: Icon }); wrap(Icon); export const C = () => <Dynamic is={Icon} />;",
      ),
      undefined,
    );
  });
});
