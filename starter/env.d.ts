/** Types of imported stylesheets and assets, and of the variables in .env. Name yours in `ImportMetaEnv`. */
/// <reference types="svckit/client" />

interface ImportMetaEnv {
  readonly VITE_NAME?: string;
}
