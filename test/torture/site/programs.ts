import { setTimeout as wait } from 'node:timers/promises';
import { type DevServerOptions, startDevServer } from '#worker/dev/dev-server.js';
import { startNode } from '../../support/run-command.js';
import { startGatewayProcess } from '../../support/gateway-process.js';
import type { Life } from './kept-process.js';

// How one life of each program of a mesh begins and ends.

export async function startServer(options: DevServerOptions): Promise<Life> {
  const { pid, ended, stop } = await startDevServer(options);
  return { pid, ended, stop };
}

const READY = 'Ctrl-C stops everything';
const READY_WITHIN_MS = 60_000;
const END_WITHIN_MS = 20_000;

/** As `npm start` runs it where the server is somewhere else. */
export async function startWorker(env: Record<string, string>): Promise<Life> {
  const { child, finished, output } = startNode(['worker/bootstrap.mjs', 'start'], env);
  const ready = new Promise<boolean>((resolve) => {
    child.stdout?.on('data', () => output().stdout.includes(READY) && resolve(true));
  });
  const late = new AbortController();
  const tooLate = wait(READY_WITHIN_MS, false, { signal: late.signal }).catch(() => false);
  const isReady = await Promise.race([ready, finished.then(() => false), tooLate]);
  late.abort();
  if (!isReady || child.pid === undefined) {
    child.kill('SIGKILL');
    throw new Error(`no worker: ${(await finished).stderr.trim().split('\n').at(-1) ?? ''}`);
  }
  return {
    pid: child.pid,
    ended: finished,
    async stop() {
      const killer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
      child.kill('SIGINT');
      await finished;
      clearTimeout(killer);
    },
  };
}

export async function startGateway(port: number, env: Record<string, string>): Promise<Life> {
  const { pid, ended, kill, stop } = await startGatewayProcess(port, env);
  const killer = () => setTimeout(() => void kill(), END_WITHIN_MS);
  return {
    pid,
    ended,
    async stop() {
      const late = killer();
      await stop();
      clearTimeout(late);
    },
  };
}
