import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NamespaceNotFoundError } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { type ConnectionSettings, explainConnectionError, readConnection } from '#client/connection.js';
import { readSettings } from '#contract/settings.js';
import { tempFolder } from '../../support/temp-folder.js';

// No test reads a profile file of the person who runs it.
const noProfile = { TEMPORAL_CONFIG_FILE: '/nonexistent/temporal.toml' };

describe('readConnection', () => {
  test('leads to the local dev server when nothing names another', () => {
    expect(connectionOf({})).toMatchObject({ address: '127.0.0.1:7233', namespace: 'default', isGiven: false });
  });

  test('leads to the port the dev server was given', () => {
    expect(connectionOf({ MESH_TEMPORAL_PORT: '9999' })).toMatchObject({ address: '127.0.0.1:9999', isGiven: false });
  });

  test("follows Temporal's own variables", () => {
    const connection = connectionOf({
      TEMPORAL_ADDRESS: 'temporal.example.com:7233',
      TEMPORAL_NAMESPACE: 'mesh',
      TEMPORAL_API_KEY: 'key',
    });

    expect(connection).toMatchObject({
      address: 'temporal.example.com:7233',
      namespace: 'mesh',
      isGiven: true,
      options: { apiKey: 'key', tls: true },
    });
  });

  test('follows a profile file', () => {
    const file = join(tempFolder(), 'temporal.toml');
    writeFileSync(file, '[profile.default]\naddress = "from-profile:7233"\nnamespace = "p"\n');

    expect(connectionOf({ TEMPORAL_CONFIG_FILE: file })).toMatchObject({
      address: 'from-profile:7233',
      namespace: 'p',
      isGiven: true,
    });
  });

  test('lets a variable win over the profile', () => {
    const file = join(tempFolder(), 'temporal.toml');
    writeFileSync(file, '[profile.default]\naddress = "from-profile:7233"\n');

    expect(connectionOf({ TEMPORAL_CONFIG_FILE: file, TEMPORAL_ADDRESS: 'from-env:1' })).toMatchObject({
      address: 'from-env:1',
    });
  });
});

describe('explainConnectionError', () => {
  test.each([
    ['the SDK cannot connect', new Error('Failed to connect before the deadline')],
    ['a port refuses', new Error('14 UNAVAILABLE: connect ECONNREFUSED 127.0.0.1:7233')],
    ['the cause lies deeper', new Error('outer', { cause: new Error('middle', { cause: new Error('ECONNREFUSED') }) })],
  ])('says what to do when %s', (_, error) => {
    expect(explainConnectionError(error, local)).toBe(
      'Temporal is not reachable at 127.0.0.1:7233: start it with `npm start`, or set TEMPORAL_ADDRESS.',
    );
  });

  test('asks about the address when one was given', () => {
    expect(explainConnectionError(new Error('ECONNREFUSED'), { ...local, address: 'x:1', isGiven: true })).toBe(
      'Temporal is not reachable at x:1: check TEMPORAL_ADDRESS and that the server runs.',
    );
  });

  test('misses the port of an address', () => {
    expect(explainConnectionError(new Error('ECONNREFUSED'), { ...local, address: 'localhost', isGiven: true })).toBe(
      'Temporal is not reachable at localhost: TEMPORAL_ADDRESS names no port; write host:port, such as localhost:7233.',
    );
  });

  test('says of a namespace that is not there how to make it', () => {
    const error = new Error('outer', { cause: new NamespaceNotFoundError('prod') });

    expect(explainConnectionError(error, { ...local, namespace: 'prod' })).toBe(
      'Temporal at 127.0.0.1:7233 has no namespace prod: check TEMPORAL_NAMESPACE, or make it: temporal operator namespace create prod',
    );
  });

  test.each([
    ['another error', new Error('rules[0] is wrong')],
    ['a text', 'ECONNREFUSED'],
    ['nothing', undefined],
  ])('leaves %s alone', (_, error) => {
    expect(explainConnectionError(error, local)).toBeUndefined();
  });

  test('is not caught by an error that is its own cause', () => {
    const error = new Error('round and round');
    error.cause = error;

    expect(explainConnectionError(error, local)).toBeUndefined();
  });
});

const local: ConnectionSettings = {
  address: '127.0.0.1:7233',
  namespace: 'default',
  options: connectionOf({}).options,
  isGiven: false,
};

function connectionOf(env: Record<string, string>): ConnectionSettings {
  return readConnection(readSettings(env).settings, { ...noProfile, ...env });
}
