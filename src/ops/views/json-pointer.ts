/** JSON Pointers (RFC 6901): `/lines/0/a~1b`. Pure. */
import type { Json } from "../../graph.ts";

/** The pointer of a child, by its key or index. */
export function pointerTo(parent: string, key: string): string {
  return `${parent}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Undefined if there is no such value. */
export function atPointer(json: Json, pointer: string): Json | undefined {
  const keys = pointer.split("/").slice(1);
  return keys.reduce<Json | undefined>((value, key) => {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
    return (value as { [key: string]: Json })[name];
  }, json);
}
