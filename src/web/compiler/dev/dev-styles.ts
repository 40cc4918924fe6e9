/** Stylesheets under `svc dev`: which ones pages link, which ones an edit may change, and their content, which Vite builds on request. */
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { EnvironmentModuleNode, ViteDevServer } from "vite";
import type { ImportedStyles } from "../../../platform/shared/manifest.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import type { AppModules } from "../build/app-modules.ts";
import { styleError } from "../styles/style-error.ts";
import { isStyle } from "../styles/style-files.ts";
import { styleOrder } from "../styles/style-order.ts";

export class DevStyles {
  readonly #root: string;
  readonly #entry: string;
  readonly #modules: AppModules;
  readonly #server: ViteDevServer;
  /** Stylesheets of the app that was loaded last; undefined if it imports none. */
  current: ImportedStyles | undefined;

  /** @param root folder of the app. @param entry absolute path of its module. */
  constructor(root: string, entry: string, modules: AppModules, server: ViteDevServer) {
    this.#root = root;
    this.#entry = entry;
    this.#modules = modules;
    this.#server = server;
  }

  /** Finds the stylesheets of the loaded modules. */
  async read(): Promise<void> {
    const { jsx, styles } = this.#modules;
    for (const file of [this.#entry, ...jsx.keys()]) await styles.read(file, this.#resolve);
    const order = styleOrder(styles, this.#entry, jsx);
    this.current = order && { ...order, files: order.files.map((file) => this.#urlOf(file)) };
  }

  /** @param isEdit whether the file existed before and after. @returns URLs of the stylesheets that a change of the file may change */
  changed(file: string, isEdit: boolean): string[] {
    const { moduleGraph } = this.#server.environments.client;
    this.#modules.styles.forget(isEdit ? file : undefined);
    const affected = new Set<EnvironmentModuleNode>(moduleGraph.getModulesByFile(file));
    for (const module of affected) for (const importer of module.importers) affected.add(importer);
    moduleGraph.onFileChange(file);
    const linked = new Set(this.current?.files);
    const urls = [...affected].flatMap((module) => (module.file === null ? [] : [this.#urlOf(module.file)]));
    return [...new Set(urls)].filter((url) => linked.has(url));
  }

  /** @param file path of the request, behind the prefix. @throws SvcError `SVC_DEFINITION` if it is a stylesheet with an error */
  async serve(file: string, message: IncomingMessage, reply: ServerResponse): Promise<void> {
    message.url = isStyle(file) ? `${file}?direct` : file;
    if (isStyle(file)) await this.#compile(message.url);
    this.#server.middlewares(message, reply);
  }

  /** Vite keeps the result for its own answer. It would only log an error. */
  async #compile(url: string): Promise<void> {
    const { client } = this.#server.environments;
    try {
      await client.transformRequest(decodeURI(url));
    } catch (error) {
      throw styleError(error, this.#root) ?? error;
    }
  }

  #urlOf(file: string): string {
    const inside = path.relative(this.#root, file);
    const isInside = !inside.startsWith("..") && !path.isAbsolute(inside);
    const name = isInside ? `/${inside}` : `/@fs/${file.replace(/^\//, "")}`;
    return PATHS.devFiles + encodeURI(name.split(path.sep).join("/"));
  }

  /** Only modules of the app, and those of packages that Vite has loaded, can import stylesheets. Node loads the other packages. */
  #resolve = async (specifier: string, importer: string): Promise<string | undefined> => {
    const { ssr } = this.#server.environments;
    const found = await ssr.pluginContainer.resolveId(specifier, importer);
    if (!found || found.external) return undefined;
    const isOwn = found.id.startsWith(this.#root) && !found.id.includes("/node_modules/");
    return isOwn || found.id.startsWith("\0") || isStyle(found.id) || ssr.moduleGraph.getModuleById(found.id)
      ? found.id
      : undefined;
  };
}
