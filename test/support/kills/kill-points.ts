import type { Arrivals, FirstManners, ReceiverName, Receivers } from './receivers.js';

/** One rule of each fires on the same event, so that one kill meets every kind of action at the same point of its way. */
export const KINDS = ['command', 'http', 'message', 'capacity'] as const;
export type Kind = (typeof KINDS)[number];

/** Of the agents; each has one slot. */
export const LAUNCHERS = ['command', 'http'] as const;

/** An activity that a remediation waits for, as the server knows it. */
export interface OpenActivity {
  isDelivery: boolean;
  /** It was refused, and is tried again later. An action after it may have been started meanwhile, which is held. */
  waitsAfterRefusal: boolean;
  hasHeartbeat: boolean;
}

export interface KillPoint {
  name: string;
  /** Steps of the worker: it is killed when it stands at each of them. */
  stops: string[];
  /** Where it goes no further either, if it comes there meanwhile. */
  holds?: string[];
  /** How receivers treat the first that comes, where they do not just take it. */
  first?: FirstManners;
  /** The kind of agent whose rule says `await: finished`. */
  awaits?: Kind;
  /** What else must be so before the kill. */
  until?: (now: { receivers: Receivers; open(kind: Kind): Promise<OpenActivity[]> }) => Promise<boolean>;
  /** How often it came to each receiver in the end. */
  arrivals: Arrivals;
}

const ACTIVITIES = [
  'before spawnFallbackAgent command',
  'before spawnFallbackAgent http',
  'before composeNotification message',
  'before warmRemoteCapacity capacity',
];

export function nextOf(kind: Kind): string {
  return `${kind}-next`;
}

/** The action after the one that matters, in each of the rules. */
const NEXT = KINDS.map((kind) => `before warmRemoteCapacity ${nextOf(kind)}`);

/**
 * Where no worker goes on before its kill: should that be late, no receiver is reached a second time. A slot may well be asked for again
 * before anything was started for it; and to compose a message twice does nothing.
 */
export const NEVER_BEFORE_THE_KILL = [
  ...NEXT,
  'before spawnFallbackAgent command once tellWatchOfAgents command',
  'before spawnFallbackAgent http once tellWatchOfAgents http',
  'before deliverNotification email, 2',
  'before deliverNotification webhook, 2',
  'before warmRemoteCapacity capacity, 2',
];

const once = each(1);
const twice = each(2);

/** Listed in docs/internals/kill-points.md: what each of them means for every kind of action. */
export const KILL_POINTS: KillPoint[] = [
  { name: 'stored', stops: ['before matchEvents'], arrivals: once },
  { name: 'judged', stops: ['before startRemediations'], arrivals: once },
  { name: 'started', stops: ['after startRemediations'], holds: ACTIVITIES, arrivals: once },
  { name: 'taken', stops: ACTIVITIES, arrivals: once },
  {
    name: 'prepared',
    stops: [
      'after tellWatchOfAgents command',
      'before POST /agents',
      'after composeNotification message',
      'after keepLease',
    ],
    arrivals: once,
  },
  {
    name: 'received',
    stops: ['before tellRemediation command'],
    first: each('silent'),
    until: async ({ receivers }) => Object.values(receivers.arrivals()).every((times) => times === 1),
    arrivals: twice,
  },
  {
    name: 'answered',
    stops: [
      'before tellRemediation command',
      'after POST /agents',
      'after mail',
      'after POST /webhook',
      'after POST /v1/capacity',
    ],
    until: async ({ receivers }) => receivers.arrivals().command === 1 && (await receivers.runningAgents()) === 0,
    arrivals: twice,
  },
  {
    name: 'told',
    stops: [
      'after tellRemediation command',
      'after tellWatchOfAgents http, 2',
      'before POST /webhook',
      'after GET /v1/environments/env-1',
    ],
    first: { command: 'lasting' },
    // The mail is on record.
    until: async ({ open }) => (await open('message')).filter(({ isDelivery }) => isDelivery).length === 1,
    arrivals: { ...twice, mail: 1, webhook: 1 },
  },
  {
    name: 'done',
    stops: [
      'after spawnFallbackAgent command once tellWatchOfAgents command',
      'after spawnFallbackAgent http once tellWatchOfAgents http',
      'after deliverNotification email',
      'after deliverNotification webhook',
      'after warmRemoteCapacity capacity',
    ],
    arrivals: twice,
  },
  {
    name: 'recorded',
    stops: NEXT,
    awaits: 'command',
    until: async ({ open }) => (await Promise.all(KINDS.map(open))).every((activities) => activities.length === 1),
    arrivals: once,
  },
  {
    name: 'retrying',
    stops: [],
    first: each('refused'),
    awaits: 'command',
    until: async ({ open }) => {
      const all = (await Promise.all(KINDS.map(open))).flat();
      return all.filter(({ waitsAfterRefusal }) => waitsAfterRefusal).length === 5;
    },
    // What the mail server refuses is no mail.
    arrivals: { ...twice, mail: 1 },
  },
  {
    name: 'working',
    stops: [],
    first: { command: 'lasting', mail: 'lasting', webhook: 'silent', capacity: 'lasting' },
    awaits: 'http',
    until: async ({ receivers, open }) => {
      const beats = async (kind: Kind, count: number) =>
        (await open(kind)).filter(({ hasHeartbeat }) => hasHeartbeat).length === count;
      const { command, webhook, capacity } = receivers.arrivals();
      const isThere = command === 1 && webhook === 1 && capacity === 1 && receivers.agents.taken.size === 1;
      if (!isThere || (await open('http')).length > 0) return false;
      return (await beats('command', 1)) && (await beats('message', 2)) && (await beats('capacity', 1));
    },
    arrivals: { ...twice, http: 1, mail: 1 },
  },
];

function each<T>(value: T): Record<ReceiverName, T> {
  return { command: value, http: value, mail: value, webhook: value, capacity: value };
}
