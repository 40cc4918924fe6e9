/**
 * Stores and restores the scroll position of each history entry. The browser can't know the content of a swapped page, so its own
 * restoration is turned off; it stays on for pages that the browser reloads (HTML standard, "scroll restoration mode").
 */

/** Property of `history.state` that identifies the entry. */
const KEY = "svc";
/** Key in session storage: positions survive a reload. */
const STORED = "svc:places";
/** Maximum number of entries with a stored position. */
const MOST = 100;

type Place = [x: number, y: number];

let entry: string | undefined;
const places = new Map<string, Place>(stored());

function stored(): [string, Place][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "[]") as [string, Place][];
  } catch {
    // Storage may be blocked, or contain another script's data.
    return [];
  }
}

/** Whether a history entry was created for a page that svc showed. */
export const isOurs = (state: unknown): boolean => typeof state === "object" && state !== null && KEY in state;

const named = (): string => {
  const state = history.state as Record<string, string> | null;
  const known = state?.[KEY];
  if (known !== undefined) return known;
  const name = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;
  history.replaceState({ ...state, [KEY]: name }, "");
  return name;
};

const note = (): void => {
  entry ??= named();
  places.delete(entry);
  places.set(entry, [scrollX, scrollY]);
  for (const oldest of places.keys()) {
    if (places.size <= MOST) break;
    places.delete(oldest);
  }
};

/** Stores the scroll position of the page that is being left. @param isBack the history already points to another entry */
export const leave = (isBack: boolean): void => {
  // After a reload the entry that was left has no id yet.
  if (entry !== undefined || !isBack) note();
  // Each entry has its own mode. This sets it for the entry that is left; the next entry inherits it.
  history.scrollRestoration = "manual";
};

/** Marks the current history entry as that of the new page. */
export const arrive = (): void => {
  entry = named();
};

/** Scrolls to the stored position of the current entry. @param isNew whether another page has just been shown and needs a position */
export const restore = (isNew: boolean): void => {
  entry = named();
  const place = places.get(entry);
  if (place) scrollTo({ left: place[0], top: place[1], behavior: "instant" });
  // An entry that the app itself created does not scroll.
  else if (isNew || location.hash) begin();
};

/** Scrolls to the element of the fragment, or to the top. */
export const begin = (): void => {
  const name = location.hash.slice(1);
  const target = name && (document.getElementById(name) ?? document.getElementById(decoded(name)));
  if (target) target.scrollIntoView({ behavior: "instant" });
  else scrollTo({ left: 0, top: 0, behavior: "instant" });
  // The scroll event fires in the next frame. By then the visitor may have followed a link within the page, so store the position now.
  if (entry !== undefined) note();
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

// For a link within the page the browser changes the entry before this event fires, so compare the entry first.
addEventListener(
  "scroll",
  () => {
    const { state } = history as { state: unknown };
    if (entry !== undefined && isOurs(state) && (state as Record<string, string>)[KEY] === entry) note();
  },
  { passive: true },
);

// Let the browser restore the position when it loads a page, this one included.
addEventListener("pagehide", () => {
  note();
  history.scrollRestoration = "auto";
  try {
    sessionStorage.setItem(STORED, JSON.stringify([...places]));
  } catch {
    // Positions are then lost on reload.
  }
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) history.scrollRestoration = "manual";
});
