/** `new URL("./photo.png", import.meta.url)` in server code, which the compiler replaces (src/web/compiler/assets/module-urls.ts). */

/**
 * A URL whose text is its path, because the server does not know under which origin a browser sees the page. The browser has the same path, and
 * resolves it against the page.
 */
class FileUrl extends URL {
  override get href(): string {
    return this.pathname + this.search + this.hash;
  }

  override toString(): string {
    return this.href;
  }

  override toJSON(): string {
    return this.href;
  }

  /** Keeps it out of the state of pages, where a URL without an origin has no meaning. Pass its `href`. */
  get [Symbol.toStringTag](): string {
    return "FileUrl";
  }
}

/** @param path URL of an imported file: `/_svc/asset/photo-1a2b3c4d.png` */
export function fileUrl(path: string): URL {
  return new FileUrl(path, "file:///");
}
