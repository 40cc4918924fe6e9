/**
 * Decides by its type whether a prop may be JSX. A type that the file does not show, such as an imported one, may be any. The compiler reads
 * types as they are written and does not check them.
 */
import type { ESTree } from "vite";
import type { FunctionNode } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { ALL_PROPS } from "../../../platform/shared/wire.ts";

type Type = ESTree.TSType;

/** Types that JSX has: `Child`, `Markup`, `JSX.Element`, and what other frameworks call them. */
const JSX_NAMES = /(?:Child|Children|Element|Node|Markup|Html|Content)$/;

/** Types around an object type that keep its properties. */
const KEEPING = new Set(["Readonly", "Partial", "Required"]);

/** Types whose values are texts or nothing. */
const PLAIN =
  /^TS(?:String|Number|Boolean|BigInt|Null|Undefined|Void|Never|Symbol|Object)Keyword$|^TS(?:LiteralType|TemplateLiteralType|FunctionType|ConstructorType|TypeLiteral|MappedType|TypePredicate)$/;

/** Whether the prop of a component may be JSX. @param name of the prop */
export function mayBeJsx(module: Module, fn: FunctionNode, name: string): boolean {
  const found = typeOfProp(module, fn, name);
  return found === "unknown" || (found !== undefined && isJsxType(module, found, new Set()));
}

/** The same for what a prop returns that is a function: a render prop. */
export function mayReturnJsx(module: Module, fn: FunctionNode, name: string): boolean {
  const found = typeOfProp(module, fn, name);
  return found === "unknown" || (found !== undefined && returnsJsxType(module, found, new Set()));
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
  if (type.type === "TSIntersectionType") return firstOf(type.types.map((one) => typeOfMember(module, one, name)));
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return "unknown";
  const inner = type.typeArguments?.params[0];
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
