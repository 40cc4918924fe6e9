/**
 * `svckit/client`: types of the imports that are no TypeScript modules: stylesheets, CSS modules, assets, `?url`, `?raw`, `?inline`, and
 * of `import.meta.env`. Name it in `compilerOptions.types` of tsconfig.json.
 */
/// <reference types="vite/client" />

/** An image with its size, and in a build with smaller versions. */
declare module "*?image" {
  const image: import("svckit/assets").ImageSource;
  export default image;
}
