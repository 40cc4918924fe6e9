/** The states of a run's nodes before it was retried. */
import type { NodeDetail } from "../../../graph.ts";
import { Heads } from "../table-head.tsx";

export function PastNodes({ nodes }: { nodes: readonly NodeDetail[] }) {
  return (
    <div class="scroll">
      <table>
        <Heads columns={["Run", "Node", "Status", ["Attempts", "number"], "Error"]} />
        <tbody>
          {nodes.map((node) => (
            <tr key={`${node.epoch} ${node.id}`}>
              <td data-label="Run">{node.epoch}</td>
              <th scope="row" data-label="Node">
                {node.id}
              </th>
              <td data-label="Status">{node.status}</td>
              <td data-label="Attempts" class="number">
                {node.attempts}
              </td>
              <td data-label="Error">{node.error?.message ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
