/**
 * Decides by its type whether a prop may be JSX. A type that the file does not show, such as an imported one, may be any. The compiler reads
 * types as they are written and does not check them.
 */
import type { ESTree } from "vite";
import type { FunctionNode } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { ANY, type Step } from "./jsx-members.ts";
import { ALL_PROPS } from "../../../platform/shared/wire.ts";

type Type = ESTree.TSType;

/** Types that JSX has: `Child`, `Markup`, `JSX.Element`, and what other frameworks call them. */
const JSX_NAMES = /(?:Child|Children|Element|Node|Markup|Html|Content)$/;

/** Types around an object type that keep its properties. */
const KEEPING = new Set(["Readonly", "Partial", "Required"]);

/** Types whose `value` has the type of their argument. */
const SIGNALS = new Set(["Signal", "Computed"]);

/** Types whose last argument is the type of their items. */
const ITEMS = new Set(["Array", "ReadonlyArray", "Record", "Partial", "Readonly"]);

/** Types whose values are texts or nothing. */
const PLAIN =
  /^TS(?:String|Number|Boolean|BigInt|Null|Undefined|Void|Never|Symbol|Object)Keyword$|^TS(?:LiteralType|TemplateLiteralType|FunctionType|ConstructorType|TypeLiteral|MappedType|TypePredicate)$/;

/** Whether the prop of a component may be JSX. @param name of the prop */
export function mayBeJsx(module: Module, fn: FunctionNode, name: string): boolean {
  const found = typeOfProp(module, fn, name);
  return found === "unknown" || (found !== undefined && isJsxType(module, found, new Set()));
}

/** The same for a prop that is mostly a text. Its type decides, so one that the file does not show counts as another. */
export function isJsxProp(module: Module, fn: FunctionNode, name: string): boolean {
  const found = typeOfProp(module, fn, name);
  return found !== "unknown" && found !== undefined && isJsxType(module, found, new Set());
}

/** The same for what a prop returns that is a function: a render prop. */
export function mayReturnJsx(module: Module, fn: FunctionNode, name: string): boolean {
  const found = typeOfProp(module, fn, name);
  return found === "unknown" || (found !== undefined && returnsJsxType(module, found, new Set()));
}

/** A member of a prop. */
export interface PropMember {
  fn: FunctionNode;
  name: string;
  /** `ANY` for items and members whose name is not known. */
  path: readonly Step[];
  /** Whether it is in the item of a row that the browser updates. */
  isOfRow: boolean;
}

/** Whether a member of a prop may be JSX: `props.tabs[at.value].content`. */
export function mayBeJsxAt(module: Module, { fn, name, path, isOfRow }: PropMember): boolean {
  if (path.length === 0) return mayBeJsx(module, fn, name);
  const found = typeAt(module, typeOfProp(module, fn, name), path);
  return found === "unknown" ? isChosenItem(path, isOfRow) : found !== undefined && isJsxType(module, found, new Set());
}

/**
 * If the file does not show a type, only a member of an item may be JSX. Members such as `props.user.name`, and of the items of rows that change, are
 * mostly texts, and a text that may be JSX costs a page two comments and a part of the runtime.
 */
function isChosenItem(path: readonly Step[], isOfRow: boolean): boolean {
  return !isOfRow && path.at(-1) !== ANY && path.includes(ANY);
}

/** The same for what a member of a prop returns: `props.tabs[at.value].render()`. */
export function mayReturnJsxAt(module: Module, { fn, name, path, isOfRow }: PropMember): boolean {
  if (path.length === 0) return mayReturnJsx(module, fn, name);
  const found = typeAt(module, typeOfProp(module, fn, name), path);
  if (found === "unknown") return isChosenItem(path, isOfRow);
  return found !== undefined && returnsJsxType(module, found, new Set());
}

function typeAt(
  module: Module,
  type: Type | "unknown" | undefined,
  path: readonly Step[],
): Type | "unknown" | undefined {
  const [step, ...rest] = path;
  if (step === undefined || type === undefined || type === "unknown") return type;
  return typeAt(module, step === ANY ? typeOfItem(module, type) : typeOfMember(module, type, step), rest);
}

/** The type of the items of an array, or of the values of a record. */
function typeOfItem(module: Module, type: Type): Type | "unknown" {
  if (type.type === "TSParenthesizedType" || type.type === "TSTypeOperator")
    return typeOfItem(module, type.typeAnnotation);
  if (type.type === "TSArrayType") return type.elementType;
  if (type.type === "TSUnionType") return typeOfItem(module, definedPart(type));
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return "unknown";
  const { name } = type.typeName;
  const given = type.typeArguments?.params ?? [];
  if (ITEMS.has(name)) return given.at(-1) ?? "unknown";
  const declared = declarationOf(module, name);
  return declared?.type === "TSTypeAliasDeclaration" ? typeOfItem(module, declared.typeAnnotation) : "unknown";
}

/** `T` of `T | undefined` and `T | null`. */
function definedPart({ types }: ESTree.TSUnionType): Type {
  return types.find(({ type }) => type !== "TSUndefinedKeyword" && type !== "TSNullKeyword") ?? (types[0] as Type);
}

function typeOfProp(module: Module, fn: FunctionNode, name: string): Type | "unknown" | undefined {
  const [param] = fn.params;
  const pattern = param?.type === "AssignmentPattern" ? param.left : param;
  const type = pattern && "typeAnnotation" in pattern ? pattern.typeAnnotation?.typeAnnotation : undefined;
  if (name === ALL_PROPS) return undefined;
  return type ? typeOfMember(module, type, name) : "unknown";
}

/** @returns undefined if an object type has no such property */
function typeOfMember(module: Module, type: Type, name: string): Type | "unknown" | undefined {
  if (type.type === "TSParenthesizedType") return typeOfMember(module, type.typeAnnotation, name);
  if (type.type === "TSTypeLiteral") return memberOf(type.members, name);
  if (type.type === "TSUnionType") return typeOfMember(module, definedPart(type), name);
  if (type.type === "TSIntersectionType") return firstOf(type.types.map((one) => typeOfMember(module, one, name)));
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return "unknown";
  const inner = type.typeArguments?.params[0];
  if (inner && name === "value" && SIGNALS.has(type.typeName.name)) return inner;
  if (inner && KEEPING.has(type.typeName.name)) return typeOfMember(module, inner, name);
  const declared = declarationOf(module, type.typeName.name);
  if (declared?.type === "TSTypeAliasDeclaration") return typeOfMember(module, declared.typeAnnotation, name);
  if (declared?.type !== "TSInterfaceDeclaration") return "unknown";
  const bases = declared.extends.map(({ expression }) => memberOfBase(module, expression, name));
  return firstOf([memberOf(declared.body.body, name), ...bases]);
}

function memberOfBase(module: Module, base: ESTree.Expression, name: string): Type | "unknown" | undefined {
  const declared = base.type === "Identifier" ? declarationOf(module, base.name) : undefined;
  return declared?.type === "TSInterfaceDeclaration" ? memberOf(declared.body.body, name) : "unknown";
}

function memberOf(members: readonly ESTree.TSSignature[], name: string): Type | "unknown" | undefined {
  for (const member of members) {
    if (member.type !== "TSPropertySignature" || member.key.type !== "Identifier" || member.key.name !== name) continue;
    return member.typeAnnotation?.typeAnnotation ?? "unknown";
  }
  return undefined;
}

function firstOf(found: readonly (Type | "unknown" | undefined)[]): Type | "unknown" | undefined {
  return found.find((one) => one !== undefined && one !== "unknown") ?? found.find((one) => one !== undefined);
}

function isJsxType(module: Module, type: Type, seen: Set<string>): boolean {
  if (PLAIN.test(type.type)) return false;
  if (type.type === "TSParenthesizedType") return isJsxType(module, type.typeAnnotation, seen);
  if (type.type === "TSArrayType") return isJsxType(module, type.elementType, seen);
  if (type.type === "TSUnionType" || type.type === "TSIntersectionType")
    return type.types.some((one) => isJsxType(module, one, seen));
  if (type.type !== "TSTypeReference") return true;
  const { typeName } = type;
  if (typeName.type === "TSQualifiedName") return JSX_NAMES.test(typeName.right.name);
  if (typeName.type !== "Identifier" || seen.has(typeName.name)) return false;
  seen.add(typeName.name);
  const declared = declarationOf(module, typeName.name);
  if (declared?.type === "TSTypeAliasDeclaration") return isJsxType(module, declared.typeAnnotation, seen);
  return !declared && JSX_NAMES.test(typeName.name);
}

function returnsJsxType(module: Module, type: Type, seen: Set<string>): boolean {
  if (type.type === "TSFunctionType") return isJsxType(module, type.returnType.typeAnnotation, new Set());
  if (PLAIN.test(type.type)) return false;
  if (type.type === "TSParenthesizedType") return returnsJsxType(module, type.typeAnnotation, seen);
  if (type.type === "TSUnionType") return type.types.some((one) => returnsJsxType(module, one, seen));
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return true;
  if (seen.has(type.typeName.name)) return false;
  seen.add(type.typeName.name);
  const declared = declarationOf(module, type.typeName.name);
  if (declared?.type === "TSTypeAliasDeclaration") return returnsJsxType(module, declared.typeAnnotation, seen);
  return !declared;
}

/** The type that a module declares under a name. */
function declarationOf(module: Module, name: string) {
  for (const statement of module.program.body) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "TSInterfaceDeclaration" && declared?.type !== "TSTypeAliasDeclaration") continue;
    if (declared.id.name === name) return declared;
  }
  return undefined;
}
