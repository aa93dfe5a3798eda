import { SECRET } from '#config/secret.js';

/** An address as people may see it: what follows a question mark may be a key. */
export function shownAddress(url: string): string {
  if (SECRET.test(url) || !URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
