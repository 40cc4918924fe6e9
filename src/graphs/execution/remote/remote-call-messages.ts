/** JSON messages of remote calls, including values without a JSON form: bytes of artifacts, dates to sleep until, missing options. */

export function encode(message: unknown): string {
  return JSON.stringify(message, function (this: Record<string, unknown>, key, value: unknown) {
    // The value before its toJSON.
    const own = this[key];
    if (own instanceof Uint8Array) return { $bytes: Buffer.from(own).toString("base64") };
    if (own instanceof Date) return { $date: own.getTime() };
    // A missing option among arguments.
    if (own === undefined && Array.isArray(this)) return { $none: 1 };
    return isMarked(value) ? { $own: Object.entries(value)[0] } : value;
  });
}

export function decode(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (!isMarked(value)) return value;
    if ("$bytes" in value) return Buffer.from(value.$bytes as string, "base64");
    if ("$none" in value) return undefined;
    if ("$date" in value) return new Date((value.$date as number | null) ?? NaN);
    const [key, own] = (value as { $own: [string, unknown] }).$own;
    return { [key]: own };
  });
}

/** Whether a value looks like one of these encodings. Such a value of an author is wrapped. */
function isMarked(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const [key, ...others] = Object.keys(value);
  return others.length === 0 && (key === "$bytes" || key === "$date" || key === "$none" || key === "$own");
}
