import type { ActionType } from '#contract/actions/index.js';

/** The folder of an action: the same name in every room. */
export function actionFolder(type: ActionType): string {
  return type.replaceAll('_', '-');
}

export function actionPage(type: ActionType): string {
  return `docs/actions/${actionFolder(type)}.md`;
}
