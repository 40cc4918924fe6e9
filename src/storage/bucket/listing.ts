/** Reads the answer of S3's ListObjectsV2. svc chose the names of the objects, and they contain no mark-up. */
export interface ListedObject {
  /** Below the prefix. */
  name: string;
  changedMs: number;
}

export interface Listing {
  objects: ListedObject[];
  isTruncated: boolean;
}

const OBJECT = /<Contents>(.*?)<\/Contents>/gs;
const KEY = /<Key>([^<]*)<\/Key>/;
const CHANGED = /<LastModified>([^<]*)<\/LastModified>/;

/** @param prefixLength characters of the prefix, which the returned names don't have */
export function readListing(xml: string, prefixLength: number): Listing {
  const objects = [...xml.matchAll(OBJECT)].map(([, content = ""]) => ({
    name: (KEY.exec(content)?.[1] ?? "").slice(prefixLength),
    changedMs: Date.parse(CHANGED.exec(content)?.[1] ?? ""),
  }));
  return { objects, isTruncated: xml.includes("<IsTruncated>true</IsTruncated>") };
}
