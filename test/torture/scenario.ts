import type { SiteSettings } from './site/site.js';
import type { Activity } from './world.js';

/** A kind of run: what there is, and what goes on. */
export interface Scenario {
  name: string;
  site: Omit<SiteSettings, 'temporalBinary'>;
  /** The share of events whose verdicts may be gone before anybody has looked. */
  mostUnseen: number;
  activities: readonly Activity[];
}
