import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compile } from "../compile.ts";

/** @returns the members that the server looks at, of the hook in a component with this body */
function members(body: string): string | undefined {
  const { code } = compile(`const A = () => { const form = useForm(); ${body} };`, "a.tsx").server;
  return /\$held\(undefined, "~useForm:form\d+", form, "([^"]*)"\)/.exec(code)?.[1];
}

describe("the members that a component reads of a hook's result", () => {
  it("include those behind other names, also if only a handler uses these", () => {
    assert.equal(members("return <p>{form.data.name}</p>;"), "data.name");
    assert.equal(members("const { data, label } = form; return <p>{data.name + label()}</p>;"), "data.name label");
    assert.equal(members("const { data, save } = form; return <p onClick={save}>{data.name}</p>;"), "data.name save");
  });

  it("do not include those of handlers that use the result itself", () => {
    assert.equal(members("return <p onClick={() => form.save(form.token)}>{form.data.name}</p>;"), "data.name");
    assert.equal(members("return <p><B form={form} />{form.data.name}</p>;"), "data.name");
  });

  it("are all members if the result is passed on as a whole", () => {
    assert.equal(members("return <p>{sum(form)}{form.data.name}</p>;"), "* data.name");
    assert.equal(members("const copy = { ...form }; return <p>{copy.data.name}</p>;"), "*");
    assert.equal(members("const same = form; return <p><B form={same} />{same.data.name}</p>;"), "* data.name");
  });

  it("are looked at behind the declaration, so no return before it reads them", () => {
    const { code } = compile(
      "const A = (props) => { if (props.none) return <i>x</i>; const form = useForm(); return <p>{form.data.name}</p>; };",
      "a.tsx",
    ).server;
    assert.match(code, /useForm\(\); const \$state0 = \$held\(props,/);
    assert.equal(code.split("$held(").length - 1, 1);
  });
});
