type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels: Labels, count?: number): void;
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
}

export interface Gauge {
  name: string;
  help: string;
  read(): number | Promise<number>;
}

interface Family {
  name: string;
  help: string;
  type: 'counter' | 'histogram';
  lines(show: (labels: Labels) => boolean): string[];
}

/** Counts what is told to it, and writes it down in the text format of Prometheus. */
export class MetricSet {
  private readonly families: Family[] = [];
  private readonly gauges: Gauge[] = [];

  counter(name: string, help: string): Counter {
    const series = new Map<string, { labels: Labels; value: number }>();
    this.families.push({
      ...{ name, help, type: 'counter' },
      lines: (show) =>
        [...series]
          .filter(([, { labels }]) => show(labels))
          .map(([key, { value }]) => `${name}${braced(key)} ${value}`),
    });
    return {
      add(labels, count = 1) {
        const key = keyOf(labels);
        const known = series.get(key);
        if (known) known.value += count;
        else series.set(key, { labels, value: count });
      },
    };
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>();
    this.families.push({
      ...{ name, help, type: 'histogram' },
      lines: (show) =>
        [...series]
          .filter(([, { labels }]) => show(labels))
          .flatMap(([key, { counts, sum, count }]) => [
            ...bounds.map((bound, index) => `${name}_bucket${braced(key, `le="${bound}"`)} ${counts[index] ?? 0}`),
            `${name}_bucket${braced(key, 'le="+Inf"')} ${count}`,
            `${name}_sum${braced(key)} ${sum}`,
            `${name}_count${braced(key)} ${count}`,
          ]),
    });
    return {
      observe(labels, value) {
        const key = keyOf(labels);
        const known = series.get(key) ?? { labels, counts: bounds.map(() => 0), sum: 0, count: 0 };
        series.set(key, known);
        known.sum += value;
        known.count += 1;
        bounds.forEach((bound, index) => {
          if (value <= bound) known.counts[index] = (known.counts[index] ?? 0) + 1;
        });
      },
    };
  }

  gauge(gauge: Gauge): void {
    this.gauges.push(gauge);
  }

  names(): string[] {
    return [...this.families, ...this.gauges].map(({ name }) => name);
  }

  /** `show` may keep series back. */
  async render(show: (labels: Labels) => boolean = () => true): Promise<string> {
    const counted = this.families.map(({ name, help, type, lines }) => [...head(name, help, type), ...lines(show)]);
    const read = await Promise.all(
      this.gauges.map(async ({ name, help, read }) => [...head(name, help, 'gauge'), `${name} ${await read()}`]),
    );
    return `${[...counted, ...read].flat().join('\n')}\n`;
  }
}

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function keyOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',');
}

function braced(...parts: string[]): string {
  const inside = parts.filter((part) => part !== '').join(',');
  return inside === '' ? '' : `{${inside}}`;
}
