/**
 * Where each entry of the history was scrolled to. The browser does not know what is shown when it goes back, so it is told not to
 * scroll by itself; in the pages that it loads anew it does (HTML standard, "scroll restoration mode").
 */

/** Of the history's state: names the entry. */
const KEY = "svc";
/** Of the session's storage: positions outlive a reload. */
const STORED = "svc:places";
/** Most entries that are remembered. */
const MOST = 100;

type Place = [x: number, y: number];

let entry: string | undefined;
const places = new Map<string, Place>(stored());

function stored(): [string, Place][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? "[]") as [string, Place][];
  } catch {
    // Storage may be forbidden, or somebody else's.
    return [];
  }
}

/** Whether an entry is one that a page was shown at. */
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

/** Notes where the page is scrolled to that is about to go. @param isBack the history is elsewhere already */
export const leave = (isBack: boolean): void => {
  // After a reload nobody has named the entry that was left.
  if (entry !== undefined || !isBack) note();
  // Each entry has a mode of its own: that of the one which is left, and by this that of the next.
  history.scrollRestoration = "manual";
};

/** The current entry of the history is that of the page that comes. */
export const arrive = (): void => {
  entry = named();
};

/** Scrolls to where the current entry was. @param isNew whether another page has just come, which has to begin somewhere */
export const restore = (isNew: boolean): void => {
  entry = named();
  const place = places.get(entry);
  if (place) scrollTo({ left: place[0], top: place[1], behavior: "instant" });
  // What the app has put into the history by itself scrolls nothing.
  else if (isNew || location.hash) begin();
};

/** Scrolls to the place behind `#`, or to the top. */
export const begin = (): void => {
  const name = location.hash.slice(1);
  const target = name && (document.getElementById(name) ?? document.getElementById(decoded(name)));
  if (target) target.scrollIntoView({ behavior: "instant" });
  else scrollTo({ left: 0, top: 0, behavior: "instant" });
  // The event of it comes with the next frame, and by then the visitor may have left by a link within the page.
  if (entry !== undefined) note();
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

// Within a page the browser goes to places by itself, and then the entry is another one before anybody hears of it.
addEventListener(
  "scroll",
  () => {
    const { state } = history as { state: unknown };
    if (entry !== undefined && isOurs(state) && (state as Record<string, string>)[KEY] === entry) note();
  },
  { passive: true },
);

// A page that is loaded anew is the browser's to scroll, also when it is this one.
addEventListener("pagehide", () => {
  note();
  history.scrollRestoration = "auto";
  try {
    sessionStorage.setItem(STORED, JSON.stringify([...places]));
  } catch {
    // Then a reload forgets them.
  }
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) history.scrollRestoration = "manual";
});
