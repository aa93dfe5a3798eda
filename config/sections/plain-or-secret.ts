import { z } from 'zod';
import { SECRET } from '../secret.js';

/** A plain value, or the place of a secret. A text that only resembles a reference would be used as it is. */
export function plainOrSecret() {
  return z
    .string({ error: 'a text' })
    .refine((written) => !written.startsWith('${') || SECRET.test(written), {
      error: 'is not ${env:NAME} or ${file:path}',
    })
    .refine((written) => !written.includes('\0'), { error: 'holds a zero byte' });
}
