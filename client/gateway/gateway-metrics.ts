import { Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface GatewayMetrics {
  /** Counts events that Temporal has stored. */
  countAccepted(tenant: string, count: number): void;
  requests: Counter<'method' | 'route' | 'status'>;
  durations: Histogram<'route'>;
  refused: Counter<'code'>;
  /** All metrics in the text format of Prometheus; of those by tenant, the ones of this tenant only. */
  render(tenant: string): Promise<string>;
}

export interface MeasuredWorld {
  waiting(): { events: number; bytes: number };
  spooled(): Promise<number>;
  connections(): number;
  startedAt: number;
}

const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Every metric of the gateway. Labels come from fixed sets, so that no caller can make series. */
export function createGatewayMetrics(world: MeasuredWorld): GatewayMetrics {
  const shared = new Registry();
  const registers = [shared];
  /** A registry each, since a token is shown its own tenant and no other. */
  const byTenant = new Map<string, { own: Registry; accepted: Counter<'tenant'> }>();
  const requests = new Counter({
    name: 'mesh_gateway_requests_total',
    help: 'Requests, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'mesh_gateway_request_seconds',
    help: 'Time to the answer, by route.',
    labelNames: ['route'],
    buckets: BOUNDS_SECONDS,
    registers,
  });
  const refused = new Counter({
    name: 'mesh_gateway_refused_total',
    help: 'Requests that were refused, by code.',
    labelNames: ['code'],
    registers,
  });
  for (const [name, help, read] of gaugesOf(world)) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  }
  return {
    ...{ requests, durations, refused },
    countAccepted: (tenant, count) => ofTenant(tenant).accepted.inc({ tenant }, count),
    render: (tenant) => Registry.merge([ofTenant(tenant).own, shared]).metrics(),
  };

  function ofTenant(tenant: string) {
    const known = byTenant.get(tenant) ?? metricsOfTenant();
    byTenant.set(tenant, known);
    return known;
  }
}

function metricsOfTenant(): { own: Registry; accepted: Counter<'tenant'> } {
  const own = new Registry();
  const accepted = new Counter({
    name: 'mesh_gateway_events_accepted_total',
    help: 'Events that Temporal has stored, by tenant.',
    labelNames: ['tenant'],
    registers: [own],
  });
  return { own, accepted };
}

function gaugesOf(world: MeasuredWorld): [name: string, help: string, read: () => number | Promise<number>][] {
  return [
    ['mesh_gateway_events_waiting', 'Events that are not sent to Temporal yet.', () => world.waiting().events],
    ['mesh_gateway_bytes_waiting', 'Their size.', () => world.waiting().bytes],
    ['mesh_gateway_spooled_events', 'Events in the spool of this machine.', () => world.spooled()],
    ['mesh_gateway_connections', 'Open connections.', () => world.connections()],
    ['process_start_time_seconds', 'When the process was started, in Unix time.', () => world.startedAt / 1_000],
    ['process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()],
    ['nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed],
  ];
}
