import { signerOf } from '#activities/actions/notify-team/channels/webhook/sign.js';
import type { MeshConfig } from '#config/mesh-config.js';
import { missingSecrets } from '#config/missing-secrets.js';
import { resolveSecret } from '#config/secret.js';
import type { Environment } from '#contract/settings.js';
import { formatPath, type Problem } from '#contract/text/problem.js';
import { isSmtpUrl } from '#contract/text/smtp-url.js';

/** Secrets of a configuration that cannot be had here, or cannot be used. */
export async function secretProblems(config: MeshConfig, env: Environment): Promise<Problem[]> {
  const missing = await missingSecrets(partsInUse(config), [], { folder: config.folder, env });
  return [...missing, ...(await mailServer(config, env)), ...(await signingSecrets(config, env))];
}

/** Whether mails can be sent as somebody means them to be. The address may hold a password, so it is not shown. */
async function mailServer({ notify: { smtp }, folder }: MeshConfig, env: Environment): Promise<Problem[]> {
  const path = 'notify.smtp';
  if (smtp === undefined) {
    if (!env['MESH_SMTP_URL']) return [];
    const message = 'MESH_SMTP_URL is set and nothing uses it: mails become files';
    return [{ path, message, hint: 'write smtp: ${env:MESH_SMTP_URL}' }];
  }
  const server = await resolveSecret(smtp, folder, env).catch(() => undefined);
  if (server === undefined || isSmtpUrl(server)) return [];
  return [{ path, message: `${smtp} is no address such as smtp://mail.example.com:587: no mail can be sent` }];
}

/** A bridge that is switched off is asked for nothing, so what is wrong with it is nobody's business yet. */
export function partsInUse(config: MeshConfig): MeshConfig {
  const { bridge, ...others } = config;
  return bridge?.enabled === false ? others : config;
}

const HINT = 'to make one: echo "whsec_$(openssl rand -base64 32)"';

/** Secrets of webhooks with which nothing can be signed, as far as they can be read here. None of them is shown. */
export async function signingSecrets({ teams, folder }: MeshConfig, env: Environment): Promise<Problem[]> {
  const written = Object.entries(teams).flatMap(([team, { channels }]) =>
    channels.flatMap((channel, index) =>
      channel.type === 'webhook'
        ? (['secret', 'previousSecret'] as const).map((field) => ({
            path: formatPath(['teams', team, 'channels', index, field]),
            where: channel[field],
          }))
        : [],
    ),
  );
  const checked = written.map(async ({ path, where }): Promise<Problem[]> => {
    if (where === undefined) return [];
    // What cannot be had here is another warning's business.
    const secret = await resolveSecret(where, folder, env).catch(() => undefined);
    if (secret === undefined || signerOf(secret)) return [];
    return [{ path, message: `${where} is not whsec_ and a key in Base64: nothing can be signed with it`, hint: HINT }];
  });
  return (await Promise.all(checked)).flat();
}
