import { visible } from '../contract/plain-text.js';
import { agentPayload, agentText } from './agent-text.js';
import { defaultPrompt } from './default-texts.js';
import { renderTemplate, type TemplateContext, templateValues } from './template.js';

/** What an agent is asked. Nothing in it acts on whoever looks at it, and the payload is set apart as untrusted. */
export function promptFor(template: string | undefined, context: TemplateContext): string {
  if (template === undefined) return defaultPrompt(context);
  const values = templateValues(context);
  const lines = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, () => agentText(visibleText(value()))]),
  );
  const rendered = renderTemplate(template, context, {
    ...(lines as typeof values),
    PAYLOAD_JSON: () => agentPayload(context.event, context.redactor),
  });
  return isEventTextFirst(template, rendered) ? `Reported: ${rendered}` : rendered;
}

/** Line breaks and tabs stay. */
function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t])/)
    .map((piece, index) => (index % 2 === 0 ? visible(piece) : piece))
    .join('');
}

/**
 * To the programs of agents a prompt that begins with a slash, an exclamation mark or an at sign is a command, and one that
 * begins with a dash an option. A rule may say so; an event may not.
 */
function isEventTextFirst(template: string, rendered: string): boolean {
  return template.trimStart().startsWith('${') && /^\s*[^\p{L}\p{N}\s]/u.test(rendered);
}
