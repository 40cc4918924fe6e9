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
  });

  it("do not include those of components that get the result", () => {
    assert.equal(members("return <p><B form={form} />{form.data.name}</p>;"), "data.name");
    assert.equal(members("const same = form; return <p><B form={same} />{same.data.name}</p>;"), "data.name");
  });

  it("are all members if the result is passed on as a whole", () => {
    assert.equal(members("return <p>{sum(form)}{form.data.name}</p>;"), "* data.name");
    assert.equal(members("const copy = { ...form }; return <p>{copy.data.name}</p>;"), "*");
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

/** @returns the members that the server looks at, of the props of this component */
function propMembers(component: string): string | undefined {
  const { code } = compile(`const A = ${component};`, "a.tsx").server;
  return /\$withMembers\(\$?props, ([^)]*)\)/.exec(code)?.[1]?.replaceAll('"', "");
}

describe("the members that a component reads of its props", () => {
  it("are found behind other names and in patterns", () => {
    for (const component of [
      "(props) => <p>{props.form.data.name}</p>",
      "({ form }) => <p>{form.data.name}</p>",
      "({ form: { data } }) => <p>{data.name}</p>",
      "({ id, ...rest }) => <p id={id}>{rest.form.data.name}</p>",
      "(props) => { const { form } = props; const { data } = form; return <p>{data.name}</p>; }",
      "(props) => { const { id, ...rest } = props; return <p id={id}>{rest.form.data.name}</p>; }",
    ])
      assert.equal(propMembers(component), "form, data.name", component);
  });

  it("do not include those of handlers and components that get the prop or all props", () => {
    for (const rest of ["<B form={props.form} />", "<B {...props} />", "<B onClick={() => save(props.form)} />"])
      assert.equal(propMembers(`(props) => <p>{props.form.data.name}${rest}</p>`), "form, data.name", rest);
  });

  it("are not enough if a function gets the prop or all props", () => {
    assert.equal(propMembers("(props) => <p>{show(props.form)}{props.form.data.name}</p>"), undefined);
    assert.equal(propMembers("(props) => <p>{show(props)}{props.form.data.name}</p>"), undefined);
    assert.equal(propMembers("(props) => <p>{props.text}</p>"), undefined);
  });

  it("are all that the browser gets, unless a function of the component uses the prop", () => {
    const bound = (rest: string): string =>
      compile(`const A = ({ form }) => <p>{form.title}{form.count.value}{form.data.n}${rest}</p>;`, "a.tsx").server
        .code;
    assert.match(
      bound(""),
      /=> \[\$prop\(\$withMembers\(\$props, "form", "count.value data.n title"\), "form", form\)/,
    );
    assert.match(
      bound("<b onClick={() => form.save()}>x</b>"),
      /=> \[\$prop\(\$props, "form", \$only\(form, "data save title"\)\)/,
    );
  });
});
