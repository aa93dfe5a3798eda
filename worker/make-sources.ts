import { type MeshConfig, parseMeshConfig } from '../config/mesh-config.js';
import { type Current, type Parsed, ReadThroughFile } from '../config/read-through.js';
import { RulesetStore } from '../config/ruleset-store.js';
import { formatProblem } from '../contract/problem.js';
import type { Settings } from '../contract/settings.js';
import type { ConsoleLog } from './console-log.js';

/** The files everything follows: read anew whenever they change, with their news in the log. */
export interface Sources {
  rulesets: RulesetStore;
  config: ReadThroughFile<MeshConfig>;
}

export function makeSources(settings: Settings, log: Pick<ConsoleLog, 'info' | 'error'>): Sources {
  const report = (what: string, otherwise: string) => (file: string, current: Current<unknown>) => {
    if (current.problems.length === 0) return log.info({ file }, `${what} loaded from ${file}`);
    const consequence = current.available ? 'the last good version stays in use' : otherwise;
    const problems = current.problems.map((problem) => `  - ${formatProblem(problem)}`).join('\n');
    log.error({ file }, `${what}: ${file} cannot be used, ${consequence}:\n${problems}`);
  };
  return {
    rulesets: new RulesetStore({
      path: settings.rules,
      onChange: report('Rules', 'nothing is in use, events are held'),
      onProblem: (problem) => log.error({}, `Rules: ${problem}`),
    }),
    config: new ReadThroughFile<MeshConfig>(settings.config, {
      parse: (content, file) => withUiUrl(parseMeshConfig(content, file), settings.uiUrl),
      onChange: report('Configuration', 'nothing is in use'),
    }),
  };
}

/** `MESH_UI_URL` goes before what the file says. */
function withUiUrl(parsed: Parsed<MeshConfig>, uiUrl: string | undefined): Parsed<MeshConfig> {
  return parsed.ok && uiUrl !== undefined ? { ok: true, value: { ...parsed.value, temporalUi: uiUrl } } : parsed;
}
