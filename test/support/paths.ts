import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The workflows as they are shipped: tests run the same bundle. */
export const BUNDLE = fileURLToPath(new URL('../../dist/workflow-bundle.cjs', import.meta.url));
