/** A TCP proxy whose connections can be cut, as by a network failure. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface TcpProxy {
  port: number;
  /** Closes all connections. */
  cut(): void;
  close(): void;
}

/** @param address to listen on */
export async function tcpProxy(targetPort: number, address = "127.0.0.1"): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((listening) => server.listen(0, address, listening));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close: () => {
      server.close();
      cut();
    },
  };
}
