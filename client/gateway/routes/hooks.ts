import { z } from 'zod';
import { HOOK_DIALECTS, type HookDialect } from '#rules/dialects/index.js';
import type { EventDefaults } from '../../event-input.js';
import { placeFrom } from '../../lineage-defaults.js';
import { GatewayProblem } from '../gateway-problem.js';
import { type Call, type Route, route } from '../route.js';
import { takeEvents } from '../take-events.js';

/** One for each runtime that posts its hooks by itself. */
export const HOOK_ROUTES: readonly Route[] = [...HOOK_DIALECTS].map(([name, dialect]) => hookRoute(name, dialect));

function hookRoute(name: string, { title, event, placeOf, fields }: HookDialect): Route {
  return route({
    id: `${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Hook`,
    method: 'POST',
    path: `/v1/hooks/${name}`,
    role: 'report',
    tag: 'events',
    summary: `Report the raw JSON of a ${title} hook`,
    description: 'For hooks of the type `http`. The empty answer tells the runtime to go on.',
    headers: {
      'X-Mesh-Depth': 'Chain depth of the agent, from `MESH_DEPTH`.',
      'X-Mesh-Root-Event': 'First event of its chain, from `MESH_ROOT_EVENT`.',
      'X-Mesh-Remediation': 'The remediation that started the agent, from `MESH_REMEDIATION`.',
      'X-Mesh-Lineage': 'The token that proves all this, from `MESH_LINEAGE`.',
    },
    bodies: {
      'application/json': z
        .looseObject({ [fields.name]: z.string().describe('The name of the event.') })
        .describe(`The JSON that ${title} and its relatives give to hooks, as it is. It becomes the payload.`),
    },
    answers: { 200: { what: 'Stored.', schema: z.strictObject({}) } },
    problems: ['invalid-event', 'invalid-request', 'not-taken', 'unavailable', 'watch-full', 'too-many-waiting'],
    async handle(call, world) {
      if (call.body === undefined)
        throw new GatewayProblem('invalid-json', 'the body is empty: expected the JSON of a hook');
      const mapped = event(call.body);
      if (!mapped.ok) throw new GatewayProblem('invalid-event', undefined, { problems: mapped.problems });
      call.countEvents(1);
      await takeEvents(
        { inputs: [{ ...mapped.event, dialect: name }], isArray: false, placeOf },
        call,
        world,
        placeInChain(call),
      );
      return { status: 200, body: {} };
    },
  });
}

/** A variable that is not set comes as an empty header, or under its own name: `$MESH_DEPTH`. */
function placeInChain({ headers }: Call): Partial<EventDefaults> {
  const given = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' && /^\s*[^\s$]/.test(value) ? value.trim() : undefined;
  };
  const depth = given('x-mesh-depth');
  if (depth !== undefined && !/^\d{1,9}$/.test(depth)) {
    const problem = { path: 'X-Mesh-Depth', message: 'expected a whole number' };
    throw new GatewayProblem('invalid-request', undefined, { problems: [problem] });
  }
  return placeFrom({
    depth,
    root: given('x-mesh-root-event'),
    parent: given('x-mesh-remediation'),
    token: given('x-mesh-lineage'),
  });
}
