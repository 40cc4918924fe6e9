/**
 * Route patterns as a tree of segments: `/todos`, `/todos/:id`, and `/files/**:file` for one segment or more. The most specific matching
 * pattern wins, in any order of definition: text precedes parameters, and parameters precede a rest, segment by segment from the left.
 * Paths are already decoded, so text is compared as it is.
 */

/** Values of a pattern's end, by method. */
type Ends<Value> = Map<string, { value: Value; names: readonly string[] }>;

interface Node<Value> {
  readonly texts: Map<string, Node<Value>>;
  param: Node<Value> | undefined;
  readonly ends: Ends<Value>;
  readonly rests: Ends<Value>;
}

export interface Found<Value> {
  value: Value;
  params: Readonly<Record<string, string>>;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

export class RouteTree<Value> {
  readonly #root: Node<Value> = createNode();

  add(method: string, pattern: string, value: Value): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of segmentsOf(pattern)) {
      const [, stars, name] = /^(\*\*)?:(.*)$/.exec(segment) ?? [];
      if (name !== undefined) names.push(name);
      if (stars !== undefined) return void node.rests.set(method, { value, names });
      node = name === undefined ? textBelow(node, segment) : (node.param ??= createNode());
    }
    node.ends.set(method, { value, names });
  }

  /** @param path decoded; a final slash is ignored. */
  find(method: string, path: string): Found<Value> | undefined {
    return search(this.#root, method, segmentsOf(path), 0, []);
  }
}

function createNode<Value>(): Node<Value> {
  return { texts: new Map(), param: undefined, ends: new Map(), rests: new Map() };
}

function textBelow<Value>(node: Node<Value>, text: string): Node<Value> {
  const known = node.texts.get(text);
  if (known) return known;
  const made = createNode<Value>();
  node.texts.set(text, made);
  return made;
}

function segmentsOf(path: string): string[] {
  const segments = path.split("/");
  segments.shift();
  if (segments.at(-1) === "") segments.pop();
  return segments;
}

/** The most specific pattern below `node` that ends with the path. @param values parameter values so far */
function search<Value>(
  node: Node<Value>,
  method: string,
  segments: readonly string[],
  at: number,
  values: readonly string[],
): Found<Value> | undefined {
  const segment = segments[at];
  if (segment === undefined) return found(node.ends.get(method), values);
  const text = node.texts.get(segment);
  const { param } = node;
  return (
    (text && search(text, method, segments, at + 1, values)) ??
    (param && search(param, method, segments, at + 1, [...values, segment])) ??
    found(node.rests.get(method), values, segments, at)
  );
}

function found<Value>(
  end: { value: Value; names: readonly string[] } | undefined,
  values: readonly string[],
  segments: readonly string[] = [],
  restAt = 0,
): Found<Value> | undefined {
  if (!end) return undefined;
  const { value, names } = end;
  if (names.length === 0) return { value, params: NO_PARAMS };
  const params = Object.create(null) as Record<string, string>;
  names.forEach((name, at) => (params[name] = values[at] ?? segments.slice(restAt).join("/")));
  // Frozen, because later requests for the same path share it.
  return { value, params: Object.freeze(params) };
}
