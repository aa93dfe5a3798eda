import { DOCS_PATH } from './docs-page.js';
import type { Route } from './route.js';

/** The methods that some route takes at this address; none when there is no such route. */
export function methodsOf(url: string, routes: readonly Route[]): string[] {
  const path = url.split('?')[0] ?? '';
  const methods = routes.filter((route) => patternOf(route).test(path)).map(({ method }) => method as string);
  if (path === DOCS_PATH) methods.push('GET');
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

const patterns = new Map<string, RegExp>();

function patternOf({ path }: Route): RegExp {
  const known = patterns.get(path) ?? new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);
  patterns.set(path, known);
  return known;
}
