import { request } from 'node:http';
import { startNode } from './run-command.js';
import { eventually } from './eventually.js';

export interface GatewayProcess {
  url: string;
  pid: number;
  ended: Promise<unknown>;
  output(): { stdout: string; stderr: string };
  /** SIGKILL: nothing is said good-bye to. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code and how long it took. */
  stop(): Promise<{ code: number | null; tookMs: number }>;
}

/** `mesh gateway` as a process of its own. */
export async function startGatewayProcess(port: number, env: Record<string, string>): Promise<GatewayProcess> {
  const running = startNode(['worker/mesh.mjs', 'gateway'], { MESH_GATEWAY_PORT: String(port), ...env });
  const url = `http://127.0.0.1:${port}`;
  const ended = running.finished.then(({ stderr }) => Promise.reject(new Error(`the gateway ended: ${stderr}`)));
  ended.catch(() => undefined);
  const up = eventually('answer of the gateway', async () =>
    (await get(`${url}/healthz`)).status === 200 ? true : undefined,
  );
  await Promise.race([up, ended]).catch((error: unknown) => {
    running.child.kill('SIGKILL');
    throw error;
  });
  const end = async (signal: NodeJS.Signals) => {
    const begun = performance.now();
    running.child.kill(signal);
    const { code } = await running.finished;
    return { code, tookMs: performance.now() - begun };
  };
  return {
    url,
    pid: running.child.pid ?? 0,
    ended: running.finished,
    output: running.output,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return send('GET', url, undefined, headers);
}

export function postJson(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return send('POST', url, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
}

function send(method: string, url: string, body: string | undefined, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
      answer.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
