/** `<FlowAssets>`: the stylesheet and the script of the widgets, for a page's head. */
import { PATHS } from "../../internal.ts";

export interface FlowAssetsProps {
  /** `ctx.nonce`. Without it there is no script, and the widgets stay as the server rendered them. */
  nonce?: string;
}

/**
 * The stylesheet of the widgets, and the script that updates them.
 * @example
 * page("/jobs", {
 *   title: "Jobs",
 *   head: (_data, ctx) => <FlowAssets nonce={ctx.nonce} />,
 *   view: () => <OpsDashboard />,
 * });
 */
export function FlowAssets({ nonce }: FlowAssetsProps) {
  return (
    <>
      <link rel="stylesheet" href={PATHS.flowCss} />
      {nonce === undefined ? null : <script type="module" async={true} src={PATHS.flow} nonce={nonce} />}
    </>
  );
}
