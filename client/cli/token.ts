import { Argument, type Command, Option } from 'commander';
import { DEFAULT_TENANT } from '#contract/names.js';
import { type Role, ROLES } from '#contract/roles.js';
import { makeToken } from '../gateway/access.js';
import { print, printJson } from './print.js';
import { tenantFrom } from './tenant-option.js';

interface TokenOptions {
  tenant?: string;
  name?: string;
  role: Role[];
  json?: boolean;
}

export function addTokenCommand(program: Command): void {
  program
    .command('token')
    .description('make a bearer token for the HTTP gateway')
    .addArgument(new Argument('<action>', 'what to do').choices(['new']))
    .option('--tenant <name>', `tenant whose events it reports (default: MESH_TENANT, or ${DEFAULT_TENANT})`)
    .option('--name <name>', 'what to call it in mesh.yaml (default: the tenant and its roles)')
    .addOption(new Option('--role <roles...>', 'what it may do').choices(ROLES).default(['report'], 'report'))
    .option('--json', 'print {"token", "sha256", "tenant", "name", "roles"}')
    .action((_action: string, options: TokenOptions) => newToken(options));
}

function newToken(options: TokenOptions): void {
  const tenant = tenantFrom(options, process.env);
  const roles = ROLES.filter((role) => options.role.includes(role));
  const name = options.name ?? [tenant, ...roles].join('-');
  const { token, sha256 } = makeToken();
  if (options.json) return printJson({ token, sha256, tenant, name, roles });
  print(
    [
      'The token, which is shown only now. Callers send it as `Authorization: Bearer …`; hooks read it from MESH_TOKEN.',
      '',
      `  ${token}`,
      '',
      'Put this into config/mesh.yaml (MESH_CONFIG); a running gateway picks it up:',
      '',
      'gateway:',
      '  tokens:',
      `    - name: ${JSON.stringify(name)}`,
      // In quotes: a tenant may be called 007, and a hash may be all digits.
      `      sha256: ['${sha256}']`,
      `      tenant: '${tenant}'`,
      `      roles: [${roles.join(', ')}]`,
    ].join('\n'),
  );
}
