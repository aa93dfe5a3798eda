import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from './paths.js';

/** The parts of a Compose file that ours uses. */
export interface Service {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  user?: string;
  init?: boolean;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  restart?: string;
  stop_grace_period?: string;
  healthcheck?: { test: string[]; interval: string; timeout: string; retries: number; start_period: string };
  depends_on?: Record<string, { condition: string }>;
}

export interface Compose {
  name: string;
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  configs?: Record<string, { content: string }>;
}

export function readCompose(): Compose {
  return parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as Compose;
}

export function serviceOf(compose: Compose, name: string): Service {
  const service = compose.services[name];
  if (!service) throw new Error(`docker-compose.yml has no service ${name}`);
  return service;
}

/** `20s` as milliseconds. */
export function durationMs(written: string | undefined): number {
  const [, number, unit] = /^(\d+)(s|m)$/.exec(written ?? '') ?? [];
  if (number === undefined) throw new Error(`not a duration this test knows: ${written}`);
  return Number(number) * (unit === 'm' ? 60_000 : 1_000);
}
