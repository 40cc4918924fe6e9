/** Where in a JSON value something stands (RFC 6901): `/lines/0/a~1b`. Pure. */
import type { Json } from "../../graph.ts";

/** Of what stands below, by its key or its place. */
export function pointerTo(parent: string, key: string): string {
  return `${parent}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Undefined where nothing stands. */
export function atPointer(json: Json, pointer: string): Json | undefined {
  const keys = pointer.split("/").slice(1);
  return keys.reduce<Json | undefined>((value, key) => {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(name)) return undefined;
    return (value as { [key: string]: Json })[name];
  }, json);
}
