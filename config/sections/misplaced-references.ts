import { formatPath, type Problem } from '#contract/text/problem.js';
import { SECRET } from '../secret.js';
import { textsIn } from '../texts-in.js';

/** References to secrets within a text, which nothing resolves: they would go out as they are written. */
export function misplacedReferences(config: unknown): Problem[] {
  return textsIn(config, [])
    .filter(({ path, written }) => REFERENCE.test(written) && !SECRET.test(written) && !isArgument(path))
    .map(({ path }) => ({
      path: formatPath(path),
      message: 'holds ${env:…} or ${file:…} where nothing is put in its place',
      hint: 'such a reference must be the whole text: have the variable or the file hold all of it',
    }));
}

const REFERENCE = /\$\{(?:env|file):/;

/** Never a place for secrets, and for the program or its shell it may mean something, such as `${file:-none}`. */
function isArgument([section, , field]: readonly PropertyKey[]): boolean {
  return section === 'agents' && (field === 'command' || field === 'args');
}
