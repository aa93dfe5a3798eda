import { type Counter, type Histogram, MetricSet } from './metrics.js';

export interface GatewayMetrics {
  all: MetricSet;
  accepted: Counter;
  requests: Counter;
  durations: Histogram;
  refused: Counter;
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
  const all = new MetricSet();
  const metrics = {
    all,
    accepted: all.counter('mesh_gateway_events_accepted_total', 'Events that Temporal has stored, by tenant.'),
    requests: all.counter('mesh_gateway_requests_total', 'Requests, by method, route and status.'),
    durations: all.histogram('mesh_gateway_request_seconds', 'Time to the answer, by route.', BOUNDS_SECONDS),
    refused: all.counter('mesh_gateway_refused_total', 'Requests that were refused, by code.'),
  };
  const gauges: [name: string, help: string, read: () => number | Promise<number>][] = [
    ['mesh_gateway_events_waiting', 'Events that are not sent to Temporal yet.', () => world.waiting().events],
    ['mesh_gateway_bytes_waiting', 'Their size.', () => world.waiting().bytes],
    ['mesh_gateway_spooled_events', 'Events in the spool of this machine.', () => world.spooled()],
    ['mesh_gateway_connections', 'Open connections.', () => world.connections()],
    ['process_start_time_seconds', 'When the process was started, in Unix time.', () => world.startedAt / 1_000],
    ['process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()],
    ['nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed],
  ];
  for (const [name, help, read] of gauges) all.gauge({ name, help, read });
  return metrics;
}
