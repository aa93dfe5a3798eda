import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface StallingProxy {
  address: string;
  /** From now on nothing of what the server says gets through. */
  stall(): void;
  /** It gets through late. */
  goOn(): void;
  close(): Promise<void>;
}

/** Stands before a server that is there, and too slow. */
export async function startStallingProxy(serverAddress: string): Promise<StallingProxy> {
  const [host = '', port = ''] = serverAddress.split(':');
  const answers = new Set<Socket>();
  let isStalled = false;
  const proxy = createServer((client) => {
    const server = connect(Number(port), host);
    answers.add(server);
    server.on('data', (data) => client.write(data));
    if (isStalled) server.pause();
    client.pipe(server);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    stall() {
      isStalled = true;
      for (const answer of answers) answer.pause();
    },
    goOn() {
      isStalled = false;
      for (const answer of answers) answer.resume();
    },
    async close() {
      for (const answer of answers) answer.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
