import { z } from 'zod';
import { SECRET } from '../secret.js';

/** A value as it is, or where a secret is found. What only looks like a reference would be handed on as it stands there. */
export function plainOrSecret() {
  return z
    .string({ error: 'a text' })
    .refine((written) => !written.startsWith('${') || SECRET.test(written), {
      error: 'is not ${env:NAME} or ${file:path}',
    })
    .refine((written) => !written.includes('\0'), { error: 'holds a zero byte' });
}
