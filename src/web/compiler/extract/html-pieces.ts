/**
 * Splits attributes and texts at build time, for the server: fixed parts become HTML, and only data is escaped by the runtime. Escaping
 * many small texts is cheaper than scanning one concatenated text.
 */
import { escapeText } from "../../../platform/shared/html/escape.ts";
import type { Expression, Node } from "../parse/ast.ts";
import { memberName, unwrap } from "../parse/ast.ts";
import { hasHarmlessStart } from "./attribute-text.ts";
import { fixedText } from "./jsx-forms.ts";
import { stringToAttribute } from "../parse/jsx-text.ts";
import type { AttributeKind, Code } from "../model.ts";
import { concatenation, type Segment } from "../emit/server-output.ts";

/** `use` returns the local name of a runtime export. `keep` receives each expression that stays in the code. */
export interface PieceWriter {
  use(name: string): string;
  keep(node: Node): void;
}

/** Emits an attribute of a host element: all of ` name="…"`, or nothing. */
export function attributePieces(
  attribute: { name: string; how: AttributeKind; expression: Expression },
  writer: PieceWriter,
): Segment[] {
  const { name, how, expression } = attribute;
  const inner = unwrap(expression);
  if (isWhole(inner, how)) {
    return [` ${name}="`, ...templatePieces(inner, writer), '"'];
  }
  if (inner.type === "ConditionalExpression" && comesApart(inner, how)) {
    const side = (node: Expression): Segment[] => attributePieces({ name, how, expression: node }, writer);
    return [choice(inner, side, writer)];
  }
  if (isFixed(inner, how)) return [fixedAttribute(name, how, inner)];
  writer.keep(expression);
  return [attributeCall({ name, how, expression }, writer)];
}

/** Emits text between tags. */
export function textPieces(expression: Expression, writer: PieceWriter): Segment[] {
  const inner = unwrap(expression);
  const fixed = fixedText(inner);
  if (fixed !== undefined) return [escapeText(fixed)];
  if (isFixedChoice(inner)) return [choice(inner, (side) => textPieces(side, writer), writer)];
  return [{ code: rounded(inner, "t", writer) ?? written(expression, "t", writer) }];
}

/** Code that escapes an expression's value with `t` or `a` of the runtime. */
function written(expression: Node, how: "t" | "a", writer: PieceWriter): Code {
  writer.keep(expression);
  const [open, close] = expression.type === "SequenceExpression" ? ["((", "))"] : ["(", ")"];
  return [writer.use(how) + open, expression, close];
}

function rounded(node: Node, how: "t" | "a", writer: PieceWriter): Code | undefined {
  const parts = roundedParts(node);
  if (!parts) return undefined;
  for (const part of parts) writer.keep(part);
  const [value, digits] = parts;
  return [`${writer.use("fixed")}(${writer.use(how)}, `, value, ", ", digits, ")"];
}

/** Splits `x.toFixed(2)`: if `x` is a number, which only the runtime can check, the result needs no escaping. */
export function roundedParts(node: Node): [value: Node, digits: Node] | undefined {
  if (node.type !== "CallExpression" || node.optional || node.callee.type !== "MemberExpression") return undefined;
  const { object, optional } = node.callee;
  const [digits, ...others] = node.arguments;
  if (optional || memberName(node.callee) !== "toFixed" || object.type === "Super") return undefined;
  return digits && digits.type !== "SpreadElement" && others.length === 0 ? [object, digits] : undefined;
}

/** Whether an expression is a condition with fixed text on one side. */
export function isFixedChoice(node: Node): node is Node & { type: "ConditionalExpression" } {
  if (node.type !== "ConditionalExpression") return false;
  return [node.consequent, node.alternate].some((side) => fixedText(unwrap(side)) !== undefined);
}

type Choice = Node & { type: "ConditionalExpression" };

function choice(node: Choice, side: (node: Expression) => Segment[], writer: PieceWriter): Segment {
  writer.keep(node.test);
  const [whenTrue, otherwise] = [node.consequent, node.alternate].map((each) => concatenation(side(each)));
  return { code: ["(", node.test, " ? ", ...(whenTrue ?? []), " : ", ...(otherwise ?? []), ")"] };
}

type Template = Node & { type: "TemplateLiteral" };

function templatePieces(template: Template, writer: PieceWriter): Segment[] {
  return template.quasis.flatMap((quasi, at): Segment[] => {
    const text = stringToAttribute(quasi.value.cooked ?? "");
    const expression = template.expressions[at];
    if (!expression) return [text];
    return [text, { code: rounded(unwrap(expression), "a", writer) ?? written(expression, "a", writer) }];
  });
}

function comesApart(expression: Expression, how: AttributeKind): boolean {
  const inner = unwrap(expression);
  if (inner.type !== "ConditionalExpression") return isFixed(inner, how) || isWhole(inner, how);
  return comesApart(inner.consequent, how) || comesApart(inner.alternate, how);
}

/** Whether a node is a template literal whose text is the attribute's value for all values of its expressions. */
function isWhole(template: Node, how: AttributeKind): template is Template {
  if (template.type !== "TemplateLiteral") return false;
  if (template.quasis.some(({ value }) => value.cooked === null)) return false;
  if (how === "url") return hasHarmlessStart(template);
  if (how.endsWith("-member")) return false;
  // An empty class or style is omitted.
  return (how !== "class" && how !== "style") || template.quasis.some(({ value }) => value.cooked !== "");
}

function isFixed(node: Node, how: AttributeKind): boolean {
  const inner = unwrap(node);
  if (inner.type === "Identifier") return inner.name === "undefined";
  if (inner.type !== "Literal") return false;
  if (inner.value === null) return !("regex" in inner) && !("bigint" in inner);
  return typeof inner.value === "string" && (how !== "url" || inner.value === "" || hasHarmlessStart(inner));
}

function fixedAttribute(name: string, how: AttributeKind, node: Node): string {
  const text = node.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
  if (text === undefined || (text === "" && (how === "class" || how === "style"))) return "";
  return ` ${name}="${stringToAttribute(text)}"`;
}

/** Functions of write.ts for attributes with rules of their own. */
const WRITERS: Partial<Record<AttributeKind, "url" | "en" | "fm" | "dm">> = {
  url: "url",
  enumerated: "en",
  "form-member": "fm",
  "document-member": "dm",
};

/** Emits a call that writes the attribute and the HTML around it (write.ts). */
function attributeCall(
  { name, how, expression }: { name: string; how: AttributeKind; expression: Expression },
  writer: PieceWriter,
): Segment {
  const isText = how === "class" || how === "style";
  const write = writer.use(WRITERS[how] ?? "at");
  const value: Code = isText
    ? [`${writer.use(how === "class" ? "cls" : "sty")}(`, expression, ") || null"]
    : [expression];
  return {
    around: (before, behind) => {
      const [open, close, without] = [`${before} ${name}="`, `"${behind}`, before + behind].map((text) =>
        JSON.stringify(text),
      );
      return [`${write}(${open}, `, ...value, without === '""' ? ")" : `, ${close}, ${without})`];
    },
  };
}
