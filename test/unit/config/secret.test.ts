import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveSecret } from '#config/secret.js';
import { tempFolder } from '../../support/temp-folder.js';

describe('resolveSecret', () => {
  test('reads a variable', async () => {
    expect(await resolveSecret('${env:TOKEN}', '/', { TOKEN: 's3cret' })).toBe('s3cret');
  });

  test('reads a file, relative to the configuration, without the line break editors leave', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'token'), 's3cret\n');

    expect(await resolveSecret('${file:token}', folder, {})).toBe('s3cret');
  });

  test('reads a file by its full path', async () => {
    const file = join(tempFolder(), 'token');
    writeFileSync(file, 's3cret');

    expect(await resolveSecret(`\${file:${file}}`, '/nowhere', {})).toBe('s3cret');
  });

  test.each(['${TOKEN}', '${env:}', '${ENV:TOKEN}', '${vault:x}'])(
    'refuses %j: a typo is no secret',
    async (written) => {
      await expect(resolveSecret(written, '/nowhere', {})).rejects.toThrow('write ${env:NAME} or ${file:path}');
    },
  );

  test.each(['plain', '', '$TOKEN', 'x${env:TOKEN}'])('takes %j as it stands', async (written) => {
    expect(await resolveSecret(written, '/', { TOKEN: 's3cret' })).toBe(written);
  });

  test.each([{}, { TOKEN: '' }])('does not take an unset variable for an empty secret', async (env) => {
    await expect(resolveSecret('${env:TOKEN}', '/', env)).rejects.toThrow('environment variable TOKEN is not set');
  });

  test('does not take an empty file for an empty secret', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'token'), '\n');

    await expect(resolveSecret('${file:token}', folder, {})).rejects.toThrow('file token is empty');
  });

  test('does not take a missing file for an empty secret', async () => {
    await expect(resolveSecret('${file:token}', tempFolder(), {})).rejects.toThrow('ENOENT');
  });
});
