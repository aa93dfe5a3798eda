import { z } from 'zod';

/** What a schema says about one field, in the words of the documentation's tables. */
export interface SchemaField {
  /** Such as `agents.<name>.command` or `rules[].id`. */
  path: string;
  isRequired: boolean;
  default: string | undefined;
  limits: string | undefined;
}

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  required?: string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
}

/** The fields of an object schema; with `deep`, those of the objects in it too. */
export function fieldsOf(schema: z.ZodType, deep = false): SchemaField[] {
  return walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, '', deep);
}

function walk(schema: JsonSchema, prefix: string, deep: boolean): SchemaField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = prefix + name;
    const field: SchemaField = {
      path,
      isRequired: schema.required?.includes(name) ?? false,
      default: inner.default === undefined ? undefined : asText(inner.default),
      limits: limitsOf(inner),
    };
    return deep ? [field, ...walkInto(inner, path)] : [field];
  });
}

function walkInto(schema: JsonSchema, path: string): SchemaField[] {
  if (schema.items) return walk(schema.items, `${path}[].`, true);
  if (typeof schema.additionalProperties === 'object')
    return walk(schema.additionalProperties, `${path}.<name>.`, true);
  return walk(schema, `${path}.`, true);
}

function limitsOf({ minimum, maximum, enum: values }: JsonSchema): string | undefined {
  if (values) return values.join(', ');
  if (minimum === undefined || maximum === undefined) return undefined;
  return `${minimum.toLocaleString('en-US')} to ${maximum.toLocaleString('en-US')}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
