import type { Environment } from '#contract/settings.js';

/** What is written to, as far as its looks depend on it. */
export interface Screen {
  /** Characters per line; undefined when nobody looks at it, so that nothing is cut. */
  width: number | undefined;
  paint: Paint;
}

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';
export type Paint = Record<Colour, (text: string) => string>;

interface Output {
  isTTY?: boolean;
  columns?: number;
}

/** Colours only where a person sees them and did not ask for none. */
export function screenOf(output: Output, env: Environment): Screen {
  if (!output.isTTY) return PLAIN_SCREEN;
  const isPlain = Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb';
  return { width: output.columns || undefined, paint: isPlain ? NO_PAINT : PAINT };
}

const CODES: Record<Colour, [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

export const PAINT = paintWith((text, [on, off]) => (text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`));
export const NO_PAINT = paintWith((text) => text);
export const PLAIN_SCREEN: Screen = { width: undefined, paint: NO_PAINT };

function paintWith(write: (text: string, codes: [number, number]) => string): Paint {
  const colour = (name: Colour) => (text: string) => write(text, CODES[name]);
  return {
    bold: colour('bold'),
    dim: colour('dim'),
    red: colour('red'),
    green: colour('green'),
    yellow: colour('yellow'),
  };
}
