import type { Route } from '../route.js';
import { getEvent, listEvents, reportEvents } from './events.js';
import { HOOK_ROUTES } from './hooks.js';
import { abortRemediation, getRemediation, listRemediations, retryRemediation } from './remediations.js';
import { healthz, metrics, openApi, readyz } from './service.js';
import { getStatus, pauseTenant, rearmRule, resumeTenant } from './tenant.js';

/** Every route of the gateway, beside the page at `/docs`, which shows them. */
export const ROUTES: readonly Route[] = [
  reportEvents,
  ...HOOK_ROUTES,
  listEvents,
  getEvent,
  listRemediations,
  getRemediation,
  abortRemediation,
  retryRemediation,
  getStatus,
  rearmRule,
  pauseTenant,
  resumeTenant,
  healthz,
  readyz,
  metrics,
  openApi,
];
