/** One step of a Dockerfile: the parts of it that ours uses. */
export interface Step {
  instruction: string;
  /** The rest of the line, continued lines joined. */
  text: string;
}

export interface Stage {
  image: string;
  name: string | undefined;
  steps: Step[];
}

export interface Copy {
  /** Name of the stage it copies from; none: the repository. */
  from: string | undefined;
  sources: string[];
  target: string;
}

export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const { instruction, text: rest } of stepsOf(text)) {
    if (instruction === 'FROM') {
      const [, image = '', name] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? [];
      stages.push({ image, name, steps: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (!stage) throw new Error(`${instruction} before the first FROM`);
    stage.steps.push({ instruction, text: rest });
  }
  return stages;
}

/** What the steps of one kind say, in order. */
export function textsOf(stage: Stage, instruction: string): string[] {
  return stage.steps.filter((step) => step.instruction === instruction).map(({ text }) => text);
}

export function environmentOf(stage: Stage): Record<string, string> {
  return Object.fromEntries(
    textsOf(stage, 'ENV').map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
}

export function copiesOf(stage: Stage): Copy[] {
  return textsOf(stage, 'COPY').map(parseCopy);
}

export function parseCopy(text: string): Copy {
  const words = text.split(/\s+/);
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  const target = paths.pop() ?? '';
  return { from, sources: paths, target };
}

/** Tells of a path whether a `.dockerignore` lets it into the build. The last line that fits decides, as Docker has it. */
export function dockerignore(text: string): (path: string) => boolean {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ lets: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));
  return (path) => lines.findLast(({ pattern }) => pattern.test(path))?.lets ?? true;
}

/** A pattern fits a path and everything below it. */
function patternOf(glob: string): RegExp {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  const source = escaped.replace(/\*\*\/|\*\*|\*|\?/g, (wildcard) => {
    if (wildcard === '**/') return '(?:.*/)?';
    if (wildcard === '**') return '.*';
    return wildcard === '*' ? '[^/]*' : '[^/]';
  });
  return new RegExp(`^${source}(?:/.*)?$`);
}

function stepsOf(text: string): Step[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const joined = lines.join('\n').replace(/\\\n\s*/g, '');
  return joined.split('\n').map((line) => {
    const [, instruction = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? [];
    return { instruction: instruction.toUpperCase(), text: rest.trim() };
  });
}
