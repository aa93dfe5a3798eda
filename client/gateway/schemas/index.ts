// What the gateway takes and answers, for the OpenAPI document. Events are checked by `MeshEvent` itself; answers are what
// the SDK returns, which `satisfies` holds to its types, and tests to what it really answers. Each has its name there.

export * from './events.js';
export {
  RemediationDetail,
  RemediationPage,
  RemediationRef,
  RemediationSummary,
  RetriedRemediation as Retried,
  StoredEvent,
} from '#contract/views/remediation.js';
export * from './service.js';
export * from './tenant.js';
