import type { MeshConfig } from '#config/mesh-config.js';
import type { Environment } from '#contract/settings.js';
import { createNews } from './say-news.js';
import { secretProblems } from './secret-problems.js';

/**
 * Looks for the secrets of a configuration whenever one is loaded, and says what is new: else the first word of one that is
 * missing would come from the first delivery or agent that needs it.
 */
export function createSecretCheck(env: Environment, warn: (file: string, warning: string) => void) {
  const sayNews = createNews(warn);
  return async (file: string, config: MeshConfig): Promise<void> => sayNews(file, await secretProblems(config, env));
}
