/** Receives a cluster's webhooks and records the deliveries for each run. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class ClusterReceiver {
  readonly #server: Server;
  /** Delivery ids by run, in order of arrival. */
  readonly arrived = new Map<string, string[]>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        const { graph_id: id } = JSON.parse(body) as { graph_id: string };
        this.arrived.set(id, [...(this.arrived.get(id) ?? []), String(request.headers["x-svc-delivery"])]);
        response.writeHead(204).end();
      });
    });
  }

  static async open(address: string): Promise<ClusterReceiver> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, address, listening));
    return new ClusterReceiver(server);
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}/hook`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
