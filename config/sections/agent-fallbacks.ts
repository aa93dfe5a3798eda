import { formatPath, type Problem } from '#contract/text/problem.js';

/** Fallbacks must be there, and must not lead in a circle. */
export function fallbackProblems(agents: Record<string, { fallbacks: string[] }>): Problem[] {
  const problems: Problem[] = [];
  const done = new Set<string>();
  const visit = (type: string, way: string[]) => {
    if (done.has(type)) return;
    agents[type]?.fallbacks.forEach((fallback, index, all) => {
      const path = formatPath(['agents', type, 'fallbacks', index]);
      const circle = [...way, type];
      if (!Object.hasOwn(agents, fallback)) {
        const hint = `agent types here: ${Object.keys(agents).join(', ')}`;
        problems.push({ path, message: `no agent type is called "${fallback}"`, hint });
      } else if (all.indexOf(fallback) !== index) {
        problems.push({ path, message: `duplicate fallback "${fallback}"`, hint: 'remove one of them' });
      } else if (circle.includes(fallback)) {
        const round = [...circle.slice(circle.indexOf(fallback)), fallback].join(' -> ');
        problems.push({ path, message: `leads in a circle: ${round}`, hint: 'remove one of these fallbacks' });
      } else {
        visit(fallback, circle);
      }
    });
    done.add(type);
  };
  Object.keys(agents).forEach((type) => visit(type, []));
  return problems;
}
