import { type Answer, postJson } from '../../support/gateway-process.js';
import { runMesh } from '../../support/run-command.js';
import type { Site } from '../site/site.js';
import type { MadeEvent } from './ledger.js';
import { payloadOf } from './make-event.js';

/** A way in. A new one is a row. */
export interface Door {
  name: string;
  weight: number;
  mostAtOnce: number;
  carries(event: MadeEvent): boolean;
  /** The id that it goes by behind this door, where that is known before the answer. */
  idOf(event: MadeEvent): string | undefined;
  /** Resolves with the ids that are stored, as the door says; rejects when it says otherwise, or nothing. */
  report(site: Site, tenant: string, events: readonly MadeEvent[]): Promise<readonly string[]>;
}

const anything = { carries: () => true, idOf: ({ id }: MadeEvent) => id };
/** Hooks tell of tools that failed, and name the call. */
const hooks = {
  mostAtOnce: 1,
  carries: ({ event }: MadeEvent) => event === 'PostToolUseFailure',
  idOf: ({ id, session }: MadeEvent) => `cc:${session}:PostToolUseFailure:${id}`,
};

export const DOORS: readonly Door[] = [
  {
    ...{ name: 'sdk', weight: 4, mostAtOnce: 50, ...anything },
    async report({ mesh }, _tenant, events) {
      return (await mesh.report(events.map(inputOf))).ids;
    },
  },
  {
    ...{ name: 'gateway, one', weight: 4, mostAtOnce: 1, ...anything },
    report: (site, tenant, [event]) => post(site, tenant, event && inputOf(event)),
  },
  {
    ...{ name: 'gateway, batch', weight: 3, mostAtOnce: 50, ...anything },
    report: (site, tenant, events) => post(site, tenant, events.map(inputOf)),
  },
  {
    ...{ name: 'cloud events', weight: 2, mostAtOnce: 20, carries: () => true, idOf: () => undefined },
    report: (site, tenant, events) =>
      post(site, tenant, events.map(cloudEventOf), { 'content-type': 'application/cloudevents-batch+json' }),
  },
  {
    ...{ name: 'hook route', weight: 3, ...hooks },
    async report({ gatewayUrl, tokenOf }, tenant, events) {
      const [event] = events;
      const url = `${gatewayUrl}/v1/hooks/claude-code`;
      taken(await postJson(url, event && hookOf(event), { authorization: `Bearer ${tokenOf(tenant)}` }), 200);
      return events.map(hooks.idOf);
    },
  },
  {
    // It starts a program, which is much for a small machine. Nothing is refused here: what cannot be sent goes to the spool.
    ...{ name: 'hook command', weight: 1, ...hooks },
    async report({ hookEnv }, tenant, events) {
      const [event] = events;
      const { code, stdout, stderr } = await runMesh(
        ['hook', 'claude-code'],
        hookEnv(tenant),
        JSON.stringify(event && hookOf(event)),
      );
      if (code !== 0 || stdout + stderr !== '') throw new Error(`a hook ended with ${code}: ${stdout}${stderr}`);
      return events.map(hooks.idOf);
    },
  },
];

function inputOf(made: MadeEvent) {
  const { id, tenant, event, outcome, session } = made;
  return { id, tenant, event, outcome, session, payload: payloadOf(made) };
}

function cloudEventOf(made: MadeEvent) {
  const { id, event: type, outcome, session } = made;
  return { specversion: '1.0', source: '/torture', id, type, outcome, session, data: payloadOf(made) };
}

function hookOf(made: MadeEvent) {
  const { id, event, session } = made;
  return { hook_event_name: event, session_id: session, tool_use_id: id, ...payloadOf(made) };
}

async function post(
  { gatewayUrl, tokenOf }: Site,
  tenant: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<string[]> {
  const authorization = `Bearer ${tokenOf(tenant)}`;
  const answer = taken(await postJson(`${gatewayUrl}/v1/events`, body, { authorization, ...headers }), 202);
  return (JSON.parse(answer.body) as { events: { id: string }[] }).events.map(({ id }) => id);
}

function taken(answer: Answer, status: number): Answer {
  if (answer.status === status) return answer;
  throw new Error(`the gateway answered ${answer.status} ${answer.body.slice(0, 200)}`);
}
