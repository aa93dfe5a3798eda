import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBridgeServer } from '../bridge-server.js';
import { type HttpTarget, startHttpTarget } from '../http-target.js';
import { mailingThrough, startMailServer } from '../mail-server.js';
import { writeProgram } from './agent-program.js';

export type ReceiverName = 'command' | 'http' | 'mail' | 'webhook' | 'capacity';
export type Arrivals = Record<ReceiverName, number>;

/**
 * What a receiver does with the first that comes, instead of taking it and saying so. `silent`: it takes it and says nothing, ever.
 * `refused`: not now. `lasting`: it is not done with it when the kill comes.
 */
export type FirstManner = 'silent' | 'refused' | 'lasting';
export type FirstManners = Partial<Record<ReceiverName, FirstManner>>;

/** All that the actions reach, as it really is: a program, a runtime, a mail server, a webhook and a bridge. */
export interface Receivers {
  /** `mesh.yaml` that leads to them. */
  config: unknown;
  arrivals(): Arrivals;
  /** Every key that came to each, as often as it came. */
  keys(): Record<ReceiverName, string[]>;
  /** By key, what was taken once and was then known. */
  agents: Ledger;
  messages: Ledger;
  /** Every request for capacity by its key, those of other actions too. */
  capacityKeys(): string[];
  /** Programs of agents that run now. */
  runningAgents(): Promise<number>;
  /** Runs of the program that began while one before it was still there. */
  overlaps(): string[];
  close(): Promise<void>;
}

/** What came to a receiver that honours keys, and what it took. */
export interface Ledger {
  came: string[];
  taken: Map<string, string>;
}

const SIGNING_KEY = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

export async function startReceivers(first: FirstManners): Promise<Receivers> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-receivers-'));
  const program = await writeProgram(folder, first.command);
  const [mail, runtime, hook, bridge] = await Promise.all([
    startMailServer(),
    startHttpTarget(),
    startHttpTarget(),
    startBridgeServer(),
  ]);
  const agents = keepLedger(runtime, 'idempotency-key', first.http);
  const messages = keepLedger(hook, 'webhook-id', first.webhook);
  if (first.mail) mail.script.push(({ silent: 'silent', refused: 451, lasting: 'hang' } as const)[first.mail]);
  if (first.capacity) {
    // Lasting: it says yes and has nothing ready.
    const lasting = { status: 200, body: { environment: 'env-1' } };
    bridge.script.push(({ silent: 'silent', refused: { status: 503 }, lasting } as const)[first.capacity]);
  }
  const signingFile = join(folder, 'signing.key');
  await writeFile(signingFile, SIGNING_KEY);

  const capacityKeys = () => bridge.requests.map(({ headers }) => String(headers['idempotency-key']));
  const receivers: Receivers = {
    config: mailingThrough(mail.url, {
      // With one slot each, none may be left taken by what a worker did not live to give back.
      agents: {
        command: { command: program.command, maxConcurrent: 1 },
        http: { http: { url: `${runtime.url}/agents` }, maxConcurrent: 1 },
      },
      teams: {
        ops: {
          members: [{ name: 'ada', email: 'ada@example.com' }],
          channels: [
            { type: 'email' },
            { type: 'webhook', url: `${hook.url}/webhook`, secret: `\${file:${signingFile}}` },
          ],
        },
      },
      ...bridge.config,
    }),
    keys: () => ({
      command: program.runs().map(({ key }) => key),
      http: agents.came,
      mail: mail.mails.map(({ source }) => /^Message-ID: (.*)$/im.exec(source)?.[1] ?? 'none'),
      webhook: messages.came,
      capacity: capacityKeys().filter((key) => key.endsWith('/capacity')),
    }),
    arrivals() {
      const { command, http, mail, webhook, capacity } = receivers.keys();
      return {
        command: command.length,
        http: http.length,
        mail: mail.length,
        webhook: webhook.length,
        capacity: capacity.length,
      };
    },
    agents,
    messages,
    capacityKeys,
    runningAgents: async () => (await program.running()).length,
    overlaps: program.overlaps,
    async close() {
      // Of a test that failed.
      for (const pid of await program.running()) process.kill(pid, 'SIGKILL');
      await Promise.all([mail.close(), runtime.close(), hook.close(), bridge.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
  return receivers;
}

/** A receiver that honours keys: takes what comes under a new one, and knows what comes again. */
function keepLedger(target: HttpTarget, header: string, first: FirstManner | undefined): Ledger {
  const came: string[] = [];
  const taken = new Map<string, string>();
  target.answer((response, { headers }) => {
    const key = String(headers[header]);
    came.push(key);
    const isFirst = came.length === 1;
    if (isFirst && first === 'refused') return void response.writeHead(503).end();
    const isKnown = taken.has(key);
    const agentId = taken.get(key) ?? `agent-${taken.size + 1}`;
    taken.set(key, agentId);
    if (isFirst && first === 'silent') return;
    const status = isKnown && header === 'idempotency-key' ? 409 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ launched: true, agentId }));
  });
  return { came, taken };
}
