import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MailServer, startMailServer } from '../../support/mail-server.js';
import { type Came, type MoodyHttp, startMoodyHttp } from './moody-http.js';

/** What came to a receiver that honours keys, and when it first took each. */
export interface KeyLedger {
  came: { key: string; at: number }[];
  taken: Map<string, number>;
}

/** All that the actions reach. */
export interface Receivers {
  config: Record<string, unknown>;
  http: Record<'agents' | 'webhook' | 'slack', MoodyHttp>;
  mail: MailServer;
  /** By `Idempotency-Key`. */
  agents: KeyLedger;
  /** By `webhook-id`. */
  webhooks: KeyLedger;
  slackBodies: string[];
  /** Keys of the programs that were run, as often as they were. */
  programRuns(): Promise<string[]>;
  /** Called when something comes that has not come before. */
  onFirst(listener: (receiver: string) => void): void;
  close(): Promise<void>;
}

const SIGNING_KEY = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;
const MANY = 20;

export async function startReceivers(): Promise<Receivers> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-torture-receivers-'));
  const runsFile = join(folder, 'runs');
  const [signingFile, slackFile] = [join(folder, 'signing'), join(folder, 'slack')];
  let listener: (receiver: string) => void = () => undefined;

  const keep = (receiver: string, header: string, ledger: KeyLedger) => (came: Came) => {
    const key = String(came.headers[header]);
    ledger.came.push({ key, at: came.at });
    const isKnown = ledger.taken.has(key);
    if (!isKnown) {
      ledger.taken.set(key, came.at);
      listener(receiver);
    }
    const status = isKnown && receiver === 'agents' ? 409 : 200;
    const agentId = `agent-${[...ledger.taken.keys()].indexOf(key) + 1}`;
    return { status, body: JSON.stringify({ launched: true, agentId }) };
  };
  const agents: KeyLedger = { came: [], taken: new Map() };
  const webhooks: KeyLedger = { came: [], taken: new Map() };
  const slackBodies: string[] = [];
  const [atAgents, atWebhook, atSlack, mail] = await Promise.all([
    startMoodyHttp(keep('agents', 'idempotency-key', agents)),
    startMoodyHttp(keep('webhook', 'webhook-id', webhooks)),
    startMoodyHttp(({ body }) => {
      slackBodies.push(body);
      listener('slack');
      return { status: 200, body: 'ok' };
    }),
    startMailServer(),
  ]);
  await writeFile(signingFile, SIGNING_KEY);
  await writeFile(slackFile, `${atSlack.url}/slack`);
  await writeFile(runsFile, '');
  const ofFile = (file: string) => `\${file:${file}}`;

  return {
    config: {
      agents: {
        endpoint: { http: { url: `${atAgents.url}/agents`, timeoutMs: 5_000 }, maxConcurrent: MANY },
        // Every fourth run fails, so that there is something to retry by hand.
        program: {
          command: ['sh', '-c', `echo "$MESH_EFFECT_KEY" >> ${runsFile}; test $(( $$ % 4 )) -ne 0`],
          maxConcurrent: MANY,
        },
      },
      teams: {
        ops: {
          members: [{ name: 'ada', email: 'ada@example.com' }],
          channels: [
            { type: 'email' },
            { type: 'webhook', url: `${atWebhook.url}/webhook`, secret: ofFile(signingFile) },
            { type: 'slack', webhook: ofFile(slackFile) },
          ],
        },
        hook: {
          members: [{ name: 'ada' }],
          channels: [{ type: 'webhook', url: `${atWebhook.url}/webhook`, secret: ofFile(signingFile) }],
        },
      },
      outbound: { privateHosts: ['127.0.0.1'] },
      // Who may have a message already gets it again after minutes, which a run cannot wait for.
      notify: { smtp: mail.url, fromAddress: 'mesh@example.com', retry: { slowEveryMs: 1_000 } },
    },
    http: { agents: atAgents, webhook: atWebhook, slack: atSlack },
    ...{ mail, agents, webhooks, slackBodies },
    programRuns: async () => (await readFile(runsFile, 'utf8')).split('\n').filter(Boolean),
    onFirst: (next) => (listener = next),
    async close() {
      await Promise.all([atAgents.close(), atWebhook.close(), atSlack.close(), mail.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
