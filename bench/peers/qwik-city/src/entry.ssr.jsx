import { renderToStream } from "@builder.io/qwik/server";
import { manifest } from "@qwik-client-manifest";
import Root from "./root";

export default (options) =>
  renderToStream(<Root />, {
    manifest,
    ...options,
    containerAttributes: { lang: "en", ...options.containerAttributes },
  });
