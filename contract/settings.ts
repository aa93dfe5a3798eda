import { bareUrlProblem } from './text/bare-url.js';
import { nearest } from './text/nearest.js';

/** Every environment variable of the mesh itself. Connection settings are Temporal's own (`TEMPORAL_ADDRESS`, …). */
export const SETTINGS = {
  MESH_RULES: {
    default: 'config/rules.yaml',
    meaning: 'Rules: a file (tenant `default`) or a folder of `<tenant>.yaml|yml|json`.',
  },
  MESH_CONFIG: { default: 'config/mesh.yaml', meaning: 'Agents, teams, mail sender and capacity bridge.' },
  MESH_HOME: { default: '.mesh', meaning: "State: the dev server's database, mails written as files, logs." },
  MESH_TEMPORAL_PORT: { default: '7233', meaning: 'Port of the Temporal dev server that `npm start` runs.' },
  MESH_UI_PORT: { default: '8233', meaning: "Port of that dev server's web UI." },
  MESH_SMTP_URL: {
    default: '',
    meaning:
      'Mail server, such as `smtps://user:password@mail.example.com`. Used where `mesh.yaml` says `smtp: ${env:MESH_SMTP_URL}`.',
  },
  MESH_GATEWAY_PORT: { default: '7280', meaning: 'Port of the HTTP gateway. `off`: `npm start` runs none.' },
  MESH_GATEWAY_HOST: {
    default: '127.0.0.1',
    meaning: 'Address the gateway listens on. Anything but loopback needs tokens in `mesh.yaml`.',
  },
  MESH_GATEWAY_URL: {
    default: '',
    meaning: 'Gateway that hooks report to. Empty: the local one at `MESH_GATEWAY_PORT`.',
  },
  MESH_METRICS_ADDRESS: {
    default: '',
    meaning: 'Where the worker shows its metrics for Prometheus, such as `127.0.0.1:9464`. Empty: nowhere.',
  },
  MESH_TOKEN: {
    default: '',
    meaning: 'Bearer token that hooks show the gateway. Empty: the file `token` in `MESH_HOME`, if any.',
  },
  MESH_UI_URL: {
    default: '',
    meaning: 'Where people reach the Temporal UI: links in messages start with it.',
  },
  MESH_LINEAGE_KEY: {
    default: '',
    meaning:
      'Key that signs the lineage of agents; the same for all workers. Empty: the file `lineage.key` in `MESH_HOME`.',
  },
  MESH_REDACT_KEYS: {
    default: '',
    meaning: 'More payload keys whose values are secrets, comma-separated.',
  },
} as const;

/** Set by the mesh for the agents it starts, and read back when such an agent reports an event. */
export const AGENT_VARIABLES = {
  MESH_TENANT: 'Tenant of the event.',
  MESH_EVENT_ID: 'Id of the event that fired the rule.',
  MESH_EVENT: 'Its name, such as `PostToolUseFailure`.',
  MESH_OUTCOME: 'Its outcome.',
  MESH_SESSION: 'The session it came from, when it named one.',
  MESH_TOOL: 'The tool that failed, when the event names one.',
  MESH_RULE: 'The rule that fired.',
  MESH_ACTION: 'The action that started this agent.',
  MESH_AGENT_TYPE: 'The agent type the rule asks for, or `default`.',
  MESH_MODEL: 'The model the rule asks for, when it does.',
  MESH_DESCRIPTION: 'One line on why this agent was started.',
  MESH_REMEDIATION: 'Workflow id of the remediation.',
  MESH_EFFECT_KEY: 'Idempotency key: the same when the start is retried.',
  MESH_ATTEMPT: 'Which attempt this is, from 1.',
  MESH_DEPTH: 'Chain depth of whatever this agent reports: one more than that of the event.',
  MESH_ROOT_EVENT: 'Id of the first event of the chain.',
  MESH_LINEAGE: 'Signed proof of the depth: goes with whatever this agent reports.',
  MESH_AGENT_SESSION: 'Session id chosen for this agent; what it reports with it is known to be its.',
} as const;

export interface Settings {
  rules: string;
  config: string;
  home: string;
  temporalPort: number;
  uiPort: number;
  /** None: no gateway. */
  gatewayPort: number | undefined;
  gatewayHost: string;
  gatewayUrl: string | undefined;
  metricsAddress: string | undefined;
  token: string | undefined;
  uiUrl: string | undefined;
  lineageKey: string | undefined;
  redactKeys: string[];
}

/** Shorter ones can be guessed. */
export const LINEAGE_KEY_MIN_CHARS = 32;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings; `problems` are for people and fatal, `warnings` name variables nobody reads. */
export function readSettings(env: Environment): { settings: Settings; problems: string[]; warnings: string[] } {
  const problems: string[] = [];
  const value = (name: keyof typeof SETTINGS) => env[name] || SETTINGS[name].default;
  const port = (name: 'MESH_TEMPORAL_PORT' | 'MESH_UI_PORT' | 'MESH_GATEWAY_PORT') => {
    const number = Number(value(name));
    if (Number.isInteger(number) && number > 0 && number < 65_536) return number;
    problems.push(`${name}: expected a port from 1 to 65535, found ${JSON.stringify(env[name])}`);
    return 0;
  };
  const settings: Settings = {
    rules: value('MESH_RULES'),
    config: value('MESH_CONFIG'),
    home: value('MESH_HOME'),
    temporalPort: port('MESH_TEMPORAL_PORT'),
    uiPort: port('MESH_UI_PORT'),
    gatewayPort: value('MESH_GATEWAY_PORT') === 'off' ? undefined : port('MESH_GATEWAY_PORT'),
    gatewayHost: value('MESH_GATEWAY_HOST'),
    gatewayUrl: env['MESH_GATEWAY_URL'] || undefined,
    metricsAddress: env['MESH_METRICS_ADDRESS'] || undefined,
    token: env['MESH_TOKEN'] || undefined,
    uiUrl: env['MESH_UI_URL'] || undefined,
    lineageKey: env['MESH_LINEAGE_KEY'] || undefined,
    redactKeys: value('MESH_REDACT_KEYS')
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== ''),
  };
  if (settings.gatewayUrl !== undefined && !isHttpUrl(settings.gatewayUrl)) {
    problems.push('MESH_GATEWAY_URL: expected an address such as https://mesh.example.com');
  }
  if (settings.metricsAddress !== undefined && !isHostAndPort(settings.metricsAddress)) {
    problems.push(
      `MESH_METRICS_ADDRESS: expected an IP address and a port, such as 127.0.0.1:9464, found ${JSON.stringify(settings.metricsAddress)}`,
    );
  }
  if (settings.uiUrl !== undefined) {
    const problem = isHttpUrl(settings.uiUrl) ? bareUrlProblem(settings.uiUrl) : 'is not an address';
    if (problem) problems.push(`MESH_UI_URL: expected an address such as https://temporal.example.com; it ${problem}`);
  }
  if (settings.lineageKey !== undefined && settings.lineageKey.length < LINEAGE_KEY_MIN_CHARS) {
    problems.push(`MESH_LINEAGE_KEY: expected at least ${LINEAGE_KEY_MIN_CHARS} characters`);
  }
  return { settings, problems, warnings: unknownVariables(env) };
}

/** `mesh send` takes its defaults from these, agent or not. */
const READ_ANYWHERE = ['MESH_TENANT', 'MESH_DEPTH', 'MESH_ROOT_EVENT', 'MESH_REMEDIATION', 'MESH_LINEAGE'];

function isHttpUrl(text: string): boolean {
  try {
    const { protocol, hostname } = new URL(text);
    return (protocol === 'http:' || protocol === 'https:') && hostname !== '';
  } catch {
    return false;
  }
}

/** It is bound to, so it is no name. */
function isHostAndPort(text: string): boolean {
  const [, host = '', port] = /^(\d+(?:\.\d+){3}|\[[\da-f:]+\]):(\d{1,5})$/i.exec(text) ?? [];
  return host !== '' && Number(port) > 0 && Number(port) < 65_536;
}

function unknownVariables(env: Environment): string[] {
  // An agent's variables mean something in an agent only: elsewhere MESH_RULE is most likely a slip for MESH_RULES.
  const isAgent = env['MESH_EFFECT_KEY'] !== undefined;
  const known = [...Object.keys(SETTINGS), ...(isAgent ? Object.keys(AGENT_VARIABLES) : READ_ANYWHERE)];
  return Object.keys(env)
    .filter((name) => name.startsWith('MESH_') && !known.includes(name))
    .map((name) => {
      const guess = nearest(name, known);
      return `${name} is not a variable of the mesh${guess ? `: did you mean ${guess}?` : ''}`;
    });
}
