/** `asset`: the URL of a file in `public/`. The compiler replaces each call (src/web/compiler/assets/public-files.ts). */

/**
 * The URL of a file in `public/`, for markup, options and handlers. In a build its name contains a hash of the file's content, such as
 * `/app-1a2b3c4d.css`, and browsers keep the file forever. Under `svc dev`, and in tests without a build, it is the path itself.
 * @param path path of the file in `public/`, in quotes, with a slash in front. `?query` and `#fragment` stay.
 * @throws SvcError `SVC127` in `svc dev` and `svc build` if there is no such file, or the path is not a literal
 * @example
 * export default createApp({ stylesheets: [asset("/app.css")] });
 */
export function asset(path: string): string {
  return path;
}
