/**
 * Ids of inner nodes: what the worker of a node did under a key is remembered in a row `node#key` of its own. Keys are the
 * author's; `#` and `/` mean something in ids, `~` marks those that are counted (`sleep~2`).
 */
import { FinalError } from "../definition/final-error.ts";

const KEY = /^[\w.:@+=, -]{1,100}$/;

export function isInner(nodeId: string): boolean {
  return nodeId.includes("#");
}

/** Name of the definition's node that an id belongs to: `inspect` of `inspect/3#fetch`. */
export function definitionName(nodeId: string): string {
  const [item, inner] = [nodeId.indexOf("/"), nodeId.indexOf("#")];
  if (item === -1 && inner === -1) return nodeId;
  return nodeId.slice(0, item === -1 ? inner : inner === -1 ? item : Math.min(item, inner));
}

/** Ids of everything that a node holds start with this. */
export function innerPrefix(nodeId: string): string {
  return `${nodeId}#`;
}

/** Id of the call that an inner node belongs to: itself, or the `ctx.map` whose item it is. */
export function callId(nodeId: string): string {
  const item = nodeId.indexOf("/", nodeId.lastIndexOf("#"));
  return item === -1 ? nodeId : nodeId.slice(0, item);
}

/** The keys that one attempt has used. */
export class Keys {
  readonly #nodeId: string;
  readonly #used = new Set<string>();
  readonly #counts = new Map<string, number>();

  constructor(nodeId: string) {
    this.#nodeId = nodeId;
  }

  /** The inner node's id. @param call for the message: `step`. @throws FinalError for a bad key, and one that was used. */
  use(call: string, key: string): string {
    if (typeof key !== "string" || !KEY.test(key))
      throw new FinalError(
        `"${String(key).slice(0, 120)}" is no key for ctx.${call} in "${this.#nodeId}"; use 1 to 100 letters, digits, spaces or any of . _ : @ + = , -`,
      );
    if (this.#used.has(key))
      throw new FinalError(
        `The key "${key}" was used before in this attempt of "${this.#nodeId}"; what ctx.${call} remembers needs a key of its own, such as "${key}:2"`,
      );
    this.#used.add(key);
    return innerPrefix(this.#nodeId) + key;
  }

  /** The id of a call without a key: a word and its number. */
  count(word: string): string {
    const count = (this.#counts.get(word) ?? 0) + 1;
    this.#counts.set(word, count);
    return `${innerPrefix(this.#nodeId)}${word}~${count}`;
  }

  /** As `use`; where the name was used by the same call before, its number is added. */
  useAgain(call: string, name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count === 1 ? this.use(call, name) : `${innerPrefix(this.#nodeId)}${name}~${count}`;
  }
}
