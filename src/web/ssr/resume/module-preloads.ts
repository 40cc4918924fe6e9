/**
 * Computes the modules that the handlers of a scope may need. A handler writes values; each value wakes the scopes that show it,
 * whose effects may write further values. The browser fetches these modules before it runs a handler (docs/resume-protocol.md section 3).
 */

export interface ScopeModules {
  /** Modules that the scope's attribute lists. */
  own: readonly string[];
  /** `own`, and the modules that its serialized values require. */
  all: readonly string[];
  /** Indices of captured values. */
  slots: readonly number[];
}

/**
 * @param readers for each value, the scopes whose bindings read it.
 * @returns scope -> additional modules; scopes without any are omitted.
 */
export function modulePreloads(
  scopes: ReadonlyMap<number, ScopeModules>,
  readers: readonly ReadonlySet<number>[],
): Record<string, string[]> {
  // In most pages every scope lists all modules, so the graph needs no traversal.
  if (isOneList(scopes)) return {};
  const isEnough = coverage(scopes);
  if ([...scopes.values()].every(({ own }) => isEnough(own))) return {};
  const reach = new Map([...scopes.keys()].map((id) => [id, new Set<string>()]));
  // There are few modules, so the sets stop growing after a few iterations.
  for (let hasGrown = true; hasGrown;) {
    hasGrown = false;
    const behind = readers.map((ids) => modulesOf(ids, scopes, reach));
    for (const [id, { slots }] of scopes) {
      const found = reach.get(id);
      const before = found?.size;
      for (const slot of slots) for (const name of behind[slot] ?? []) found?.add(name);
      hasGrown ||= found?.size !== before;
    }
  }
  const needs = [...scopes].map(([id, { own, all }]): [number, string[]] => {
    const names = new Set([...all, ...(reach.get(id) ?? [])]);
    return [id, [...names].filter((name) => !own.includes(name))];
  });
  return Object.fromEntries(needs.filter(([, names]) => names.length > 0));
}

/** Whether all scopes share one list and need nothing else. Common in small pages, where the other checks would dominate the cost. */
function isOneList(scopes: ReadonlyMap<number, ScopeModules>): boolean {
  let shared: readonly string[] | undefined;
  for (const { own, all } of scopes.values()) {
    shared ??= own;
    if (own !== shared || all !== shared) return false;
  }
  return true;
}

/** Returns a function that checks whether a list contains every module of the page. It caches by list: thousands of scopes share few lists. */
function coverage(scopes: ReadonlyMap<number, ScopeModules>): (own: readonly string[]) => boolean {
  const lists = new Set<readonly string[]>();
  for (const { all } of scopes.values()) lists.add(all);
  const everything = new Set([...lists].flat());
  const known = new Map<readonly string[], boolean>();
  return (own) => {
    let answer = known.get(own);
    if (answer === undefined) known.set(own, (answer = [...everything].every((name) => own.includes(name))));
    return answer;
  };
}

function modulesOf(
  ids: ReadonlySet<number>,
  scopes: ReadonlyMap<number, ScopeModules>,
  reach: ReadonlyMap<number, ReadonlySet<string>>,
): Set<string> {
  const names = new Set<string>();
  for (const id of ids) {
    for (const name of scopes.get(id)?.all ?? []) names.add(name);
    for (const name of reach.get(id) ?? []) names.add(name);
  }
  return names;
}
